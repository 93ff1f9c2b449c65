/**
 * Checks in each transaction that the caller still has the permissions from the start of the request. Each transaction
 * first takes a shared lock for the caller. A transaction that revokes permissions commits, and then waits for the
 * exclusive lock before it reports success (`transact` in lib/drivers/db/open.ts). Advisory locks are granted in order.
 * With row locks, a caller who writes continuously could delay a revocation.
 */
import { sql } from "kysely";
import type { Actor } from "#lib/domains/auth/access.ts";
import { badCredentialsFault, reauthenticate } from "#lib/domains/auth/authenticate.ts";
import type { Database, TransactionAuthorization } from "#lib/drivers/db/database.ts";
import { Fault } from "#lib/base/errors.ts";
import { SECOND } from "#lib/base/time.ts";

interface AuthorizedDatabase {
  /**
   * A database that checks the caller's permissions in each transaction. Transactions throw an `unauthenticated` or a
   * `forbidden` fault (`access_changed`).
   */
  readonly db: Database;
  /**
   * Checks the caller's permissions again if the request has taken more than a second and no transaction has checked
   * them. Throws the same faults as `db`.
   */
  recheckIfLate(): Promise<void>;
}

const RECHECK_AFTER = SECOND; // revoked permissions must have no effect after this time

/** Returns a database that checks the caller's permissions. If `onCommit` is given, it runs each COMMIT statement. */
export function createAuthorizedDatabase(
  { db }: { readonly db: Database },
  actor: Actor,
  onCommit?: TransactionAuthorization["onCommit"],
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
 * Returns whether the caller still has every permission that they had when the request started. A permission does not
 * count as lost if its object was removed, or if it is for a spoke in a hub that the caller now administers.
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

export function sessionEndedFault(): Fault {
  return new Fault("unauthenticated", "sign_in_required", "Your session has ended; sign in again");
}
