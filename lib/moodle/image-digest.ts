/**
 * Reads the digest of the image that a site's pods run. An image tag can be moved to another image, a digest cannot.
 */
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";

/** Selects the pods of a site's Deployment. */
export const MOODLE_PODS = "app=moodle";

const DIGEST = /^(?:[\w.:/-]{1,320}@)?sha256:[0-9a-f]{64}$/;

/**
 * Returns the digests of the pod's containers that run this image. The form is `repository@sha256:…`, or only
 * `sha256:…` if the image was loaded into the node without a registry.
 */
export function digestsIn({ metadata, spec, status }: KubeObject, image: string): string[] {
  if (metadata.deletionTimestamp !== undefined) return [];
  const containers: readonly KubeObject[] = spec?.containers ?? [],
    statuses: readonly KubeObject[] = status?.containerStatuses ?? [];
  const names = containers.filter((container) => container["image"] === image).map((container) => container["name"]);
  return statuses.filter((each) => names.includes(each["name"])).flatMap((each) =>
    parseImageId(String(each["imageID"] ?? "")) ?? []
  );
}

/** Returns a container status's `imageID` without the scheme that some runtimes add; null if it contains no digest. */
export function parseImageId(imageId: string): string | null {
  const digest = imageId.replace(/^[a-z-]+:\/\//, "");
  return isDigest(digest) ? digest : null;
}

export function isDigest(text: string): boolean {
  return DIGEST.test(text);
}

/**
 * Returns whether two digests certainly identify different images. An image ID without a repository cannot be compared
 * with a registry's digest.
 */
export function isOtherImage(one: string, other: string): boolean {
  return one.includes("@") === other.includes("@") && one.split("@").at(-1) !== other.split("@").at(-1);
}
