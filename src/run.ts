/**
 * Runs a composed program until it is told to stop, and then drains it: no request is cut that can end in time, no step
 * of an installation is lost, and streams are told to come back.
 */
import type { Config } from "#lib/base/config.ts";
import { messageOf } from "#lib/base/errors.ts";
import { holdSentence } from "#lib/records/held.ts";
import { watchClusters } from "./cluster-watch.ts";
import { cannotListen } from "./commands/cannot-listen.ts";
import type { Program } from "./compose.ts";
import type { Listening } from "./listen.ts";
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
  const watch = await watchClusters(app.clusters, program.clusterNames, app.log);
  const server = openServer(app, program.manifest, {
    ready: () => program.scheduler?.ready() ?? true,
    notes: () => [...watch.notes(), ...holdNotes(app)],
    calls: program.calls,
  });
  const { port, close } = await listen(server, app.config).catch(async (error) => {
    await watch.close();
    throw error;
  });
  const stopped = told.then(async (signal) => {
    app.log.info("Stopping: requests and steps under way may end, the rest is given back", { signal });
    const grace = app.config.shutdownGraceMs;
    try {
      await Promise.all([close(grace), program.drain(grace), watch.close()]);
      await program.close();
    } catch (error) {
      app.log.error("Something did not stop cleanly; the database knows what was under way", {
        reason: messageOf(error),
      });
    }
  });
  return { port, stopped };
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
