/**
 * Compares the digest of each site's running image with the digest in the spoke's row. If they differ, the image's tag
 * now refers to another image, which a node has pulled. If the row has no digest, stores the current one.
 */
import { sql } from "kysely";
import type { DriftedObject } from "#lib/domains/spokes/drift.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import { areImagesDifferent } from "#lib/moodle/image-digest.ts";
import { POD_RESOURCE } from "#lib/workers/sweep/pods.ts";
import type { ClusterCheck, SpokeObservations } from "#lib/workers/sweep/spoke-facts.ts";

const PREFIX = "Pod/", ROWS = 500;

/** Stores the digests of images that the sites' pods run, for spokes without one. */
export async function saveRunningImages({ run, facts, startedAt }: ClusterCheck): Promise<void> {
  const unrecorded = [...facts.values()].flatMap(({ spoke: { id, imageDigest }, images }) => {
    const [digest] = [...images.values()].flat();
    return imageDigest === null && digest !== undefined ? [{ id, digest }] : [];
  });
  for (let i = 0; i < unrecorded.length; i += ROWS) {
    await run.write((tx) => recordDigests(tx, startedAt, unrecorded.slice(i, i + ROWS)));
  }
}

/** Returns the pods whose image has another digest than the recorded one, although its tag is the same. */
export function findImagesWithMovedTags(
  { listed }: ClusterCheck,
  { spoke, images }: SpokeObservations,
): DriftedObject[] {
  const recorded = spoke.imageDigest, earlier = spoke.drift as { objects: readonly DriftedObject[] } | null;
  if (!listed.has(POD_RESOURCE.kind)) {
    return (earlier?.objects ?? []).filter(({ object }) => object.startsWith(PREFIX));
  }
  if (recorded === null) return [];
  return [...images].filter(([, digests]) => digests.some((digest) => areImagesDifferent(digest, recorded)))
    .map(([name]) => ({ object: `${PREFIX}${name}`, what: "changed", fields: ["status.containerStatuses.imageID"] }));
}

/**
 * Stores image digests of spokes without one. Sets `recorded_at` to null, so that a job updates their site records too.
 */
async function recordDigests(tx: Tx, began: Date, found: readonly { id: string; digest: string }[]): Promise<void> {
  const ids = found.map(({ id }) => id), digests = found.map(({ digest }) => digest);
  await sql`
    with found as (select * from unnest(${ids}::text[], ${digests}::text[]) as found (id, digest)),
    held as (
      select spokes.id, found.digest from spokes join found using (id)
      where spokes.state = 'active' and spokes.updated_at <= ${began} and image_digest is null
      order by spokes.id for no key update of spokes skip locked
    )
    update spokes set image_digest = held.digest, recorded_at = null from held where spokes.id = held.id`.execute(tx);
}
