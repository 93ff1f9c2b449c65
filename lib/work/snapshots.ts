/**
 * The last snapshot of a spoke that is going, where the cluster can take one that stays.
 *
 * Snapshots are namespaced and go with the namespace; with a class that retains, the contents behind them stay, and their
 * names are kept in the audit. A cluster that cannot do this does not keep a spoke from being removed.
 */
import { FEDERATION, MANAGED_BY, SPOKE } from "#lib/blueprint/names.ts";
import { ClusterError, type KubeObject, type Space } from "#lib/cluster/cluster.ts";
import { messageOf } from "#lib/errors.ts";
import type { Run } from "#lib/scheduler/handler.ts";
import { type GuardedCluster, note, type SpokeSite, waiting } from "#lib/work/site.ts";

const API = "snapshot.storage.k8s.io/v1";
const SNAPSHOT = { apiVersion: API, kind: "VolumeSnapshot" };
const CLASS = { apiVersion: API, kind: "VolumeSnapshotClass" };
const CLAIMS = { files: "files", db: "data-db-0" } as const;
const PROVISIONER = "volume.kubernetes.io/storage-provisioner"; // the cluster's own annotation
const TRIES = 3;

export async function takeLastSnapshot({ spoke, cluster, inputs }: SpokeSite, run: Run): Promise<void> {
  if (spoke.ready_at === null || spoke.namespace_uid === null) return; // there never was anything to keep
  try {
    const space = cluster.space(spoke.namespace, spoke.namespace_uid);
    const claims = await readClaims(space, run);
    const { snapshotClass } = inputs.surroundings;
    const className = await findRetainingClass(cluster, run, { name: snapshotClass, drivers: driversOf(claims) });
    if (className === null) {
      const which = snapshotClass === undefined ? "no snapshot class" : `no snapshot class ${snapshotClass}`;
      return await note(run, [`No last snapshot: the cluster has ${which} for these volumes that retains`]);
    }
    const labels = {
      [MANAGED_BY]: "wheelwright",
      [FEDERATION]: spoke.federation_id,
      [SPOKE]: spoke.id,
      backup: "last",
    };
    const names = await takeAll(space, run, { claims, className, labels });
    await run.remember({ snapshots: await contentsOf(space, run, names) });
  } catch (error) {
    // One that is not ready when the step's time is over is not waited for again: somebody asked for a removal.
    const passing = error instanceof ClusterError && error.transient && error.code !== "deadline";
    if (!(error instanceof ClusterError) || passing && run.job.attempt < TRIES) throw error;
    run.log.warn("Removes a spoke without a last snapshot", { error });
    await note(run, [`No last snapshot: ${messageOf(error)}`]);
  }
}

/** The volumes' claims that are there, by the short names of their snapshots. */
async function readClaims(space: Space, run: Run): Promise<ReadonlyMap<string, KubeObject>> {
  const claims = new Map<string, KubeObject>();
  for (const [short, name] of Object.entries(CLAIMS)) {
    const claim = await space.get({ apiVersion: "v1", kind: "PersistentVolumeClaim", name }, { signal: run.signal });
    if (claim) claims.set(short, claim);
  }
  return claims;
}

/** Who made the volumes, as their claims say; a volume that was made by hand says nothing. */
function driversOf(claims: ReadonlyMap<string, KubeObject>): readonly string[] {
  return [...claims.values()].flatMap(({ metadata }) => metadata.annotations?.[PROVISIONER] ?? []);
}

/** The class that the surroundings name, or else the first; one that does not retain would go with the namespace. */
async function findRetainingClass(
  cluster: GuardedCluster,
  run: Run,
  wanted: { readonly name: string | undefined; readonly drivers: readonly string[] },
): Promise<string | null> {
  if (!await cluster.serves(CLASS, { signal: run.signal })) return null;
  const classes = await cluster.listAll(CLASS, "", { signal: run.signal });
  const fitting = classes.find(({ metadata, deletionPolicy, driver }) =>
    deletionPolicy === "Retain" && (wanted.name === undefined || metadata.name === wanted.name) &&
    wanted.drivers.every((each) => each === driver)
  );
  return fitting?.metadata.name ?? null;
}

/** Both volumes together. The names are the same for each holder, so that one that takes over finds what was begun. */
async function takeAll(
  space: Space,
  run: Run,
  { claims, className, labels }: {
    readonly claims: ReadonlyMap<string, KubeObject>;
    readonly className: string;
    readonly labels: Record<string, string>;
  },
): Promise<string[]> {
  const names: string[] = [];
  for (const [short, claim] of claims) {
    const name = `${short}-last`;
    const spec = {
      volumeSnapshotClassName: className,
      source: { persistentVolumeClaimName: claim.metadata.name },
    };
    await space.create({ ...SNAPSHOT, metadata: { name, labels }, spec }, { signal: run.signal });
    names.push(name);
  }
  await space.ready(names.map((name) => ({ ...SNAPSHOT, name })), waiting(run));
  return names;
}

async function contentsOf(space: Space, run: Run, names: readonly string[]): Promise<Record<string, unknown>[]> {
  const snapshots = await Promise.all(names.map((name) => space.get({ ...SNAPSHOT, name }, { signal: run.signal })));
  return snapshots.filter((found): found is KubeObject => found !== null).map((found) => ({
    claim: found["spec"]?.source?.persistentVolumeClaimName ?? null,
    content: found["status"]?.boundVolumeSnapshotContentName ?? null,
  }));
}
