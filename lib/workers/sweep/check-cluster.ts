/**
 * Watches a cluster with many spokes: lists all objects once, then receives changes. Checks only changed spokes again.
 *   list all, watch from each list --> check changed spokes, count failed checks each minute --> half an hour is over
 *        ^                                                      |                                                 |
 *        +---- a watch is lost (410) or refused, or very many have changed ----+----------------------------------+
 * All of this is one run of the job `look`, which the sweep queues again within a minute. A replica that takes over the
 * job starts with the lists. The lists are repeated every half hour, to find changes that a watch missed.
 */
import type { App } from "#lib/app.ts";
import { runWithin } from "#lib/base/cancellation.ts";
import { sleep } from "#lib/base/time.ts";
import { isClusterUnavailable } from "#lib/drivers/cluster/availability.ts";
import { ClusterError } from "#lib/drivers/cluster/cluster.ts";
import { MANAGED_BY_LABEL, SPOKE_LABEL } from "#lib/drivers/cluster/guard.ts";
import { belongsToRelease } from "#lib/moodle/names.ts";
import type { Run } from "#lib/scheduler/handler.ts";
import {
  checkSecrets,
  checkSpokes,
  namespaceOf,
  type SweepResult,
  type SweepSite,
  writeResults,
} from "#lib/workers/sweep/check-spokes.ts";
import { type ChangedSpokes, openChangedSpokes } from "#lib/workers/sweep/changed-spokes.ts";
import { SITE_POD } from "#lib/workers/sweep/images.ts";
import { countCandidates, type Health, readCandidates, readChanged, type SweptSpoke } from "#lib/workers/sweep/rows.ts";
import { eachPage, SELECTOR, type SweepCheck, type SweepPace, type SweptKind } from "#lib/workers/sweep/spoke-facts.ts";

/** The divisor of the pauses between pages of a full list. Full lists are rare while a cluster is watched. */
const HASTE = 6;
/** The maximum number of changed spokes that are checked together. */
const BATCH = 20;
/**
 * If more than this number of spokes and more than this share (one in a hundred) have changed, the cluster is listed
 * again. That is cheaper, because a check of one spoke takes a dozen calls.
 */
const FEW = 100, SHARE = 100;
/** The number of spokes whose Secrets are checked at a time. It is small, so that changes do not wait for long. */
const SAMPLE = 5;

/** The number of consecutive failures after which watching ends. The next check lists the cluster again. */
const MISSED = 2;

/** The state of a watched cluster. */
interface Followed extends SweepSite {
  readonly name: string;
  readonly news: ChangedSpokes;
  /** Unhealthy spokes by namespace. */
  readonly ailing: Map<string, Health>;
  /** Namespaces to check again in the next minute. */
  readonly later: Set<string>;
}

export async function checkCluster(app: App, run: Run, name: string, pace: SweepPace): Promise<void> {
  const count = await countCandidates(app.db.rows, name);
  if (count === 0) return;
  const site = { app, run, cluster: await app.clusters.open(name), pace };
  if (count >= pace.follow.from && await mayWatch(site)) {
    const followed = { ...site, name, news: openChangedSpokes(), ailing: new Map(), later: new Set<string>() };
    return await runWithin([run.signal], null, (signal) => follow(followed, count, signal));
  }
  const list: SweepCheck["list"] = async (kind, take) => void await eachPage(site.cluster, run, kind, pace, take);
  await checkSpokes(site, await readCandidates(app.db.rows, name), { list, counted: true });
}

/**
 * Returns whether the credentials allow watching. The shipped role allows either all watched kinds or none. Without the
 * permission, the cluster is listed repeatedly.
 */
async function mayWatch({ cluster, run }: SweepSite): Promise<boolean> {
  const may = await cluster.allows({ verb: "watch", group: "", resource: "configmaps" }, run);
  if (!may) run.log.warn("May not watch a cluster with many spokes, and lists it instead", { cluster: cluster.name });
  return may;
}

async function follow(followed: Followed, count: number, signal: AbortSignal): Promise<void> {
  const { app, run, pace, news } = followed;
  const until = performance.now() + pace.follow.ms, many = Math.max(FEW, Math.ceil(count / SHARE));
  let since = await app.db.now();
  await lookAtAll(followed, signal);
  let minute = performance.now() + pace.follow.minute, missed = 0;
  for (;;) {
    await news.bell.waitForNotification(Math.max(0, Math.min(minute, until) - performance.now()), signal);
    await sleep(pace.follow.gap, signal);
    const lost = news.lost();
    if (lost) run.log.warn("Lists a cluster again: a watch was lost", { cluster: followed.name, error: lost.error });
    if (lost || news.size() > many || performance.now() >= until) return;
    try {
      if (performance.now() >= minute) {
        minute = performance.now() + pace.follow.minute;
        since = await passMinute(followed, since);
        missed = 0;
      }
      await lookAtNews(followed);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ClusterError) || !error.transient) throw error;
      if (isClusterUnavailable(error) && ++missed >= MISSED) throw error;
      run.log.warn("Cannot look at spokes that have changed", { cluster: followed.name, error });
    }
  }
}

