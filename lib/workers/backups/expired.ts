/**
 * Removes backups that have had their time. Nothing else ever deletes a snapshot, and this only what the rows allow, asked
 * again right before: a good one goes only where a newer good one stays and no work under way needs it, and nothing of a
 * spoke that is going.
 *
 * The contents retain: a VolumeSnapshot that is deleted leaves its content and the storage behind. So the content, if it is
 * exactly this snapshot's, is told to go along first; then the snapshot is deleted by its uid, and its end is waited for.
 */
import { mayDelete, selectExpired } from "#lib/domains/backups/retention.ts";
import { listBackupsInUse } from "#lib/domains/backups/restore-test-store.ts";
import { type Backup, listBackups, markRemovalStarted, markRemoved } from "#lib/domains/backups/store.ts";
import { BACKUP } from "#lib/moodle/names.ts";
import {
  type Cluster,
  ClusterError,
  type KubeObject,
  type Ref,
  withErrorDetails,
} from "#lib/drivers/cluster/cluster.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import type { Run } from "#lib/scheduler/handler.ts";
import { lockSpoke } from "#lib/domains/spokes/store.ts";
import { DAY, MINUTE } from "#lib/base/time.ts";
import { note, type SpokeSite, waitingFor } from "#lib/workers/site.ts";

const API = "snapshot.storage.k8s.io/v1";
export const SNAPSHOT = { apiVersion: API, kind: "VolumeSnapshot" };
/** What a snapshot was cut into. It belongs to no namespace. */
export const CONTENT = { apiVersion: API, kind: "VolumeSnapshotContent" };

/** Whether the content is of exactly this snapshot: a name may be taken again, a uid never. */
export function refersTo(content: KubeObject, { metadata }: KubeObject): boolean {
  const of = content["spec"]?.volumeSnapshotRef;
  return of?.uid === metadata.uid && of?.name === metadata.name && of?.namespace === metadata.namespace;
}

/** For one backup; the storage goes on by itself, and the next night looks again. */
const PATIENCE = 2 * MINUTE;
const TRIES = 3;
/** The storage takes longer than that. A call to the API server that is late is another matter, which soon passes. */
const SLOW = "slow_storage";

/** `all leftovers`: of failed attempts also what is not a day old yet, where the room is needed. */
export async function removeExpired(site: SpokeSite, run: Run, what: "by the rule" | "all leftovers"): Promise<void> {
  const ids = await run.write(async (tx) => {
    const now = await readClock(tx, run), held = await listBackupsInUse(tx, site.spoke.id);
    const over = selectExpired(
      await listBackups(tx, site.spoke.id),
      what === "by the rule" ? now : new Date(now.getTime() + DAY),
    );
    return over.filter((id) => !held.has(id));
  });
  for (const id of ids) {
    const backup = await run.write((tx) => claimRemoval(tx, site.spoke.id, id));
    if (!backup) continue;
    try {
      await removeBackup(site, run, backup);
    } catch (error) {
      // What is not gone tonight is gone on with the next time: the backup that was taken is a success all the same.
      const passing = error instanceof ClusterError && error.transient && error.code !== SLOW;
      if (!(error instanceof ClusterError) || passing && run.job.attempt < TRIES) throw error;
      run.log.warn("Cannot remove a backup that has had its time", { backup: id, error });
      await note(run, [`A backup that has had its time could not be removed: ${error.message}`]);
      if (error.code === SLOW) return; // storage that is slow with one is with the next, and others wait for the lane
    }
  }
}

/** Null where the rows do not allow it (any more). From here on the backup counts as none, whatever becomes of this run. */
async function claimRemoval(tx: Tx, spokeId: string, id: string): Promise<Backup | null> {
  const { state } = await lockSpoke(tx, spokeId);
  if (state === "removing" || state === "removed") return null;
  const rows = await listBackups(tx, spokeId);
  if (!mayDelete(rows, id) || (await listBackupsInUse(tx, spokeId)).has(id)) return null;
  await markRemovalStarted(tx, id);
  return rows.find((row) => row.id === id)!;
}

async function removeBackup(site: SpokeSite, run: Run, backup: Backup): Promise<void> {
  await removeSnapshots(site, run, backup);
  await run.write((tx) => markRemoved(tx, backup.id));
}

