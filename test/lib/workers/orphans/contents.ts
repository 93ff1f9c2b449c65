/** Contents of snapshots that somebody with all rights in the cluster creates. */
import * as assert from "uvu/assert";
import { createId } from "#lib/base/ids.ts";
import { SNAPSHOT_CONTENT, VOLUME_SNAPSHOT } from "#lib/moodle/storage-objects.ts";

/** Creates a content that was taken from a volume, or one that names a snapshot. Returns its name. */
export async function postContent(
  url: string,
  namespace: string,
  snapshot: string,
  source: object = { volumeHandle: "pvc-1" },
): Promise<string> {
  const name = `${namespace}-${snapshot}`,
    volumeSnapshotRef = { ...VOLUME_SNAPSHOT, namespace, name: snapshot, uid: createId("op") };
  const spec = { deletionPolicy: "Retain", driver: "csi.example.org", source, volumeSnapshotRef };
  const answer = await fetch(`${url}/apis/${SNAPSHOT_CONTENT.apiVersion}/volumesnapshotcontents`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ ...SNAPSHOT_CONTENT, metadata: { name }, spec }),
  });
  assert.ok(answer.ok, await answer.text());
  return name;
}
