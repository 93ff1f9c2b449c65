/**
 * Checks periodically whether the clusters respond. Logs each change, and reports unavailable clusters in readyz.
 *
 * If a cluster is unavailable, the replica still starts and accepts requests, and operations wait for the cluster. Only
 * an unusable kubeconfig prevents the start, because waiting would not fix it.
 */
import type { ClusterProvider } from "#lib/app.ts";
import { isClusterOverloaded } from "#lib/drivers/cluster/availability.ts";
import { ClusterError } from "#lib/drivers/cluster/cluster.ts";
import { openCluster } from "#lib/drivers/cluster/open.ts";
import { getErrorMessage, getErrorReason } from "#lib/base/errors.ts";
import { type Log, SILENT_LOG } from "#lib/base/log.ts";
import { SECOND, sleep, withTimeout } from "#lib/base/time.ts";
import type { ClusterConnectionSource } from "./clusters.ts";
import { CommandError, EXIT } from "./cli/exit-status.ts";

const UNREACHABLE_MESSAGE = "The cluster does not respond. Operations that need it are waiting";
const BUSY_MESSAGE = "The cluster is busy. Operations that need it are waiting";
const SOME_UNREACHABLE_MESSAGE = "clusters do not respond. Operations that need them are waiting";
const SOME_BUSY_MESSAGE = "clusters are busy. Operations that need them are waiting";
const REQUEST_TIMEOUT = 10 * SECOND;
const CHECK_INTERVAL = 30 * SECOND, UNAVAILABLE_CHECK_INTERVAL = 5 * SECOND;
/** How long startup waits for a kubeconfig error, in milliseconds. If none occurs by then, startup continues. */
const KUBECONFIG_TIMEOUT = 5 * SECOND;
/** How long startup waits for the first cluster checks, in milliseconds, so that readyz can report the results. */
const FIRST_CHECK_TIMEOUT = 2 * SECOND;

type Availability = "ok" | "busy" | "away";

interface ClusterWatch {
  /** Returns sentences about unavailable and busy clusters. Omits cluster names, because readyz is public. */
  notes(): readonly string[];
  close(): Promise<void>;
}

/** Throws a CommandError if the kubeconfig file cannot be read or used. */
export async function requireKubeconfig(source: ClusterConnectionSource): Promise<void> {
  const opening = openCluster({ name: "default", kubeconfig: source, log: SILENT_LOG });
  opening.then((cluster) => cluster.close(), () => {});
  const problem = await withTimeout(KUBECONFIG_TIMEOUT, opening.then(() => null, (error) => error));
  if (!(problem instanceof ClusterError && problem.code === "kubeconfig")) return;
  const message = `KUBECONFIG cannot be used: ${getErrorMessage(problem)}`;
  throw new CommandError(EXIT.config, message, { cause: problem });
}

/** Checks all clusters now, and then periodically until closed. Returns once the first checks end or time out. */
export async function watchClusters(
  clusters: Pick<ClusterProvider, "open">,
  names: readonly string[],
  log: Log,
): Promise<ClusterWatch> {
  const end = new AbortController();
  const answers = new Map<string, Availability>();
  const isAway = () => [...answers.values()].some((answer) => answer !== "ok");
  const first = Promise.all(names.map(checkCluster));
  const watching = watch();
  await withTimeout(FIRST_CHECK_TIMEOUT, first);

  async function watch(): Promise<void> {
    for (let checks: Promise<unknown> = first; !end.signal.aborted; checks = Promise.all(names.map(checkCluster))) {
      await checks;
      await sleep(isAway() ? UNAVAILABLE_CHECK_INTERVAL : CHECK_INTERVAL, end.signal).catch(() => {});
    }
  }

  async function checkCluster(name: string): Promise<void> {
    const before = answers.get(name);
    try {
      const version = await versionOf(name);
      answers.set(name, "ok");
      if (before !== "ok") log.info("The cluster responds", { cluster: name, version });
    } catch (error) {
      if (end.signal.aborted) return;
      const now = error instanceof ClusterError && isClusterOverloaded(error) ? "busy" : "away";
      answers.set(name, now);
      const cause = error instanceof ClusterError && error.code === "unreachable" ? error.cause : error;
      if (before !== now) {
        log.warn(now === "busy" ? BUSY_MESSAGE : UNREACHABLE_MESSAGE, { cluster: name, reason: getErrorReason(cause) });
      }
    }
  }

  async function versionOf(name: string): Promise<string> {
    const cluster = await clusters.open(name);
    return await cluster.version({ signal: AbortSignal.any([end.signal, AbortSignal.timeout(REQUEST_TIMEOUT)]) });
  }

  return {
    notes() {
      const count = (which: Availability): number => [...answers.values()].filter((answer) => answer === which).length;
      const note = (which: Availability, one: string, some: string): readonly string[] =>
        count(which) === 0 ? [] : [names.length === 1 ? one : `${count(which)} of ${names.length} ${some}`];
      return [
        ...note("away", UNREACHABLE_MESSAGE, SOME_UNREACHABLE_MESSAGE),
        ...note("busy", BUSY_MESSAGE, SOME_BUSY_MESSAGE),
      ];
    },
    async close() {
      end.abort();
      await watching;
    },
  };
}
