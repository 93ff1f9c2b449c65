/** The wish to stop, as it reaches a process: signals. */
import { SECOND } from "#lib/base/time.ts";
import { CommandError, EX_INTERRUPTED } from "./commands/command.ts";

/** Also told by npm: Ctrl-C reaches it and us, and it passes its own on, so the same wish arrives twice at once. */
const SAME_WISH = SECOND;

export interface Stop {
  /** Resolves with the name of the first signal. */
  readonly told: Promise<string>;
  /** Aborts with the first signal. */
  readonly signal: AbortSignal;
  /** Throws when there was one already: a start of part after part asks between them. */
  check(): void;
  /** Leaves signals to do what they do by themselves. */
  forget(): void;
}

/** Takes SIGTERM, SIGINT, and SIGHUP, which a terminal sends as it closes; a second wish ends the process at once. */
export function awaitStop(): Stop {
  const { promise: told, resolve } = Promise.withResolvers<string>(), stopping = new AbortController();
  let first: number | undefined;
  const stop = (name: string): void => {
    first ??= performance.now();
    resolve(name);
    stopping.abort(new Error("Stopped"));
    if (performance.now() - first > SAME_WISH) process.exit(EX_INTERRUPTED);
  };
  const signals = ["SIGTERM", "SIGINT", "SIGHUP"] as const;
  for (const name of signals) process.on(name, stop);
  return {
    told,
    signal: stopping.signal,
    check() {
      if (first !== undefined) throw new CommandError(EX_INTERRUPTED, "Stopped before it had started");
    },
    forget: () => signals.forEach((name) => process.off(name, stop)),
  };
}
