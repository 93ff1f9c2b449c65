/**
 * Signals for the first process of a container. The system ends it by none that it does not heed, as it would end any other:
 * told to stop while it starts, or waits for its database, it would go on until it is killed.
 */
import { constants } from "node:os";

/** From now on ends the process by each signal that nothing else heeds just then. */
export function endBySignals(): void {
  for (const name of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
    process.on(name, () => {
      if (process.listenerCount(name) === 1) process.exit(128 + constants.signals[name]); // as shells tell of it
    });
  }
}
