/** Waits for the database that is meant: compose files start it at the same time as the control plane. */
import postgres from "postgres";
import { hasState, isReadOnly, readOnly } from "#lib/drivers/db/faults.ts";
import { reasonOf } from "#lib/base/errors.ts";
import type { Log } from "#lib/base/log.ts";
import { SECOND, sleep } from "#lib/base/time.ts";
import { CommandError, EX_CONFIG, EX_UNAVAILABLE } from "./command.ts";

const PATIENCE = 30 * SECOND, EVERY = SECOND;

/** Waits for so many milliseconds at most. Throws what `unreachable` makes of the last failure. */
export async function reachDatabase(url: string, log: Log, patience = PATIENCE): Promise<void> {
  for (const end = Date.now() + patience;; await sleep(EVERY)) {
    const error = await tryDatabase(url);
    if (error === null) return;
    const failure = unreachable(error);
    if (failure.status === EX_CONFIG || Date.now() >= end) throw failure;
    log.warn("Waiting for the database", { reason: reasonOf(error) });
  }
}

/** Names the variables and never the password. Says apart what no waiting changes: who we are, and which database. */
export function unreachable(error: unknown): CommandError {
  let cause = error; // what is around it says no more than the sentence below
  while (cause instanceof Error && cause.cause) cause = cause.cause;
  const [status, what] = hasState(cause, "28P01", "28000", "3D000")
    ? [EX_CONFIG, "refuses us"] as const
    : [EX_UNAVAILABLE, isReadOnly(cause) ? "cannot be used" : "cannot be reached"] as const;
  const message = `The database ${what} (see DATABASE_URL or the POSTGRES_ variables): ${reasonOf(cause)}`;
  return new CommandError(status, message, { cause: error });
}

/** What went wrong, or null. */
async function tryDatabase(url: string): Promise<unknown> {
  const client = postgres(url, { max: 1, connect_timeout: 5, onnotice: () => {} });
  try {
    const [row] = await client`select current_setting('transaction_read_only') = 'off' as writes`;
    return row!.writes ? null : readOnly();
  } catch (error) {
    return error;
  } finally {
    await client.end({ timeout: 1 });
  }
}
