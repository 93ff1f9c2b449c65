/**
 * Runs a composed program until it is told to stop, and then drains it: no request is cut that can end in time, no step
 * of an installation is lost, and streams are told to come back.
 */
import type { Config } from "#lib/config.ts";
import { messageOf } from "#lib/errors.ts";
import { SECOND } from "#lib/time.ts";
import { CommandError, EX_UNAVAILABLE } from "./commands/command.ts";
import type { Program } from "./compose.ts";
import type { Listening } from "./listen.ts";
import { manifest } from "./manifest.ts";
import { openServer, type Server } from "./server.ts";

export interface Running {
  readonly port: number;
  /** Resolves when the program has stopped. */
  readonly stopped: Promise<void>;
}

/** Listens, and from then on stops at SIGTERM or SIGINT; a second signal ends the process at once. */
export async function runUntilStopped(program: Program): Promise<Running> {
  const { app } = program;
  const server = openServer(app, manifest, {
    ready: () => program.scheduler?.ready() ?? true,
    calls: program.calls,
  });
  const { port, close } = await listen(server, app.config);
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
    }
  });
  return { port, stopped };
}

async function listen(server: Server, { host, port }: Config): Promise<Listening> {
  try {
    return await server.listen({ host, port });
  } catch (cause) {
    const message = `Cannot listen on ${host}:${port} (see HOST and PORT): ${messageOf(cause)}`;
    throw new CommandError(EX_UNAVAILABLE, message, { cause });
  }
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
