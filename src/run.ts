/**
 * Runs a composed program until it is told to stop, and then drains it: no request is cut that can end in time, no step
 * of an installation is lost, and streams are told to come back.
 *
 *   told to stop ---- notice ----> closed ---- rest of the grace ----> ended
 *   readyz says 503,               nobody new is taken,               what is left is cut,
 *   requests are taken,            streams end,                       steps are given back
 *   steps under way may end        what was taken may end
 *
 * A proxy goes on sending requests until it has looked at readyz, or was told by somebody who has. Whom nobody listens to
 * any more before that, is refused. So for the notice all goes on, each answer ends its connection, and a stream that ended
 * would come back to this very replica.
 */
import type { Config } from "#lib/base/config.ts";
import { listenForMetrics, type MetricsListening } from "#lib/surface/metrics/listen.ts";
import { messageOf } from "#lib/base/errors.ts";
import { sleep } from "#lib/base/time.ts";
import { holdSentence } from "#lib/records/held.ts";
import { watchClusters } from "./cluster-watch.ts";
import { cannotListen } from "./commands/cannot-listen.ts";
import type { Program } from "./compose.ts";
import type { Listening } from "./listen.ts";
import { readingsOf } from "./readings.ts";
import { openServer, type Server } from "./server.ts";
import { awaitStop, type Stop } from "./stop.ts";

interface Running {
  readonly port: number;
  /** Resolves when the program has stopped. */
  readonly stopped: Promise<void>;
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
    const { shutdownGraceMs: grace, shutdownNoticeMs } = app.config, notice = Math.min(grace, shutdownNoticeMs);
    stopping = true;
    try {
      const drained = program.drain(grace);
      drained.catch(() => {}); // it is told below, after the notice
      leave();
      await sleep(notice);
      program.endStreams();
      const ends = [close(grace - notice), drained, watch.close()];
      await Promise.allSettled(ends); // one that fails cuts no other short
      await metrics?.close(); // to the end it tells what is still under way
      await Promise.all(ends);
      await program.close();
    } catch (error) {
      app.log.error("Something did not stop cleanly; the database knows what was under way", {
        reason: messageOf(error),
      });
    }
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

async function serveMetrics(program: Program, server: Server): Promise<MetricsListening | null> {
  const { metrics, app: { config: { host, metricsPort }, log } } = program;
  if (!metrics || metricsPort === null) return null;
  const { registry } = metrics, address = { host, port: metricsPort };
  const text = () => registry.text(readingsOf(program, metrics.fleet.last(), server));
  try {
    const listening = await listenForMetrics({ contentType: registry.contentType, text }, address);
    log.info(`Metrics on ${host}:${metricsPort}/metrics, for everybody who reaches that port`);
    return listening;
  } catch (cause) {
    throw cannotListen(address, cause, "METRICS_PORT");
  }
}

/** That it is held keeps no request from being answered. */
function holdNotes({ held }: Program["app"]): string[] {
  const hold = held();
  return hold ? [holdSentence(hold)] : [];
}

async function listen(server: Server, config: Config): Promise<Listening> {
  try {
    return await server.listen(config);
  } catch (cause) {
    throw cannotListen(config, cause);
  }
}
