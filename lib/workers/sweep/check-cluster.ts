/**
 * Watches a cluster with many spokes: lists all objects, then checks only spokes whose objects change. Half an hour
 * later, or when a watch ends or very many spokes change, the job ends. The sweep (the periodic check) then queues a
 * new `check-cluster` job, which lists all objects again and so finds changes that a watch has missed. Without
 * permission to watch, each job only lists the objects.
 */
import type { App } from "#lib/app.ts";
import { runCancellable } from "#lib/base/cancellation.ts";
import { sleep } from "#lib/base/time.ts";
import { isClusterUnavailable } from "#lib/drivers/cluster/availability.ts";
import { ClusterError } from "#lib/drivers/cluster/cluster.ts";
import { type Drift, isCorrectable } from "#lib/domains/spokes/drift.ts";
import { MANAGED_BY_LABEL, SPOKE_LABEL } from "#lib/drivers/cluster/guard.ts";
import { isReleaseNamespaceName } from "#lib/moodle/names.ts";
import type { JobRun } from "#lib/scheduler/handler.ts";
import {
  type CheckedCluster,
  checkSecrets,
  checkSpokes,
  getObjectNamespace,
  saveHealthResults,
  type SweepResult,
} from "#lib/workers/sweep/check-spokes.ts";
import { type ChangedNamespaces, trackChangedNamespaces } from "#lib/workers/sweep/changed-spokes.ts";
import { POD_RESOURCE } from "#lib/workers/sweep/pods.ts";
import {
  type CheckedSpoke,
  countSpokesToCheck,
  readChangedNamespaces,
  readSpokesToCheck,
  type SpokeHealth,
} from "#lib/workers/sweep/rows.ts";
import {
  type CheckedResource,
  type ClusterCheck,
  readPages,
  SPOKE_SELECTOR,
  type SweepPace,
} from "#lib/workers/sweep/spoke-facts.ts";

/** In a watched cluster, pauses between pages are this many times shorter, because full lists are rare. */
const PAUSE_DIVISOR = 6;
/** The maximum number of changed spokes that are checked together. */
const BATCH = 20;
/**
 * If more than `FEW` spokes and more than one in `SHARE` change, the whole cluster is listed again. This takes fewer
 * API calls than checking each spoke, which takes a dozen calls.
 */
const FEW = 100, SHARE = 100;
/** The number of spokes whose Secrets are checked together. It is small, so that changed spokes are checked soon. */
const SAMPLE = 5;

/** The number of consecutive failures that end the watch. The next job then lists the whole cluster again. */
const MAX_FAILURES = 2;

/** A watched cluster, with the latest results of the checks of its spokes. */
interface WatchedCluster extends CheckedCluster {
  readonly name: string;
  readonly changes: ChangedNamespaces;
  /** The unhealthy spokes. The keys are their namespaces. */
  readonly unhealthy: Map<string, SpokeHealth>;
  /** The namespaces of spokes that must be checked again within a minute. */
  readonly recheck: Set<string>;
}

export async function checkCluster(app: App, run: JobRun, name: string, pace: SweepPace): Promise<void> {
  const count = await countSpokesToCheck(app.db.rows, name);
  if (count === 0) return;
  const site = { app, run, cluster: await app.clusters.open(name), pace };
  if (count >= pace.watch.minSpokes && await canWatch(site)) {
    const watched = {
      ...site,
      name,
      changes: trackChangedNamespaces(),
      unhealthy: new Map(),
      recheck: new Set<string>(),
    };
    return await runCancellable([run.signal, run.leaving], null, (signal) => follow(watched, count, signal));
  }
  const list: ClusterCheck["list"] = async (kind, take) => void await readPages(site.cluster, run, kind, pace, take);
  await checkSpokes(site, await readSpokesToCheck(app.db.rows, name), { list, counted: true });
}

/**
 * Returns whether Wheelwright may watch the cluster. Tests only ConfigMaps, because the default role permits watching
 * either all kinds of objects or none. Without permission, each check lists all objects instead.
 */
async function canWatch({ cluster, run }: CheckedCluster): Promise<boolean> {
  const isAllowed = await cluster.allows({ verb: "watch", group: "", resource: "configmaps" }, run);
  if (!isAllowed) {
    run.log.warn("No permission to watch a cluster with many spokes; listing its objects", { cluster: cluster.name });
  }
  return isAllowed;
}

async function follow(watched: WatchedCluster, count: number, signal: AbortSignal): Promise<void> {
  const { app, run, pace, changes } = watched;
  const until = performance.now() + pace.watch.relistMs, manyChanges = Math.max(FEW, Math.ceil(count / SHARE));
  let since = await app.db.now();
  await checkAll(watched, signal);
  let minute = performance.now() + pace.watch.failedCheckMs, failures = 0;
  for (;;) {
    await changes.notifier.waitForNotification(Math.max(0, Math.min(minute, until) - performance.now()), signal);
    await sleep(pace.watch.burstMs, signal);
    const lost = changes.lostWatch();
    if (lost) run.log.warn("Listing a cluster again: a watch has ended", { cluster: watched.name, error: lost.error });
    if (lost || changes.size() > manyChanges || performance.now() >= until) return;
    try {
      if (performance.now() >= minute) {
        minute = performance.now() + pace.watch.failedCheckMs;
        since = await runMinuteChecks(watched, since);
        failures = 0;
      }
      await checkChanges(watched);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ClusterError) || !error.transient) throw error;
      if (isClusterUnavailable(error) && ++failures >= MAX_FAILURES) throw error;
      run.log.warn("Cannot check the changed spokes of a cluster", { cluster: watched.name, error });
    }
  }
}

