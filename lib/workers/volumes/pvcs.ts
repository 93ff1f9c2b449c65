/**
 * Creates a site's PVCs from snapshots, before its other objects.
 * VolumeSnapshots are deleted with their namespace, so a backup stores the storage driver's handles. For each PVC the
 * module creates a content with the handle, and a VolumeSnapshot bound to the content. Both are named after the
 * adoption. The content has the deletionPolicy `Retain`, so the stored data remains when both are deleted. The content
 * is created, never applied, because an apply would remove the UID of its snapshot.
 */
import { fromSnapshot, sourceName } from "#lib/moodle/origin.ts";
import { lackForOrigin } from "#lib/moodle/adoption.ts";
import { claimsOf } from "#lib/moodle/expected-objects.ts";
import { SPOKE_STEPS } from "#lib/moodle/blueprint-files.ts";
import type { SiteOrigin } from "#lib/moodle/inputs.ts";
import { claimNames } from "#lib/moodle/names.ts";
import { writeAmount } from "#lib/moodle/quota.ts";
import { labelsOf } from "#lib/moodle/owner-labels.ts";
import { type Disk, DISKS, larger } from "#lib/moodle/resize.ts";
import { type Cluster, ClusterError, type KubeObject, type Ref, refOf } from "#lib/drivers/cluster/cluster.ts";
import type { Run } from "#lib/scheduler/handler.ts";
import { SNAPSHOT_CONTENT, VOLUME_SNAPSHOT } from "#lib/workers/backups/delete-expired.ts";
import { readRetainingClasses } from "#lib/workers/backups/snapshots.ts";
import { createFenced } from "#lib/workers/fenced-objects.ts";
import type { JobContext } from "#lib/workers/site-jobs.ts";
import { clusterWaitOf, permanentError, pollUntil } from "#lib/workers/site.ts";

/** The cluster and namespace of the volumes of a spoke or sandbox. The inputs have an origin. */
export interface VolumeContext extends JobContext {
  readonly cluster: Cluster;
}

/** The values by which the storage identifies a snapshot. */
export interface SnapshotVolume {
  readonly handle: string;
  readonly driver: string;
  readonly class: string;
  /** The minimum size of a volume in bytes; null if the driver does not report it. */
  readonly restoreSize: number | null;
}

/** The two snapshots of a site, and their cluster. */
export interface Snapshots {
  readonly cluster: string;
  /** The cluster's identity, if known. */
  readonly clusterUid: string | null;
  readonly volumes: Readonly<Record<Disk, SnapshotVolume>>;
}

/**
 * Creates the PVCs from the snapshots; safe to repeat. A PVC may stay Pending until the first pod uses it.
 * Throws a final ClusterError: `another_cluster`, `BlueprintLacks`, `NoSnapshotClass`, `ClaimTaken`, or the cluster's
 * error for a missing snapshot.
 */
export async function pvcsFromSnapshots(place: VolumeContext, run: Run, from: Snapshots): Promise<void> {
  const { space, inputs } = place, { turn } = originOf(place);
  await demandHere(place, run, from);
  const lack = lackForOrigin(place.blueprint, inputs);
  if (lack !== null) {
    const hint = "Take it over from the built-in blueprint into BLUEPRINT_DIR; then retry.";
    throw permanentError("BlueprintLacks", `No site can be made from snapshots, since ${lack}`, hint);
  }
  const claims = claimsTo(place, from), standing = new Map<Disk, KubeObject>();
  for (const disk of DISKS) {
    const there = await space.get(refOf(claims[disk]), run);
    if (there) demandMadeFrom(there, sourceName(disk, turn));
    if (there) standing.set(disk, there);
  }
  const unbound = DISKS.filter((disk) => standing.get(disk)?.["status"]?.phase !== "Bound");
  if (unbound.length === 0) return;
  const names = await classNames(place, run, from);
  for (const disk of unbound) await makePair(place, run, disk, from.volumes[disk], names[disk]);
  await space.ready(unbound.map((disk) => ({ ...VOLUME_SNAPSHOT, name: sourceName(disk, turn) })), clusterWaitOf(run));
  for (const disk of unbound) {
    if (!standing.has(disk)) await createFenced(space, claims[disk], run.job, run);
  }
}

/** Waits until the PVCs are bound, then deletes the snapshot objects behind them. */
export async function deleteSourcesWhenBound(place: VolumeContext, run: Run): Promise<void> {
  const { space, inputs } = place, names = Object.values(claimNames(inputs));
  const late = await pollUntil(run, async () => {
    const claims = await Promise.all(names.map((name) => space.get({ ...CLAIM, name }, run)));
    const unbound = names.filter((_, i) => claims[i]?.["status"]?.phase !== "Bound");
    return unbound.length > 0 ? `Waiting for the volumes of the claims ${unbound.join(", ")}` : null;
  });
  if (late !== null) throw new ClusterError("deadline", late, { transient: true });
  await deleteSources(place, run);
}

/** Deletes the snapshot objects behind the PVCs. The storage's own snapshots stay. */
export async function deleteSources(place: VolumeContext, run: Run): Promise<void> {
  const { space, cluster } = place, { turn } = originOf(place), going: Ref[] = [];
  for (const disk of DISKS) {
    const ref = { ...VOLUME_SNAPSHOT, name: sourceName(disk, turn) }, snapshot = await space.get(ref, run);
    if (!snapshot) continue;
    await space.delete(ref, snapshot.metadata.uid!, run);
    going.push(ref);
  }
  await space.gone(going, clusterWaitOf(run));
  await deleteSourceContents(cluster, run, { namespace: space.namespace, turn });
}

