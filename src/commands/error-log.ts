/** Creates the log of server commands, which contains only errors and goes to standard error. */
import { createLog, type Log } from "#lib/base/log.ts";

export function createErrorLog(): Log {
  return createLog({ level: "error", format: "pretty", write: (line) => process.stderr.write(line) });
}
