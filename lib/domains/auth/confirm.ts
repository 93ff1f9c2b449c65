/**
 * Confirms that the person at the browser is the user of the session, because the session may be stolen. Dangerous
 * actions require a recent sign-in or confirmation. Wrong passwords are slowed down as at login.
 */
import type { App } from "#lib/app.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import { sessionEndedFault } from "#lib/domains/auth/authorize-transactions.ts";
import { confirmSession } from "#lib/domains/auth/sessions.ts";
import { recordChange } from "#lib/changes/record.ts";
import { Fault } from "#lib/base/errors.ts";
import { getCallerNetwork } from "#lib/base/limits/address.ts";
import { findAccount, lockAccount } from "#lib/domains/users/store.ts";

interface Confirmation {
  readonly password: string;
}

interface ConfirmationResult {
  /** The time until which the session counts as recent. */
  readonly recentUntil: Date;
}

/**
 * Confirms the caller's session. `signal` aborts the wait for a free slot to check the password. Throws a fault:
 * `forbidden` (`wrong_password`), `limited` (`too_many_tries`) or `unavailable` (`busy`).
 */
export async function confirmOwnSession(
  app: App,
  actor: Actor,
  { password }: Confirmation,
  signal?: AbortSignal,
): Promise<ConfirmationResult> {
  const queueEntry = { caller: getCallerNetwork(actor.ip), signal };
  const result = await app.loginAttempts.run({ ...queueEntry, email: actor.email }, async () => {
    const account = await findAccount(app.db.rows, actor.email);
    const outcome = await app.passwords.verify(password, account?.passwordHash ?? null, queueEntry);
    if (!account || outcome === "wrong") return null;
    return await app.db.transact(async (tx) => {
      // Throws if another request has changed the password, because that also ended this session.
      const recentUntil = await lockAccount(tx, account) ? await confirmSession(tx, actor.credential.id) : null;
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
