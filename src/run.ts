/**
 * Runs a composed program until it is told to stop, and then drains it: no request is cut that can end in time, no step
 * of an installation is lost, and streams are told to come back.
 *
 *   told to stop ---- notice ----> closed ---- rest of the grace ----> closing ---- 5 s at most ----> ended
 *   readyz says 503,               nobody new is taken,               what is left is cut,
 *   requests are taken,            streams end,                       steps are given back,
 *   steps under way may end        what was taken may end             connections are closed
 *
 * The grace is one budget for all of this: its last fifth is for closing. What has not ended by then, such as a statement
 * of a database that does not answer, is abandoned, and the process ends.
 *
 * A proxy goes on sending requests until it has looked at readyz, or was told by somebody who has. Whom nobody listens to
 * any more before that, is refused. So for the notice all goes on, each answer ends its connection, and a stream that ended
 * would come back to this very replica.
 */
import type { Config } from "#lib/base/config.ts";
import { type MetricsServer, startMetricsServer } from "#lib/metrics/server.ts";
import { messageOf } from "#lib/base/errors.ts";
import { SECOND, sleep, withTimeout } from "#lib/base/time.ts";
import { describeDatabaseHold } from "#lib/installation/database-hold.ts";
import { watchClusters } from "./cluster-watch.ts";
import { cannotListen } from "./commands/cannot-listen.ts";
import type { Program } from "./compose.ts";
import type { Listening } from "./listen.ts";
import { readingsOf } from "./readings.ts";
import { openServer, type Server } from "./server.ts";
import { awaitStop, type Stop } from "./stop.ts";

const CLOSING = 5 * SECOND; // at most, of the grace
const LEAST = SECOND; // for closing, however short the grace is

interface Running {
  readonly port: number;
  /** Resolves when the program has stopped: whether nothing of it was abandoned. */
  readonly stopped: Promise<boolean>;
}

/** Listens, and from then on runs until it is told to stop. */
export async function runUntilStopped(program: Program, { told }: Stop = awaitStop()): Promise<Running> {
  const { app } = program;
  let stopping = false;
  const watch = await watchClusters(app.clusters, program.clusterNames, app.log);
  const server = openServer(app, program.manifest, {
    ready: () => program.scheduler?.ready() ?? true,
    stays: () => !stopping,
    notes: () => [...watch.notes(), ...holdNotes(app)],
    calls: program.calls,
  });
  const metrics = await serveMetrics(program, server).catch(closing(watch));
  const { port, leave, close } = await listen(server, app.config).catch(closing(watch, metrics));
  const stopped = told.then(async (signal) => {
    app.log.info("Stopping: requests and steps under way may end, the rest is given back", { signal });
    const { shutdownGraceMs: grace, shutdownNoticeMs } = app.config;
    const working = grace - Math.min(CLOSING, grace / 5), notice = Math.min(working, shutdownNoticeMs);
    stopping = true;
    const stop = async (): Promise<true> => {
      try {
        const drained = program.drain(working);
        drained.catch(() => {}); // reported below, after the notice
        leave();
        await sleep(notice);
        program.endStreams();
        const ends = [close(working - notice), drained, watch.close()];
        await Promise.allSettled(ends); // one that fails cuts no other short
        await metrics?.close(); // to the end it tells what is still under way
        await Promise.all(ends);
        await program.close();
      } catch (error) {
        app.log.error("Something did not stop cleanly; the database knows what was under way", {
          reason: messageOf(error),
        });
      }
      return true;
    };
    const ended = await withTimeout(Math.max(grace, LEAST), stop());
    if (!ended) {
      app.log.warn("Stopped at the end of SHUTDOWN_GRACE_MS: something did not end in time and was abandoned");
    }
    return ended === true;
  });
  return { port, stopped };
}

/** For what cannot start: it leaves nothing behind that listens. */
function closing(...opened: readonly ({ close(): Promise<void> } | null)[]): (error: unknown) => Promise<never> {
  return async (error) => {
    for (const each of opened) await each?.close();
    throw error;
  };
}

async function serveMetrics(program: Program, server: Server): Promise<MetricsServer | null> {
  const { metrics, app: { config: { host, metricsPort }, log } } = program;
  if (!metrics || metricsPort === null) return null;
  const { registry } = metrics, address = { host, port: metricsPort };
  const text = () => registry.text(readingsOf(program, metrics.fleet.last(), server));
  try {
    const listening = await startMetricsServer({ contentType: registry.contentType, text }, address);
    log.info(`Metrics on ${host}:${metricsPort}/metrics, for everybody who reaches that port`);
    return listening;
  } catch (cause) {
    throw cannotListen(address, cause, "METRICS_PORT");
  }
}

/** That it is held keeps no request from being answered. */
function holdNotes({ held }: Program["app"]): string[] {
  const hold = held();
  return hold ? [describeDatabaseHold(hold)] : [];
}

async function listen(server: Server, config: Config): Promise<Listening> {
  try {
    return await server.listen(config);
  } catch (cause) {
    throw cannotListen(config, cause);
  }
}