/** Deletes the cluster-scoped contents, which remain after the namespace is deleted. */
export async function deleteSourceContents(
  cluster: Cluster,
  run: Run,
  { namespace, turn }: { readonly namespace: string; readonly turn: string },
): Promise<void> {
  const refs = DISKS.map((disk) => ({ ...SNAPSHOT_CONTENT, name: contentName(namespace, disk, turn) }));
  const late = await pollUntil(run, async () => {
    const left = (await Promise.all(refs.map((ref) => cluster.find(ref, run)))).filter((content) => content !== null);
    for (const content of left) {
      if (!content.metadata.deletionTimestamp) await cluster.deleteGlobal(refOf(content), content.metadata.uid!, run);
    }
    return left.length > 0
      ? `Not deleted yet: ${left.map(({ kind, metadata }) => `${kind} ${metadata.name}`).join(", ")}`
      : null;
  });
  if (late !== null) throw new ClusterError("deadline", late, { transient: true });
}

const CLAIM = { apiVersion: "v1", kind: "PersistentVolumeClaim" };

function contentName(namespace: string, disk: Disk, turn: string): string {
  return `${namespace}-${sourceName(disk, turn)}`;
}

function originOf({ inputs: { origin } }: VolumeContext): SiteOrigin {
  if (!origin) throw new TypeError("The inputs do not say where the site's data is from");
  return origin;
}

/** Throws if this is another cluster, in which a handle means nothing. */
async function demandHere({ cluster }: VolumeContext, run: Run, from: Snapshots): Promise<void> {
  const here = from.clusterUid === null
    ? cluster.name === from.cluster
    : from.clusterUid === await cluster.identity(run);
  if (here) return;
  throw permanentError(
    "another_cluster",
    `The snapshots are in the cluster ${from.cluster}, and not in this one`,
    "Volumes can only be made where the snapshots are: choose the region of that cluster, or a backup of this one.",
  );
}

/** Renders the PVCs of the blueprint, with disks that are large enough for the snapshots. */
function claimsTo({ blueprint, inputs }: VolumeContext, { volumes }: Snapshots): Readonly<Record<Disk, KubeObject>> {
  const names = claimNames(inputs);
  const objects = SPOKE_STEPS.flatMap((step) => blueprint.spokeObjects(inputs, step));
  const database = objects.flatMap(claimsOf)
    .map((claim) => fromSnapshot(claim, sourceName("database", inputs.origin!.turn)));
  const claimOf = (disk: Disk): KubeObject => {
    const claim = [...objects, ...database].find(({ kind, metadata }) =>
      kind === CLAIM.kind && metadata.name === names[disk]
    )!;
    const { resources } = claim["spec"], least = writeAmount("storage", volumes[disk].restoreSize ?? 0);
    const requests = { ...resources.requests, storage: larger(resources.requests.storage, least) };
    return { ...claim, spec: { ...claim["spec"], resources: { ...resources, requests } } };
  };
  return { files: claimOf("files"), database: claimOf("database") };
}

function demandMadeFrom({ metadata: { name }, spec }: KubeObject, source: string): void {
  if (spec?.dataSource?.name === source) return;
  throw permanentError(
    "ClaimTaken",
    `There is a volume claim ${name} already, which was not made from the snapshot`,
    "It may hold data: see what it is, and delete it where nobody needs it; then retry.",
  );
}

/** Returns a snapshot class for each snapshot: its own class, or another one of its driver. */
async function classNames(
  { cluster }: VolumeContext,
  run: Run,
  { volumes }: Snapshots,
): Promise<Readonly<Record<Disk, string>>> {
  const classes = await readRetainingClasses(cluster, run);
  const nameOf = ({ driver, class: taken }: SnapshotVolume): string => {
    const fitting = classes.filter((each) => each.driver === driver);
    const found = fitting.find(({ name }) => name === taken) ?? fitting[0];
    if (found) return found.name;
    throw permanentError(
      "NoSnapshotClass",
      `No volume can be made from the snapshots: the cluster has no VolumeSnapshotClass of ${driver} that retains`,
      "Make one for the storage driver that they were taken by; if the cluster has that driver no more, they are lost.",
    );
  };
  return { files: nameOf(volumes.files), database: nameOf(volumes.database) };
}

async function makePair(
  place: VolumeContext,
  run: Run,
  disk: Disk,
  { handle, driver }: SnapshotVolume,
  volumeSnapshotClassName: string,
): Promise<void> {
  const { cluster, space, inputs } = place, { turn } = originOf(place), { namespace } = space;
  const name = sourceName(disk, turn), content = contentName(namespace, disk, turn);
  const labels = labelsOf(inputs);
  await cluster.createGlobal({
    ...SNAPSHOT_CONTENT,
    metadata: { name: content, labels },
    spec: {
      deletionPolicy: "Retain",
      driver,
      source: { snapshotHandle: handle },
      sourceVolumeMode: "Filesystem",
      volumeSnapshotClassName,
      volumeSnapshotRef: { ...VOLUME_SNAPSHOT, namespace, name },
    },
  }, run);
  const spec = { volumeSnapshotClassName, source: { volumeSnapshotContentName: content } };
  await space.create({ ...VOLUME_SNAPSHOT, metadata: { name, labels }, spec }, run);
}
