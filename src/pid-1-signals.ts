/**
 * Handles signals in a process whose ID is 1, as in a container. The kernel does not deliver a signal to such a process
 * unless the process has a handler. Without handlers, only SIGKILL could end the process during startup.
 */
import { constants } from "node:os";

/** Exits on SIGTERM, SIGINT and SIGHUP, unless another handler for the same signal is registered. */
export function exitOnSignals(): void {
  for (const name of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
    process.on(name, () => {
      if (process.listenerCount(name) === 1) process.exit(128 + constants.signals[name]); // like a shell
    });
  }
}