/** With what they were cut into, until they are seen gone. */
export async function removeSnapshots(site: SpokeSite, run: Run, backup: Backup): Promise<void> {
  const { space } = site, going: Ref[] = [];
  for (const { snapshot: name, snapshotUid, content } of backup.volumes) {
    const ref = { ...SNAPSHOT, name };
    const snapshot = await space.get(ref, run);
    if (!snapshot) {
      if (content !== undefined) await noteOrphan(site.cluster, run, content, snapshotUid);
      continue;
    }
    if (!isOurs(snapshot, backup, snapshotUid)) {
      await note(run, [`VolumeSnapshot ${name} was left alone: it is not the one that this backup made`]);
      continue;
    }
    await releaseContent(site.cluster, run, snapshot);
    await space.delete(ref, snapshot.metadata.uid!, run);
    going.push(ref);
  }
  await space.gone(going, waitingFor(run, PATIENCE)).catch((error) => {
    const late = error instanceof ClusterError && error.code === "deadline";
    throw late ? withErrorDetails(error, { code: SLOW }) : error;
  });
}

function isOurs({ metadata }: KubeObject, backup: Backup, uid: string | undefined): boolean {
  if (uid !== undefined) return metadata.uid === uid;
  return metadata.labels?.[BACKUP] === backup.id; // an attempt that failed before it was read
}

/** Where the content is this snapshot's, it goes with it from now on. */
export async function releaseContent(cluster: Cluster, run: Run, snapshot: KubeObject): Promise<void> {
  const content = await findContentOf(cluster, run, snapshot);
  if (content) await retainNoMore(cluster, run, content);
}

/**
 * The content that was cut for this snapshot; null where none is. The snapshot names it only some time after the controller
 * has created it: `snapcontent-` and the snapshot's uid (external-snapshotter, GetDynamicSnapshotContentNameForSnapshot).
 */
export async function findContentOf(cluster: Cluster, run: Run, snapshot: KubeObject): Promise<KubeObject | null> {
  const name: string = snapshot["status"]?.boundVolumeSnapshotContentName ?? `snapcontent-${snapshot.metadata.uid}`;
  const content = await cluster.find({ ...CONTENT, name }, run);
  return content && refersTo(content, snapshot) ? content : null;
}

/** Says which contents stay in the storage of a last snapshot that was given up. They retain, so the namespace leaves them. */
export async function listCut({ app, cluster, space, spoke }: SpokeSite, run: Run): Promise<string[]> {
  const backup = (await listBackups(app.db.rows, spoke.id)).find(({ operationId }) => operationId === run.job.id);
  const names: string[] = [];
  try {
    for (const { snapshot: name } of backup?.volumes ?? []) {
      const snapshot = await space.get({ ...SNAPSHOT, name }, run);
      const content = snapshot && await findContentOf(cluster, run, snapshot);
      if (content) names.push(content.metadata.name);
    }
  } catch (error) {
    run.signal.throwIfAborted();
    if (!(error instanceof ClusterError)) throw error;
    run.log.info("Cannot see what was cut for a last snapshot", { error }); // reconcile finds it by its name
  }
  return names.length === 0 ? [] : [`What was cut for it stays: VolumeSnapshotContent ${names.join(", ")}`];
}

/** Tested by the API server itself: the content must still be its snapshot's in the moment in which it is changed. */
export async function retainNoMore(cluster: Cluster, run: Run, content: KubeObject): Promise<void> {
  const { deletionPolicy, volumeSnapshotRef } = content["spec"];
  if (deletionPolicy === "Delete") return;
  await cluster.patchGlobal({ ...CONTENT, name: content.metadata.name }, [
    { op: "test", path: "/spec/volumeSnapshotRef/uid", value: volumeSnapshotRef.uid },
    { op: "replace", path: "/spec/deletionPolicy", value: "Delete" },
  ], run);
}

/**
 * Somebody else has deleted the snapshot: what it was cut into is not ours to delete any more, but must not be
 * forgotten.
 */
async function noteOrphan(cluster: Cluster, run: Run, name: string, uid: string | undefined): Promise<void> {
  const content = await cluster.find({ ...CONTENT, name }, run);
  if (!content || content["spec"]?.volumeSnapshotRef?.uid !== uid) return;
  await note(run, [`VolumeSnapshotContent ${name} stays: its snapshot was deleted by somebody else`]);
}

/** By the database's clock, which tests can shift. */
async function readClock(tx: Tx, { job }: Run): Promise<Date> {
  const row = await tx.selectFrom("jobs").select("updatedAt").where("id", "=", job.id).executeTakeFirstOrThrow();
  return row.updatedAt; // run.write has just written it
}