function withShorterPauses(pace: SweepPace): SweepPace {
  return { ...pace, pauseMs: pace.pauseMs / PAUSE_DIVISOR };
}

/** Checks all spokes in the cluster once, and starts to watch the cluster for changes. */
async function checkAll(watched: WatchedCluster, signal: AbortSignal): Promise<void> {
  const spokes = await readSpokesToCheck(watched.app.db.rows, watched.name);
  const ownNamespaces = new Set(spokes.map(({ namespace }) => namespace)), { releaseId } = watched.app.config;
  const isOwn = (namespace: string): boolean =>
    ownNamespaces.has(namespace) || isReleaseNamespaceName(namespace, releaseId);
  storeResult(
    watched,
    await checkSpokes(watched, spokes, { list: listAndWatch(watched, isOwn, signal), counted: true }),
  );
}

/**
 * Lists the objects of each kind, then watches for changes from that list onwards, so that no change is missed. Ignores
 * objects in namespaces of other installations.
 */
function listAndWatch(
  { run, cluster, pace, changes }: WatchedCluster,
  isOwn: (namespace: string) => boolean,
  signal: AbortSignal,
): ClusterCheck["list"] {
  const watch = async (kind: CheckedResource, version: string): Promise<void> => {
    try {
      const from = { selector: SPOKE_SELECTOR, version };
      for await (const change of cluster.follow(kind, from, { check: run.throwIfStopped, signal })) {
        if (isOwn(getObjectNamespace(change.object))) changes.recordChange(change);
      }
    } catch (error) {
      if (!signal.aborted) changes.recordLostWatch(error);
    }
  };
  return async (kind, take) => {
    // Does not watch pods, because their status changes often. When a site's pod is replaced, the status of its
    // Deployment changes too.
    if (kind.kind === POD_RESOURCE.kind) {
      return void await readPages(cluster, run, kind, withShorterPauses(pace), take);
    }
    const version = await readPages(cluster, run, kind, withShorterPauses(pace), async (objects) => {
      changes.recordListed(objects);
      await take(objects);
    });
    void watch(kind, version);
  };
}

/**
 * Runs the checks that are due every minute: schedules a check of spokes that operations have changed, checks the
 * Secrets of some spokes, and counts one more failed check for each unhealthy spoke.
 */
async function runMinuteChecks(watched: WatchedCluster, since: Date): Promise<Date> {
  const { app, run, cluster, pace, name, changes, unhealthy, recheck } = watched, now = await app.db.now();
  await cluster.identity(run); // throws if the cluster does not respond, before anything is changed
  // Reads one minute further back, because a transaction may be committed later than the `updatedAt` it writes.
  const changed = await readChangedNamespaces(app.db.rows, name, new Date(since.getTime() - pace.watch.failedCheckMs));
  const due = [...recheck, ...changed];
  recheck.clear();
  for (const namespace of due) unhealthy.delete(namespace);
  changes.add(due);
  await saveHealthResults(run, now, [...unhealthy.values()]);
  const sample = pickSome(changes.listNamespaces(), pace.maxComparisons / SAMPLE);
  const undrifted = (await readSpokesToCheck(app.db.rows, name, sample)).filter(({ drift }) =>
    drift === null || !isCorrectable(drift as Drift)
  );
  for (let i = 0; i < undrifted.length && changes.size() === 0; i += SAMPLE) {
    await checkSecrets(watched, undrifted.slice(i, i + SAMPLE));
  }
  return now;
}

async function checkChanges(watched: WatchedCluster): Promise<void> {
  const { app, name, changes, recheck } = watched;
  for (
    let namespaces = changes.take(BATCH);
    namespaces.length > 0 && !changes.lostWatch();
    namespaces = changes.take(BATCH)
  ) {
    try {
      const spokes = await readSpokesToCheck(app.db.rows, name, namespaces);
      for (const namespace of namespaces) watched.unhealthy.delete(namespace);
      if (spokes.length === 0) continue;
      const site = { ...watched, pace: withShorterPauses(watched.pace) };
      storeResult(watched, await checkSpokes(site, spokes, { list: listEach(watched, spokes), counted: false }));
    } catch (error) {
      for (const namespace of namespaces) recheck.add(namespace);
      throw error;
    }
  }
}

function storeResult({ unhealthy, recheck }: WatchedCluster, { unhealthy: found, recheck: again }: SweepResult): void {
  for (const [namespace, health] of found) unhealthy.set(namespace, health);
  for (const namespace of again) recheck.add(namespace);
}

/** Creates a function that lists the same kinds of objects as a full list, but only in the spokes' namespaces. */
function listEach({ run, cluster }: WatchedCluster, spokes: readonly CheckedSpoke[]): ClusterCheck["list"] {
  return async (kind, take) => {
    for (const { namespace } of spokes) {
      const found = kind.kind === "Namespace"
        ? [await cluster.findNamespace(namespace, run)]
        : await cluster.listUnder(kind, namespace, run);
      await take(
        found.filter((object) => object !== null).filter(({ metadata: { labels = {} } }) =>
          labels[MANAGED_BY_LABEL] === "wheelwright" && SPOKE_LABEL in labels
        ),
      );
    }
  };
}

function pickSome(all: readonly string[], most: number): string[] {
  return Array.from({ length: Math.min(all.length, most) }, () => all[Math.floor(Math.random() * all.length)]!);
}
