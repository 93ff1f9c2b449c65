/** Waits until the configured database is available, because Docker Compose starts it together with the server. */
import { openDatabaseClient } from "#lib/drivers/db/client.ts";
import { createReadOnlyFault, hasSqlState, isReadOnlyError } from "#lib/drivers/db/faults.ts";
import { type DatabaseSource, describeDatabase, resolveDatabaseAddress } from "#lib/base/database-address.ts";
import { getErrorReason } from "#lib/base/errors.ts";
import type { Log } from "#lib/base/log.ts";
import { SECOND, sleep } from "#lib/base/time.ts";
import { CommandError, EXIT } from "../cli/exit-status.ts";

const WAIT_LIMIT = 30 * SECOND, RETRY_INTERVAL = SECOND, CONNECT_LIMIT = 5 * SECOND;
const VARIABLES = "DATABASE_URL or the POSTGRES_ variables";

/** Connects to the database, retrying for up to `waitLimit` milliseconds. Throws the last failure as a CommandError. */
export async function waitForDatabase(source: DatabaseSource, log: Log, waitLimit = WAIT_LIMIT): Promise<void> {
  for (const end = Date.now() + waitLimit;; await sleep(RETRY_INTERVAL)) {
    const error = await tryDatabase(source);
    if (error === null) return;
    if (error instanceof CommandError) throw error;
    const failure = toDatabaseError(error);
    if (failure.status === EXIT.config || Date.now() >= end) throw failure;
    log.warn("Waiting for the database", {
      database: describeDatabase(resolveDatabaseAddress(source)),
      variables: VARIABLES,
      reason: getErrorReason(innermost(error)),
    });
  }
}

/**
 * Returns an error that names the configuration variables, but never includes the password. If the credentials are
 * refused or the database is missing, reports a configuration error, because waiting does not help.
 */
export function toDatabaseError(error: unknown): CommandError {
  const cause = innermost(error);
  const [status, what] = hasSqlState(cause, "28P01", "28000", "3D000")
    ? [EXIT.config, "refuses the connection"] as const
    : [EXIT.unavailable, isReadOnlyError(cause) ? "cannot be used" : "cannot be reached"] as const;
  const message = `The database ${what} (see ${VARIABLES}): ${getErrorReason(cause)}`;
  return new CommandError(status, message, { cause: error });
}

/** Returns the innermost cause of an error, because the outer errors add nothing useful to the message. */
function innermost(error: unknown): unknown {
  return error instanceof Error && error.cause ? innermost(error.cause) : error;
}

/** Tries to use the database. Returns the error, or null if the database is usable. */
async function tryDatabase(source: DatabaseSource): Promise<unknown> {
  try {
    const client = await openDatabaseClient({
      url: source,
      name: "wheelwright",
      settings: {},
      connectLimit: CONNECT_LIMIT,
    });
    try {
      if (client.readOnly) return createReadOnlyFault();
      const { rows: [row] } = await client.query("select current_setting('server_encoding') as encoding", [], {
        limit: CONNECT_LIMIT,
      });
      return row!.encoding === "UTF8" ? null : wrongEncoding(String(row!.encoding));
    } finally {
      await client.close().catch(() => {});
    }
  } catch (error) {
    return error;
  }
}

function wrongEncoding(encoding: string): CommandError {
  const message = `The database's encoding is ${encoding}, which cannot store every character (see ${VARIABLES}): ` +
    "create the database with createdb --template=template0 --encoding=UTF8";
  return new CommandError(EXIT.config, message);
}
