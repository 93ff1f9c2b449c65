/** What operators do with other people's accounts: they name, promote, demote, disable and enable. */
import { sql } from "kysely";
import type { App } from "#lib/app.ts";
import { type Access, type Actor, operator } from "#lib/domains/auth/access.ts";
import { voidGrants } from "#lib/domains/auth/one-time-tokens.ts";
import { record } from "#lib/changes/record.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import { Fault } from "#lib/base/errors.ts";
import { findUserRecord } from "#lib/domains/users/records.ts";
import { endSessionsOf, lockUser } from "#lib/domains/users/store.ts";
import type { UserPatch, UserRecord } from "#lib/domains/users/views.ts";

/** The user of the path, for operators. */
export const account: Access<Actor, { readonly user: UserRecord }> = {
  name: "operator",
  async admit(request) {
    const { actor } = await operator.admit(request);
    const user = await findUserRecord(request.app.db.rows, request.params.userId ?? "");
    if (!user) throw new Fault("missing", "user_missing", "There is no such user");
    return { actor, user };
  },
};

interface Changes {
  readonly displayName?: string;
  readonly operator?: boolean;
  readonly disabled?: boolean;
}

/**
 * What is absent stays, and a patch that changes nothing writes nothing. From its answer on a disabled user's sessions
 * have ended, and its tokens are no good until it is enabled; links that were mailed to it are void. Throws Fault
 * conflict `last_operator`, `user_unverified`, and unauthenticated `session_required` for an operator whom a token makes or
 * enables again.
 */
export async function patchUser(app: App, actor: Actor, { id }: UserRecord, patch: UserPatch): Promise<UserRecord> {
  return await app.db.transact(async (tx) => {
    // Two operators who demote each other at once would else each still see the other.
    if (patch.operator === false || patch.disabled === true) await lockOperators(tx);
    // Nobody gives themselves what they must have to be here: somebody may just be taking it away.
    const adjusted = { operator: patch.operator && undefined, disabled: patch.disabled || undefined };
    const changes = await planChanges(tx, actor, id, id === actor.userId ? { ...patch, ...adjusted } : patch);
    if (Object.keys(changes).length > 0) await writeChanges(tx, actor, id, changes);
    return (await findUserRecord(tx, id))!;
  });
}

/** Holds the user's row, and says what is to change of it. */
async function planChanges(tx: Tx, { credential }: Actor, id: string, patch: UserPatch): Promise<Changes> {
  const before = (await lockUser(tx, { id }))!;
  const changes: Changes = {};
  for (const field of ["displayName", "operator", "disabled"] as const) {
    if (patch[field] !== undefined && patch[field] !== before[field]) Object.assign(changes, { [field]: patch[field] });
  }
  // A token that got into wrong hands must not make an operator who is still there when it is revoked.
  const regainsOperator = changes.disabled === false && before.operator && changes.operator !== false;
  if ((patch.operator || regainsOperator) && credential.kind === "token") {
    throw new Fault(
      "unauthenticated",
      "session_required",
      "A token cannot make a user an operator: sign in to do this",
    );
  }
  if (changes.operator && !before.verified) {
    const message = "Cannot make this user an operator: the e-mail address is not verified";
    throw new Fault("conflict", "user_unverified", message);
  }
  const losesOperator = changes.operator === false || changes.disabled === true;
  if (losesOperator && before.operator && !await hasOtherOperator(tx, id)) {
    const message = "Cannot disable or demote the last operator; make another user an operator first";
    throw new Fault("conflict", "last_operator", message);
  }
  return changes;
}

async function writeChanges(tx: Tx, actor: Actor, id: string, changed: Changes): Promise<void> {
  const { displayName, operator, disabled } = changed;
  await tx.updateTable("users").set({
    ...(displayName !== undefined && { displayName }),
    ...(operator !== undefined && { operator }),
    ...(disabled !== undefined && { disabledAt: disabled ? sql<Date>`wheelwright_now()` : null }),
    updatedAt: sql<Date>`wheelwright_now()`,
  }).where("id", "=", id).execute();
  if (disabled) {
    await endSessionsOf(tx, id);
    await voidGrants(tx, id, ["invitation", "password_reset", "email_verification"]);
  }
  if (disabled || operator !== undefined) tx.wakes.add(`user:${id}`); // its streams end, narrow or widen
  await record(tx, actor, {
    audit: [{ kind: "user_updated", objectType: "user", objectId: id, metadata: { changed } }],
  });
}

/** Until the transaction ends, nobody else lessens the operators. */
async function lockOperators(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('wheelwright: the last operator', 0))`.execute(tx);
}

/** Whether somebody else can act as one: disabled and unverified operators cannot. */
export async function hasOtherOperator(tx: Tx, id: string): Promise<boolean> {
  const row = await tx.selectFrom("users").select("id").where("operator", "=", true).where("id", "<>", id)
    .where("disabledAt", "is", null).where("emailVerifiedAt", "is not", null).limit(1).executeTakeFirst();
  return row !== undefined;
}
