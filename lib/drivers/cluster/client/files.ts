/**
 * Reads the files that a kubeconfig names, each within a deadline. A hanging read cannot be interrupted and occupies a
 * thread, so each file has at most one read at a time. If that read misses its deadline, further reads of the same
 * file fail immediately until the first read ends.
 */
import { readFile } from "node:fs/promises";
import { runCancellable } from "#lib/base/cancellation.ts";

export interface FileReader {
  read(path: string): Promise<Buffer>;
}

/** Creates a file reader. `late` creates the error for a file that could not be read within `ms` milliseconds. */
export function createFileReader(ms: number, late: (description: string) => Error): FileReader {
  const reading = new Map<string, Promise<Buffer>>(), hanging = new Set<string>();
  return {
    async read(path) {
      const lateRead = () => late(`reading ${path}`);
      if (hanging.has(path)) throw lateRead();
      const onLate = () => {
        hanging.add(path);
        return lateRead();
      };
      const pending = reading.get(path) ?? readFile(path).finally(() => {
        reading.delete(path);
        hanging.delete(path);
      });
      reading.set(path, pending);
      return await runCancellable([], { ms, createError: onLate }, () => pending);
    },
  };
}
