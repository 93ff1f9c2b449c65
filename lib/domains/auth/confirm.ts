/**
 * Confirms that the person at the browser is the user of the session, because the session may be stolen. Dangerous
 * actions require a recent sign-in or confirmation. Users with a second factor confirm with it, all others with their
 * password. Wrong passwords are slowed down as at login; too many wrong codes end the session.
 */
import type { App } from "#lib/app.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import { sessionEndedFault } from "#lib/domains/auth/authorize-transactions.ts";
import { announceFactorChange } from "#lib/domains/auth/factors/announce.ts";
import { checkFactor, type FactorInput, factorNeededFault, FREE_FAILURES } from "#lib/domains/auth/factors/check.ts";
import { readCodeFailures, wrongFactorFault } from "#lib/domains/auth/factors/check.ts";
import { listFactorKinds } from "#lib/domains/auth/factors/store.ts";
import { confirmSession, endSession } from "#lib/domains/auth/sessions.ts";
import { recordChange } from "#lib/changes/record.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import { Fault } from "#lib/base/errors.ts";
import { getCallerNetwork } from "#lib/base/limits/address.ts";
import { findAccount, lockAccount, lockUser } from "#lib/domains/users/store.ts";

export interface Confirmation extends FactorInput {
  readonly password?: string | undefined;
}

interface ConfirmationResult {
  /** The time until which the session counts as recent. */
  readonly recentUntil: Date;
}

/**
 * Confirms the caller's session. `signal` aborts the wait for a free slot to check the password. Throws a fault:
 * `invalid` (`factor_needed`, `password_needed`), `forbidden` (`wrong_password`, `wrong_factor`), `limited`
 * (`too_many_tries`, `too_many_codes`) or `unavailable` (`busy`).
 */
export async function confirmOwnSession(
  app: App,
  actor: Actor,
  confirmation: Confirmation,
  signal?: AbortSignal,
): Promise<ConfirmationResult> {
  const hasFactor = (await listFactorKinds(app.db.rows, actor.userId)).length > 0;
  if (hasFactor) return await confirmWithFactor(app, actor, confirmation);
  const { password } = confirmation;
  if (password === undefined) throw new Fault("invalid", "password_needed", "Enter your password");
  return await confirmWithPassword(app, actor, password, signal);
}

async function confirmWithFactor(app: App, actor: Actor, input: FactorInput): Promise<ConfirmationResult> {
  const at = await app.db.now();
  const recentUntil = await app.db.transact(async (tx) => {
    const user = await lockUser(tx, { id: actor.userId });
    if (!user) throw sessionEndedFault();
    const challenge = { purpose: "confirm", binding: actor.credential.id } as const;
    const checked = await checkFactor(tx, app, user.id, input, challenge);
    if (checked.proof === null) return await recordWrongConfirmation(tx, actor, checked.wrong);
    const until = await confirmSession(tx, actor.credential.id);
    if (until === null) throw sessionEndedFault();
    const { audit = [], jobs = [] } = checked.proof === "recovery_code"
      ? announceFactorChange(user, "recovery_code_used", { at, ip: actor.ip })
      : {};
    await recordChange(tx, actor, { audit: [{ kind: "session_confirmed", ...aboutSession(actor) }, ...audit], jobs });
    return until;
  });
  if (recentUntil === null) throw wrongFactorFault();
  return { recentUntil };
}

/** Records a wrong code. After FREE_FAILURES wrong codes in a row, ends the session, which may be stolen. */
async function recordWrongConfirmation(tx: Tx, actor: Actor, wrong: string): Promise<null> {
  if (await readCodeFailures(tx, actor.userId) >= FREE_FAILURES) await endSession(tx, actor.credential.id);
  await recordChange(tx, actor, {
    audit: [{ kind: "session_confirmation_failed", ...aboutSession(actor), metadata: { reason: wrong } }],
  });
  return null;
}

async function confirmWithPassword(
  app: App,
  actor: Actor,
  password: string,
  signal: AbortSignal | undefined,
): Promise<ConfirmationResult> {
  const queueEntry = { caller: getCallerNetwork(actor.ip), signal };
  const result = await app.loginAttempts.run({ ...queueEntry, email: actor.email }, async () => {
    const account = await findAccount(app.db.rows, actor.email);
    const outcome = await app.passwords.verify(password, account?.passwordHash ?? null, queueEntry);
    if (!account || outcome === "wrong") return null;
    return await app.db.transact(async (tx) => {
      // Throws if another request has changed the password, because that also ended this session.
      if (!await lockAccount(tx, account)) throw sessionEndedFault();
      if ((await listFactorKinds(tx, account.id)).length > 0) throw factorNeededFault(); // added meanwhile
      const recentUntil = await confirmSession(tx, actor.credential.id);
      if (recentUntil === null) throw sessionEndedFault();
      await recordChange(tx, actor, { audit: [{ kind: "session_confirmed", ...aboutSession(actor) }] });
      return { recentUntil };
    });
  });
  if (result !== null) return result;
  await app.db.transact(async (tx) => {
    await recordChange(tx, actor, { audit: [{ kind: "session_confirmation_failed", ...aboutSession(actor) }] });
  });
  throw new Fault("forbidden", "wrong_password", "Cannot confirm that it is you: the password is wrong");
}

function aboutSession({ credential }: Actor) {
  return { objectType: "session", objectId: credential.id } as const;
}
