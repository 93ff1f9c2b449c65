/** Which images a version of the platform is made of. */
import { compareVersions, type Images, type Release, type Size, type Surroundings } from "#lib/moodle/sizes.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";

export interface SpokeImages {
  readonly moodle: string;
  readonly postgres: string;
  readonly fpmDirectory: string;
}

/** What a site must be to become one of a version; null is anything. */
export interface SpokeNeeds {
  /** The least major version of PostgreSQL. */
  readonly postgres: number | null;
  /** The oldest version that an upgrade may come from. */
  readonly upgradesFrom: string | null;
}

/** As listed; or the newest listed version that this one begins, previews last; or by its family; or null. */
export function findImages(images: Images, version: string): SpokeImages | null {
  const listed = findListed(images, version);
  if (listed) return { moodle: listed.image, postgres: images.postgres, fpmDirectory: listed.fpmDirectory };
  const family = findFamily(images, version);
  if (!family) return null;
  const moodle = family.image.replace("${VERSION}", () => version);
  return { moodle, postgres: images.postgres, fpmDirectory: family.fpmDirectory };
}

/** By the same entry as the images. */
export function findNeeds(images: Images, version: string): SpokeNeeds {
  return needsOf(findListed(images, version) ?? findFamily(images, version) ?? {});
}

export function needsOf({ postgres, upgradesFrom }: Partial<Pick<Release, "postgres" | "upgradesFrom">>): SpokeNeeds {
  return { postgres: postgres ?? null, upgradesFrom: upgradesFrom ?? null };
}

function findListed(images: Images, version: string): Release | undefined {
  const offered = offeredVersions(images);
  const listed = offered.find((each) => each === version) ?? offered.find((each) => each.startsWith(version + "."));
  return listed === undefined ? undefined : images.versions[listed];
}

function findFamily(images: Images, version: string): Images["families"][number] | undefined {
  return images.families.find(({ from }) => compareVersions(from, version) <= 0);
}

/** Newest first, previews after all others: the first is the default. */
export function offeredVersions(images: Images): string[] {
  const previews = (version: string) => Number(images.versions[version]!.preview);
  return Object.keys(images.versions).sort((a, b) => previews(a) - previews(b) || compareVersions(b, a));
}

export function sampleInputs(
  blueprint: { readonly images: Images; readonly surroundings: Surroundings },
  size: string,
  resources: Size,
): SpokeInputs {
  const version = offeredVersions(blueprint.images)[0]!;
  return {
    federationId: "fed_sample",
    spokeId: "spk_sample",
    namespace: "sample",
    slug: "sample",
    displayName: "Sample",
    host: "sample.example.org",
    adminEmail: "admin@example.org",
    version,
    images: findImages(blueprint.images, version)!,
    size,
    resources,
    identity: false,
    content: false,
    contentMode: null,
    brand: null,
    seed: null,
    surroundings: blueprint.surroundings,
    https: true,
    issuer: null,
    mail: null,
  };
}
