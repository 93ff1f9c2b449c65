/**
 * Runs a composed program until it is told to stop, and then drains it: no request is cut that can end in time, no step
 * of an installation is lost, and streams are told to come back.
 */
import type { Config } from "#lib/config.ts";
import { messageOf, reasonOf } from "#lib/errors.ts";
import { SECOND } from "#lib/time.ts";
import { CommandError, EX_CONFIG, EX_NOPERM, EX_UNAVAILABLE } from "./commands/command.ts";
import type { Program } from "./compose.ts";
import type { Listening } from "./listen.ts";
import { openServer, type Server } from "./server.ts";

export interface Running {
  readonly port: number;
  /** Resolves when the program has stopped. */
  readonly stopped: Promise<void>;
}

/** Listens, and from then on stops at SIGTERM or SIGINT; a second signal ends the process at once. */
export async function runUntilStopped(program: Program): Promise<Running> {
  const { app } = program;
  const server = openServer(app, program.manifest, {
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

async function listen(server: Server, config: Config): Promise<Listening> {
  try {
    return await server.listen(config);
  } catch (cause) {
    throw cannotListen(config, cause);
  }
}

type Refusal = readonly [status: number, why: string];

const ELSEWHERE: Refusal = [
  EX_CONFIG,
  "this machine has no such address; set HOST to one that it has, or to 0.0.0.0 for all",
];
const REFUSALS: Readonly<Record<string, Refusal>> = {
  EADDRINUSE: [
    EX_UNAVAILABLE,
    "the port is in use, perhaps by another Wheelwright; stop that, or set PORT to another one",
  ],
  EACCES: [
    EX_NOPERM,
    "this user may not listen on that port; set PORT to one above 1023, and let a proxy have the other",
  ],
  EADDRNOTAVAIL: ELSEWHERE,
  EINVAL: ELSEWHERE, // what Deno calls it
  ENOTFOUND: [EX_CONFIG, "there is no such host name; set HOST to an address of this machine, or to 0.0.0.0 for all"],
};

/** Why nobody can listen there, and what would make it possible. */
export function cannotListen({ host, port }: Pick<Config, "host" | "port">, cause: unknown): CommandError {
  const refusal = REFUSALS[String((cause as { code?: unknown }).code)];
  const [status, why] = refusal ?? [EX_UNAVAILABLE, `${reasonOf(cause)} (see HOST and PORT)`];
  return new CommandError(status, `Cannot listen on ${host}:${port}: ${why}`, { cause });
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
