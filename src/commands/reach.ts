/** Waits for the database that is meant: compose files start it at the same time as the control plane. */
import postgres from "postgres";
import { messageOf } from "#lib/errors.ts";
import type { Log } from "#lib/log.ts";
import { SECOND, sleep } from "#lib/time.ts";
import { CommandError, EX_UNAVAILABLE } from "./command.ts";

const PATIENCE = 30 * SECOND, EVERY = SECOND;

/** Throws a CommandError that names the variables and never the password. */
export async function reachDatabase(url: string, log: Log): Promise<void> {
  for (const end = Date.now() + PATIENCE;; await sleep(EVERY)) {
    const reason = await tryDatabase(url);
    if (reason === null) return;
    if (Date.now() > end) {
      const message = `The database cannot be used (see DATABASE_URL or the POSTGRES_ variables): ${reason}`;
      throw new CommandError(EX_UNAVAILABLE, message);
    }
    log.warn("Waiting for the database", { reason });
  }
}

async function tryDatabase(url: string): Promise<string | null> {
  const client = postgres(url, { max: 1, connect_timeout: 5, onnotice: () => {} });
  try {
    const [row] = await client`select current_setting('transaction_read_only') = 'off' as writes`;
    return row!.writes ? null : "it takes no writes: a standby, or default_transaction_read_only is on";
  } catch (error) {
    return messageOf(error) || String((error as { code?: string }).code);
  } finally {
    await client.end({ timeout: 1 });
  }
}
