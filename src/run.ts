/**
 * Runs a composed program until it is told to stop, and then drains it: no request is cut that can end in time, no step
 * of an installation is lost, and streams are told to come back.
 */
import { openServer } from "./server.ts";
import { manifest } from "./manifest.ts";
import type { Program } from "./compose.ts";
import { messageOf } from "#lib/errors.ts";
import { SECOND } from "#lib/time.ts";

export interface Running {
  readonly port: number;
  /** Resolves when the program has stopped. */
  readonly stopped: Promise<void>;
}

/** Listens, and from then on stops at SIGTERM or SIGINT; a second signal ends the process at once. */
export async function runUntilStopped(program: Program, afterwards: () => Promise<void>): Promise<Running> {
  const { app } = program;
  const server = openServer(app, manifest, { ready: () => program.scheduler?.ready() ?? true });
  const { port, close } = await server.listen({ host: app.config.host, port: app.config.port });
  const stopped = untilSignal().then(async (signal) => {
    app.log.info("Stopping: requests and steps under way may end, the rest is given back", { signal });
    const grace = app.config.shutdownGraceMs;
    try {
      await Promise.all([close(grace), program.drain(grace)]);
      await program.close();
    } catch (error) {
      app.log.error("Something did not stop cleanly; the database knows what was under way", {
        reason: messageOf(error),
      });
    } finally {
      await afterwards();
    }
  });
  return { port, stopped };
}

/** Also told by npm: Ctrl-C reaches it and us, and it passes its own on, so the same wish arrives twice at once. */
const SAME_WISH = SECOND;

function untilSignal(): Promise<string> {
  return new Promise((resolve) => {
    let first: number | undefined;
    for (const signal of ["SIGTERM", "SIGINT"] as const) {
      process.on(signal, () => {
        first ??= performance.now();
        resolve(signal);
        if (performance.now() - first > SAME_WISH) process.exit(130);
      });
    }
  });
}
