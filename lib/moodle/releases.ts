/** Finds the container images and upgrade requirements for a Moodle version. */
import {
  type ClusterSettings,
  compareVersions,
  type ImageCatalog,
  type MoodleRelease,
  type SiteSize,
} from "#lib/moodle/sizes.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";

export interface SpokeImages {
  readonly moodle: string;
  readonly postgres: string;
  readonly fpmDirectory: string;
}

/** The requirements for upgrading a site to a version. A field is null if the version has no such requirement. */
export interface VersionRequirements {
  /** The minimum major version of PostgreSQL. */
  readonly postgres: number | null;
  /** The oldest Moodle version from which a site can be upgraded directly. */
  readonly upgradesFrom: string | null;
}

/** Returns the images for a Moodle version; null if unknown. A prefix such as 4.5 selects the newest listed version. */
export function findVersionImages(images: ImageCatalog, version: string): SpokeImages | null {
  const listed = findListed(images, version);
  if (listed) return { moodle: listed.image, postgres: images.postgres, fpmDirectory: listed.fpmDirectory };
  const family = findFamily(images, version);
  if (!family) return null;
  const moodle = family.image.replace("${VERSION}", () => version);
  return { moodle, postgres: images.postgres, fpmDirectory: family.fpmDirectory };
}

/** Returns a version's upgrade requirements, from the entry in images.yaml that also defines its images. */
export function findVersionRequirements(images: ImageCatalog, version: string): VersionRequirements {
  return toVersionRequirements(findListed(images, version) ?? findFamily(images, version) ?? {});
}

export function toVersionRequirements(
  { postgres, upgradesFrom }: Partial<Pick<MoodleRelease, "postgres" | "upgradesFrom">>,
): VersionRequirements {
  return { postgres: postgres ?? null, upgradesFrom: upgradesFrom ?? null };
}

function findListed(images: ImageCatalog, version: string): MoodleRelease | undefined {
  const offered = listOfferedVersions(images);
  const listed = offered.find((each) => each === version) ?? offered.find((each) => each.startsWith(version + "."));
  return listed === undefined ? undefined : images.versions[listed];
}

function findFamily(images: ImageCatalog, version: string): ImageCatalog["families"][number] | undefined {
  return images.families.find(({ from }) => compareVersions(from, version) <= 0);
}

/** Lists the offered versions: newest first, then previews. The first version in the list is the default. */
export function listOfferedVersions(images: ImageCatalog): string[] {
  const previewOrder = (version: string) => Number(images.versions[version]!.preview);
  return Object.keys(images.versions).sort((a, b) => previewOrder(a) - previewOrder(b) || compareVersions(b, a));
}

export function buildSampleSpokeInputs(
  blueprint: { readonly images: ImageCatalog; readonly surroundings: ClusterSettings },
  size: string,
  resources: SiteSize,
): SpokeInputs {
  const version = listOfferedVersions(blueprint.images)[0]!;
  return {
    federationId: "fed_sample",
    spokeId: "spk_sample",
    namespace: "sample",
    slug: "sample",
    displayName: "Sample",
    host: "sample.example.org",
    adminEmail: "admin@example.org",
    version,
    images: findVersionImages(blueprint.images, version)!,
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
