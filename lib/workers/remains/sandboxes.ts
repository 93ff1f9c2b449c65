/**
 * Removes what the storage keeps of sandboxes that are gone: of templates that no row knows, and of restore tests. It is found
 * by the names of the release alone, so it is also found where a row was lost or was never written. Nothing in it is
 * anybody's: a template has no people, and a restore test has a copy of a backup that stays.
 *
 * What spokes have left is never removed here, since it may be all that is left of somebody's data: see `wheelwright doctor --reconcile`.
 */
import type { App } from "#lib/app.ts";
import { isNeededSandbox, readNeededSandboxes } from "#lib/domains/templates/needed.ts";
import { type Cluster, ClusterError, type KubeObject } from "#lib/drivers/cluster/cluster.ts";
import type { Handler, Run } from "#lib/scheduler/handler.ts";
import { HOUR, MINUTE } from "#lib/base/time.ts";
import { CONTENT, retainNoMore } from "#lib/workers/backups/expired.ts";
import {
  isSandboxOf,
  readContent,
  readReleasedVolume,
  type RemainingContent,
  VOLUME,
} from "#lib/workers/remains/remains.ts";
import { upkeep } from "#lib/workers/upkeep/upkeep.ts";

const PAGE = 500;
/** For one cluster: one that does not answer must not delay the others. */
const PATIENCE = 10 * MINUTE;

export function removeRemains(app: App): Handler {
  return upkeep({ kind: "remove-remains", every: HOUR }, {
    sandboxes: ["Removing what sandboxes have left in the storage", HOUR, async (run) => {
      await Promise.all((await clusterNames(app)).map((name) => removeIn(app, run, name)));
    }],
  });
}

async function clusterNames({ db, catalog, clusters }: App): Promise<string[]> {
  const rows = await db.rows.selectFrom("federations").select("cluster").distinct().where("state", "<>", "removed")
    .execute();
  const places = [null, ...catalog.regions.map(({ name }) => name)].map((region) => clusters.clusterFor(region));
  return [...new Set([...places, ...rows.map(({ cluster }) => cluster)])];
}

/** What cannot be removed now is tried again in an hour. */
async function removeIn(app: App, run: Run, name: string): Promise<void> {
  const signal = AbortSignal.any([run.signal, AbortSignal.timeout(PATIENCE)]), patient = { ...run, signal };
  try {
    await removeAll(app, patient, await app.clusters.open(name));
  } catch (error) {
    run.signal.throwIfAborted();
    run.throwIfStopped();
    if (!(error instanceof ClusterError) && !signal.aborted) throw error;
    run.log.warn("Cannot remove what sandboxes have left in the storage; trying again in an hour", {
      cluster: name,
      error,
    });
  }
}

async function removeAll({ config, db }: App, run: Run, cluster: Cluster): Promise<void> {
  const isSandbox = (namespace: string): boolean => isSandboxOf(namespace, config.releaseId);
  const contents = (await listAll(cluster, run, CONTENT)).flatMap((each) => readContent(each, isSandbox) ?? []);
  const volumes = (await listAll(cluster, run, VOLUME)).flatMap((each) => readReleasedVolume(each, isSandbox) ?? []);
  if (contents.length + volumes.length === 0) return;
  const needed = await readNeededSandboxes(db.rows), namespaces = new Map<string, boolean>();
  const isOver = async (namespace: string): Promise<boolean> => {
    if (isNeededSandbox(needed, namespace)) return false;
    if (!namespaces.has(namespace)) {
      namespaces.set(namespace, await cluster.findNamespace(namespace, run) !== null);
    }
    return !namespaces.get(namespace);
  };
  for (const content of contents) {
    if (needed.contents.has(content.object.metadata.name) || !await isOver(content.namespace)) continue;
    await removeContent(cluster, run, content);
  }
  for (const { object, namespace } of volumes) {
    if (await isOver(namespace)) await removeVolume(cluster, run, object);
  }
}

/** A kind that the cluster does not know, or that the account may not list, has nothing to show. */
async function listAll(cluster: Cluster, run: Run, kind: typeof CONTENT): Promise<KubeObject[]> {
  const found: KubeObject[] = [];
  try {
    let page = await cluster.listPage(kind, { selector: "", limit: PAGE }, run);
    found.push(...page.items);
    while (page.next !== null) {
      page = await cluster.listPage(kind, { selector: "", limit: PAGE, next: page.next }, run);
      found.push(...page.items);
    }
    return found;
  } catch (error) {
    if (error instanceof ClusterError && [403, 404].includes(error.status)) return [];
    throw error;
  }
}

/** Data that was cut goes with its content. Data that another content or backup names is never touched. */
async function removeContent(cluster: Cluster, run: Run, { object, kind }: RemainingContent): Promise<void> {
  const { name, uid, deletionTimestamp } = object.metadata;
  if (deletionTimestamp) return;
  if (kind === "source" && object["spec"].deletionPolicy !== "Retain") return;
  if (kind === "cut") await retainNoMore(cluster, run, object);
  await cluster.deleteGlobal({ ...CONTENT, name }, uid!, run);
  run.log.info("Removed a snapshot content of a sandbox that is gone", { cluster: cluster.name, content: name, kind });
}

/** The storage driver deletes a released volume once its policy says so. */
async function removeVolume(cluster: Cluster, run: Run, object: KubeObject): Promise<void> {
  await cluster.patchGlobal({ ...VOLUME, name: object.metadata.name }, [
    { op: "test", path: "/spec/claimRef/uid", value: object["spec"].claimRef.uid },
    { op: "replace", path: "/spec/persistentVolumeReclaimPolicy", value: "Delete" },
  ], run);
  run.log.info("Released a volume of a sandbox that is gone", {
    cluster: cluster.name,
    volume: object.metadata.name,
  });
}
