/** Handles the signals that stop the process. */
import { SECOND } from "#lib/base/time.ts";
import { CommandError, EX_INTERRUPTED } from "./commands/command.ts";

/** Milliseconds in which a repeated signal is ignored. Ctrl-C reaches npm and this process, and npm forwards it. */
const REPEAT_WINDOW = SECOND;

export interface StopSignals {
  /** Resolves with the name of the first signal. */
  readonly signalName: Promise<string>;
  /** Aborts at the first signal. */
  readonly signal: AbortSignal;
  /** Throws a CommandError if a signal has arrived. A start calls this between its parts. */
  throwIfStopped(): void;
  /** Restores the default behaviour of the signals. */
  dispose(): void;
}

/** Handles SIGTERM, SIGINT, and SIGHUP, which a closing terminal sends. A second signal ends the process. */
export function handleStopSignals(): StopSignals {
  const { promise: signalName, resolve } = Promise.withResolvers<string>(), stopping = new AbortController();
  let first: number | undefined;
  const stop = (name: string): void => {
    first ??= performance.now();
    resolve(name);
    stopping.abort(new Error("Stopped"));
    if (performance.now() - first > REPEAT_WINDOW) process.exit(EX_INTERRUPTED);
  };
  const signals = ["SIGTERM", "SIGINT", "SIGHUP"] as const;
  for (const name of signals) process.on(name, stop);
  return {
    signalName,
    signal: stopping.signal,
    throwIfStopped() {
      if (first !== undefined) throw new CommandError(EX_INTERRUPTED, "Stopped before it had started");
    },
    dispose: () => signals.forEach((name) => process.off(name, stop)),
  };
}
