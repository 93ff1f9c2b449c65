/** Handles the signals that stop the process. */
import { SECOND } from "#lib/base/time.ts";
import { CommandError, EXIT } from "./cli/exit-status.ts";

/** How long a repeated signal is ignored, in milliseconds. Needed because npm repeats the SIGINT after Ctrl-C. */
const REPEAT_WINDOW = SECOND;

export interface StopSignals {
  /** Resolves with the first signal's name, for example `SIGTERM`. */
  readonly signalName: Promise<string>;
  /** Aborts when the first signal arrives. */
  readonly signal: AbortSignal;
  /** Throws a CommandError if a signal has arrived. Commands call this function between the steps of their startup. */
  throwIfStopped(): void;
  /** Removes the signal handlers, so that the next signal ends the process. */
  dispose(): void;
}

/** Handles SIGTERM, SIGINT and SIGHUP. A second signal ends the process if it arrives more than a second later. */
export function handleStopSignals(): StopSignals {
  const { promise: signalName, resolve } = Promise.withResolvers<string>(), stopping = new AbortController();
  let first: number | undefined;
  const stop = (name: string): void => {
    first ??= performance.now();
    resolve(name);
    stopping.abort(new Error("Stopped"));
    if (performance.now() - first > REPEAT_WINDOW) process.exit(EXIT.interrupted);
  };
  const signals = ["SIGTERM", "SIGINT", "SIGHUP"] as const;
  for (const name of signals) process.on(name, stop);
  return {
    signalName,
    signal: stopping.signal,
    throwIfStopped() {
      if (first !== undefined) throw new CommandError(EXIT.interrupted, "Stopped during startup");
    },
    dispose: () => signals.forEach((name) => process.off(name, stop)),
  };
}
