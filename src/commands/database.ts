/** The database for commands that need nothing else: that of the variables, or of `wheelwright dev` on this machine. */
import { existsSync } from "node:fs";
import { hostname, userInfo } from "node:os";
import { join } from "node:path";
import { ConfigError, readProcessConfig } from "#lib/base/config.ts";
import type { DatabaseSource } from "#lib/base/database-address.ts";
import type { OpenDatabase } from "#lib/drivers/db/database.ts";
import { openEmbedded } from "#lib/dev/embedded.ts";
import { ConnectionLost } from "#lib/drivers/db/faults.ts";
import { openDatabase } from "#lib/drivers/db/open.ts";
import { Fault } from "#lib/base/errors.ts";
import type { Asker } from "#lib/records/audit/asker.ts";
import { type Log, openLog } from "#lib/base/log.ts";
import { MINUTE } from "#lib/base/time.ts";
import { built } from "../release.ts";
import { unreachable } from "./reach.ts";

/** Nobody waits behind a command's statements, and one that counts a long log takes its time. */
const STATEMENT_LIMIT = 10 * MINUTE;

/** Opens it for the work and closes it afterwards. Throws ConfigError, or a CommandError when it cannot be reached. */
export async function withDatabase<T>(work: (db: OpenDatabase) => Promise<T>): Promise<T> {
  const log = openLog({ level: "error", format: "pretty", write: (line) => process.stderr.write(line) });
  const { url, close } = await findDatabase(log);
  try {
    const db = await openDatabase({ url, size: 2, log, statementLimit: STATEMENT_LIMIT })
      .catch((error) => Promise.reject(unreachable(error)));
    try {
      return await work(db);
    } catch (error) {
      const passing = error instanceof ConnectionLost || error instanceof Fault && error.kind === "unavailable";
      throw passing ? unreachable(error) : error;
    } finally {
      await db.close();
    }
  } finally {
    await close();
  }
}

/** The database of the variables; where none is named, that of `wheelwright dev` in DATA_DIR, which only a checkout has. */
export async function findDatabase(log: Log): Promise<{ url: DatabaseSource; close: () => Promise<void> }> {
  try {
    return { url: readProcessConfig("migrate").database.source, close: () => Promise.resolve() };
  } catch (error) {
    if (!(error instanceof ConfigError) || built()) throw error;
    const directory = join(readProcessConfig("dev").dataDir, "postgres");
    if (!existsSync(directory)) throw error; // an empty database would be made, and nobody means that one
    const embedded = await openEmbedded({ directory, durable: true, log });
    return { url: embedded.url, close: () => embedded.adopted ? Promise.resolve() : embedded.stop() };
  }
}

/** The person at this machine, as the audit log keeps them: nobody has signed in. */
export function whoAsks(command: string): Asker {
  const email = `${userName()}@${hostname()}`;
  return { userId: "system", email, ip: "", userAgent: `wheelwright ${command}`, tokenPrefix: null };
}

/** A container's user may have a number alone. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid-${process.getuid?.() ?? "unknown"}`;
  }
}
