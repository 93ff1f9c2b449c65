/** Reads the digests of the images that a site's pods run. */
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";

/** The label selector that matches the pods of a site's Moodle Deployment. */
export const MOODLE_POD_SELECTOR = "app=moodle";

const DIGEST = /^(?:[\w.:/-]{1,320}@)?sha256:[0-9a-f]{64}$/;

/** Returns the image digests that a pod reports for `image`, in the form `repository@sha256:…` or `sha256:…`. */
export function listImageDigests({ metadata, spec, status }: KubeObject, image: string): string[] {
  if (metadata.deletionTimestamp !== undefined) return [];
  const containers: readonly KubeObject[] = spec?.containers ?? [],
    statuses: readonly KubeObject[] = status?.containerStatuses ?? [];
  const names = containers.filter((container) => container["image"] === image).map((container) => container["name"]);
  return statuses.filter((each) => names.includes(each["name"])).flatMap((each) =>
    parseImageId(String(each["imageID"] ?? "")) ?? []
  );
}

/** Returns the image digest in the `imageID` of a container status; null if the `imageID` contains no digest. */
export function parseImageId(imageId: string): string | null {
  const digest = imageId.replace(/^[a-z-]+:\/\//, "");
  return isImageDigest(digest) ? digest : null;
}

export function isImageDigest(text: string): boolean {
  return DIGEST.test(text);
}

/** Returns whether two digests certainly identify different images. Returns false if only one names a repository. */
export function areImagesDifferent(one: string, other: string): boolean {
  return one.includes("@") === other.includes("@") && one.split("@").at(-1) !== other.split("@").at(-1);
}
