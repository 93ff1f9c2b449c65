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
import type { Actor, Role } from "#lib/domains/auth/access.ts";
import { authenticateAgain, badCredentials } from "#lib/domains/auth/authenticate.ts";
import type { Database } from "#lib/drivers/db/database.ts";
import { Fault } from "#lib/base/errors.ts";
import { SECOND } from "#lib/base/time.ts";

interface Right {
  /** Whose transactions hold the right. They throw Fault unauthenticated, or forbidden `access_changed`. */
  readonly db: Database;
  /** Looks again before an answer that was long in coming, if nothing has been written that holds it. Throws as `db`. */
  confirmLate(): Promise<void>;
}

const LATE = SECOND; // what is taken back is to be without effect within this time

export function holdRight({ db }: { readonly db: Database }, actor: Actor): Right {
  const began = performance.now();
  let held = false;
  return {
    db: db.holding({
      user: actor.userId,
      async confirm(tx) {
        await confirm(tx, actor);
        held = true;
      },
    }),
    async confirmLate() {
      if (!held && performance.now() - began > LATE) await confirm(db.rows, actor);
    },
  };
}

async function confirm(rows: Database["rows"], actor: Actor): Promise<void> {
  const now = await authenticateAgain({ db: { rows } }, actor);
  if (!now) throw actor.credential.kind === "token" ? badCredentials() : endedSession();
  if (covers(now, actor)) return;
  const message = "What you may do has changed while this was being done, so it was not done; try again";
  throw new Fault("forbidden", "access_changed", message);
}

const RANK: readonly Role[] = ["spoke_admin", "hub_admin", "operator"];

/** Whether nothing was taken from the caller that it had when it was let in. */
function covers(now: Actor, before: Actor): boolean {
  if (RANK.indexOf(now.role) < RANK.indexOf(before.role)) return false;
  if (now.role === "operator") return true;
  const hubs = new Set(now.federationIds), spokes = new Set(now.spokeIds);
  return before.federationIds.every((id) => hubs.has(id)) && before.spokeIds.every((id) => spokes.has(id));
}

function endedSession(): Fault {
  return new Fault("unauthenticated", "sign_in_required", "Your session has ended; sign in to do this");
}
