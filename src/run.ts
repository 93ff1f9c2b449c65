/**
 * Runs the program until the process receives a stop signal, and then shuts down in phases. Running requests and steps
 * have time to finish, finished steps are never lost, and clients of event streams reconnect to another replica.
 *
 *   signal ------- notice -------> closed ---- rest of the grace ----> closing ---- 5 s at most ----> ended
 *   readyz returns 503,            new connections are refused,        open requests are cut,
 *   requests are accepted,         event streams end,                  unfinished jobs are released,
 *   running steps continue         running requests may end            connections are closed
 *
 * SHUTDOWN_GRACE_MS limits all phases together. The last fifth of this time, but at most 5 s, is reserved for closing.
 * Afterwards, the process abandons unfinished work, such as a query to a database that does not respond.
 *
 * A proxy sends requests until it checks readyz again. So the server accepts requests during the notice phase, and
 * closes each connection after its response. Event streams stay open during this phase, because clients would reconnect
 * to this replica.
 */
import type { Config } from "#lib/base/config.ts";
import { type MetricsServer, startMetricsServer } from "#lib/metrics/server.ts";
import { getErrorMessage } from "#lib/base/errors.ts";
import { SECOND, sleep, withTimeout } from "#lib/base/time.ts";
import { describeDatabaseHold } from "#lib/installation/database-hold.ts";
import { watchClusters } from "./cluster-watch.ts";
import { createListenError } from "./commands/listen-error.ts";
import type { Program } from "./compose.ts";
import type { HttpListener } from "./listen.ts";
import { readGauges } from "./read-gauges.ts";
import { openServer, type Server } from "./server.ts";
import { handleStopSignals, type StopSignals } from "./stop-signals.ts";

const CLOSING_TIME = 5 * SECOND; // the maximum part of SHUTDOWN_GRACE_MS that is reserved for closing
const MIN_SHUTDOWN_TIME = SECOND; // the minimum time for the whole shutdown, even if SHUTDOWN_GRACE_MS is shorter

interface RunningProgram {
  readonly port: number;
  /** Resolves when the program has stopped: to true if all work ended, or to false if some work was abandoned. */
  readonly stopped: Promise<boolean>;
}

/** Starts listening for requests, and runs the program until it receives a signal. */
export async function runUntilStopped(
  program: Program,
  { signalName }: StopSignals = handleStopSignals(),
): Promise<RunningProgram> {
  const { app } = program;
  let stopping = false;
  const watch = await watchClusters(app.clusters, program.clusterNames, app.log);
  const server = openServer(app, program.manifest, {
    isSchedulerReady: () => program.scheduler?.ready() ?? true,
    isRunning: () => !stopping,
    notes: () => [...watch.notes(), ...holdNotes(app)],
    calls: program.calls,
  });
  const metrics = await serveMetrics(program, server).catch(closeAndRethrow(watch));
  const { port, closeAfterNextAnswer: leave, close } = await listenOrExplain(server, app.config).catch(
    closeAndRethrow(watch, metrics),
  );
  const stopped = signalName.then(async (signal) => {
    app.log.info("Stopping: waiting for running requests and steps", { signal });
    const { shutdownGraceMs: grace, shutdownNoticeMs } = app.config;
    const working = grace - Math.min(CLOSING_TIME, grace / 5), notice = Math.min(working, shutdownNoticeMs);
    stopping = true;
    const stop = async (): Promise<true> => {
      try {
        const drained = program.drain(working);
        drained.catch(() => {}); // `Promise.all` below reports the error
        leave();
        await sleep(notice);
        program.endStreams();
        const ends = [close(working - notice), drained, watch.close()];
        await Promise.allSettled(ends); // waits for all three, even if one fails
        await metrics?.close(); // closed last, so that metrics still show running work
        await Promise.all(ends);
        await program.close();
      } catch (error) {
        app.log.error("The shutdown failed. Another replica will resume the running jobs", {
          reason: getErrorMessage(error),
        });
      }
      return true;
    };
    const ended = await withTimeout(Math.max(grace, MIN_SHUTDOWN_TIME), stop());
    if (!ended) {
      app.log.warn("Stopped before all work was finished, because SHUTDOWN_GRACE_MS expired");
    }
    return ended === true;
  });
  return { port, stopped };
}

/** Returns an error handler for a failed startup. The handler closes the given parts and rethrows the error. */
function closeAndRethrow(
  ...opened: readonly ({ close(): Promise<void> } | null)[]
): (error: unknown) => Promise<never> {
  return async (error) => {
    for (const each of opened) await each?.close();
    throw error;
  };
}

async function serveMetrics(program: Program, server: Server): Promise<MetricsServer | null> {
  const { metrics, app: { config: { host, metricsPort }, log } } = program;
  if (!metrics || metricsPort === null) return null;
  const { registry } = metrics, address = { host, port: metricsPort };
  const text = () => registry.text(readGauges(program, metrics.fleet.last(), server));
  try {
    const listening = await startMetricsServer({ contentType: registry.contentType, text }, address);
    log.info(`Serving metrics without authentication on ${host}:${metricsPort}/metrics`);
    return listening;
  } catch (cause) {
    throw createListenError(address, cause, "METRICS_PORT");
  }
}

/** Returns a note for readyz if jobs are on hold after a database restore. The replica still handles requests. */
function holdNotes({ held }: Program["app"]): string[] {
  const hold = held();
  return hold ? [describeDatabaseHold(hold)] : [];
}

async function listenOrExplain(server: Server, config: Config): Promise<HttpListener> {
  try {
    return await server.listen(config);
  } catch (cause) {
    throw createListenError(config, cause);
  }
}
