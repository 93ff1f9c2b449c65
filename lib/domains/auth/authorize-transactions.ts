/**
 * The caller's right to what it asked for, held while it is done.
 *
 * A request is judged when it comes, and may act much later: the cluster had to be asked, or somebody else held a row. What
 * was taken back meanwhile must not act any more. So each transaction of a request begins by sharing a lock of the caller's
 * user, and then looks again. Who takes something back commits that, and then waits for the same lock, alone, before it says
 * so (`transact` in lib/drivers/db/open.ts). Either the deed is done by then, or it is not done at all. The lock is an
 * advisory one because these are fair: with row locks, a caller who never stops writing could keep its right from being
 * taken away.
 */
import { sql } from "kysely";
import type { Actor } from "#lib/domains/auth/access.ts";
import { badCredentialsFault, reauthenticate } from "#lib/domains/auth/authenticate.ts";
import type { Database, TransactionHold } from "#lib/drivers/db/database.ts";
import { Fault } from "#lib/base/errors.ts";
import { SECOND } from "#lib/base/time.ts";

interface AuthorizedDatabase {
  /** Whose transactions hold the right. They throw Fault unauthenticated, or forbidden `access_changed`. */
  readonly db: Database;
  /** Looks again before an answer that was long in coming, if nothing has been written that holds it. Throws as `db`. */
  recheckIfLate(): Promise<void>;
}

const RECHECK_AFTER = SECOND; // what is taken back is to be without effect within this time

/** `onCommit` runs each COMMIT; absent, nothing is done about it. */
export function authorizeTransactions(
  { db }: { readonly db: Database },
  actor: Actor,
  onCommit?: TransactionHold["onCommit"],
): AuthorizedDatabase {
  const startedAt = performance.now();
  let isConfirmed = false;
  return {
    db: db.holding({
      user: actor.userId,
      ...(onCommit && { onCommit }),
      async check(tx) {
        await requireAccessUnchanged(tx, actor);
        isConfirmed = true;
      },
    }),
    async recheckIfLate() {
      if (!isConfirmed && performance.now() - startedAt > RECHECK_AFTER) await requireAccessUnchanged(db.rows, actor);
    },
  };
}

async function requireAccessUnchanged(rows: Database["rows"], actor: Actor): Promise<void> {
  const now = await reauthenticate({ db: { rows } }, actor);
  if (!now) throw actor.credential.kind === "token" ? badCredentialsFault() : sessionEndedFault();
  if (await coversPreviousAccess(rows, now, actor)) return;
  const message = "Your permissions changed during this request, so nothing was done; try again";
  throw new Fault("forbidden", "access_changed", message);
}

/**
 * Whether nothing was taken from the caller that it had when it was let in. What is removed meanwhile is gone for all, and a
 * spoke whose hub the caller runs by now is still the caller's: neither is in the lists any more.
 */
async function coversPreviousAccess(rows: Database["rows"], now: Actor, before: Actor): Promise<boolean> {
  if (now.role === "operator") return true;
  if (before.role === "operator") return false;
  const hubs = removedIds(now.federationIds, before.federationIds), spokes = removedIds(now.spokeIds, before.spokeIds);
  if (hubs.length === 0 && spokes.length === 0) return true;
  const { rows: [row] } = await sql<{ taken: boolean }>`select
    exists (select from federations where id = any(${hubs}::text[]) and state <> 'removed')
    or exists (select from spokes where id = any(${spokes}::text[]) and state <> 'removed'
      and federation_id <> all(${now.federationIds}::text[])) as taken`.execute(rows);
  return !row!.taken;
}

function removedIds(now: readonly string[], before: readonly string[]): string[] {
  const left = new Set(now);
  return before.filter((id) => !left.has(id));
}

function sessionEndedFault(): Fault {
  return new Fault("unauthenticated", "sign_in_required", "Your session has ended; sign in to do this");
}
