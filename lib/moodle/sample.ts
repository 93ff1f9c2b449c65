/** A spoke that nobody asked for, to do sums with: whether a size's quota holds what the manifests take. */
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import type { Images, Size, Surroundings } from "#lib/moodle/sizes.ts";
import { findImages, offeredVersions } from "#lib/moodle/releases.ts";

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
