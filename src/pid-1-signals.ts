/**
 * Handles signals in a process with the ID 1, as in a container. The kernel does not deliver a signal to such a process
 * if it has no handler. Without these handlers, only SIGKILL could end a process that is starting.
 */
import { constants } from "node:os";

/** Exits on SIGTERM, SIGINT and SIGHUP, unless another handler for the signal is registered. */
export function exitOnSignals(): void {
  for (const name of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
    process.on(name, () => {
      if (process.listenerCount(name) === 1) process.exit(128 + constants.signals[name]); // as shells report it
    });
  }
}
