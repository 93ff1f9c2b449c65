/** Which images a version of the platform is made of. */
import { compareVersions, type Images } from "#lib/blueprint/sizes.ts";

export interface SpokeImages {
  readonly moodle: string;
  readonly postgres: string;
  readonly fpmDirectory: string;
}

/** As listed; or the newest listed version that this one begins, previews last; or by its family; or null. */
export function findImages(images: Images, version: string): SpokeImages | null {
  const offered = offeredVersions(images);
  const listed = offered.find((each) => each === version) ?? offered.find((each) => each.startsWith(version + "."));
  if (listed !== undefined) {
    const { image, fpmDirectory } = images.versions[listed]!;
    return { moodle: image, postgres: images.postgres, fpmDirectory };
  }
  const family = images.families.find(({ from }) => compareVersions(from, version) <= 0);
  if (!family) return null;
  const moodle = family.image.replace("${VERSION}", () => version);
  return { moodle, postgres: images.postgres, fpmDirectory: family.fpmDirectory };
}

/** Newest first, previews after all others: the first is the default. */
export function offeredVersions(images: Images): string[] {
  const previews = (version: string) => Number(images.versions[version]!.preview);
  return Object.keys(images.versions).sort((a, b) => previews(a) - previews(b) || compareVersions(b, a));
}