function hasty(pace: SweepPace): SweepPace {
  return { ...pace, pauseMs: pace.pauseMs / HASTE };
}

/** Checks all spokes once, and starts the watches. */
async function lookAtAll(followed: Followed, signal: AbortSignal): Promise<void> {
  const spokes = await readCandidates(followed.app.db.rows, followed.name);
  const known = new Set(spokes.map(({ namespace }) => namespace)), { releaseId } = followed.app.config;
  const isOwn = (namespace: string): boolean => known.has(namespace) || belongsToRelease(namespace, releaseId);
  keep(followed, await checkSpokes(followed, spokes, { list: listAndWatch(followed, isOwn, signal), counted: true }));
}

/**
 * Lists each kind and then watches it from the version of the list, so that no change is missed. Ignores changes in
 * namespaces of other installations.
 */
function listAndWatch(
  { run, cluster, pace, news }: Followed,
  isOwn: (namespace: string) => boolean,
  signal: AbortSignal,
): SweepCheck["list"] {
  const watch = async (kind: SweptKind, version: string): Promise<void> => {
    try {
      const from = { selector: SELECTOR, version };
      for await (const change of cluster.follow(kind, from, { check: run.throwIfStopped, signal })) {
        if (isOwn(namespaceOf(change.object))) news.hear(change);
      }
    } catch (error) {
      if (!signal.aborted) news.lose(error);
    }
  };
  return async (kind, take) => {
    // Statuses of pods change often, so pods are not watched. The Deployment's status shows when a site's pod is
    // replaced.
    if (kind.kind === SITE_POD.kind) return void await eachPage(cluster, run, kind, hasty(pace), take);
    const version = await eachPage(cluster, run, kind, hasty(pace), async (objects) => {
      news.list(objects);
      await take(objects);
    });
    void watch(kind, version);
  };
}

/**
 * Runs the checks of each minute. It checks spokes that an operation has changed and a few Secrets. It also counts one
 * more failed check for each unhealthy spoke.
 */
async function passMinute(followed: Followed, since: Date): Promise<Date> {
  const { app, run, cluster, pace, name, news, ailing, later } = followed, now = await app.db.now();
  await cluster.identity(run); // throws if the cluster does not answer, before anything is changed
  // A change may be committed later than the time in its row, so the query starts a minute earlier.
  const changed = await readChanged(app.db.rows, name, new Date(since.getTime() - pace.follow.minute));
  const due = [...later, ...changed];
  later.clear();
  for (const namespace of due) ailing.delete(namespace);
  news.add(due);
  await writeResults(run, now, [...ailing.values()]);
  const sample = pickSome(news.known(), pace.asks / SAMPLE);
  const sure = (await readCandidates(app.db.rows, name, sample)).filter(({ drift }) => drift === null);
  for (let i = 0; i < sure.length && news.size() === 0; i += SAMPLE) {
    await checkSecrets(followed, sure.slice(i, i + SAMPLE));
  }
  return now;
}

async function lookAtNews(followed: Followed): Promise<void> {
  const { app, name, news, later } = followed;
  for (let namespaces = news.take(BATCH); namespaces.length > 0 && !news.lost(); namespaces = news.take(BATCH)) {
    try {
      const spokes = await readCandidates(app.db.rows, name, namespaces);
      for (const namespace of namespaces) followed.ailing.delete(namespace);
      if (spokes.length === 0) continue;
      const site = { ...followed, pace: hasty(followed.pace) };
      keep(followed, await checkSpokes(site, spokes, { list: listEach(followed, spokes), counted: false }));
    } catch (error) {
      for (const namespace of namespaces) later.add(namespace);
      throw error;
    }
  }
}

function keep({ ailing, later }: Followed, { ailing: found, again }: SweepResult): void {
  for (const [namespace, health] of found) ailing.set(namespace, health);
  for (const namespace of again) later.add(namespace);
}

/** Returns a function that reads the same objects as the full lists, but only of these spokes. */
function listEach({ run, cluster }: Followed, spokes: readonly SweptSpoke[]): SweepCheck["list"] {
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
