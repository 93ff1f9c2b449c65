/** Finishes pending sign-ins with a second factor, and records right and wrong second factors. */
import { sql } from "kysely";
import type { App } from "#lib/app.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import type { RequestOrigin } from "#lib/domains/auth/authenticate.ts";
import { createSessionCookie } from "#lib/domains/auth/cookie.ts";
import { announceFactorChange } from "#lib/domains/auth/factors/announce.ts";
import { checkFactor, type FactorInput } from "#lib/domains/auth/factors/check.ts";
import {
  beginFullSession,
  findPendingSignIn,
  signInExpiredFault,
  type StartedSignIn,
} from "#lib/domains/auth/pending-sign-in.ts";
import { recordChange } from "#lib/changes/record.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import { Fault } from "#lib/base/errors.ts";
import { type LockedUser, lockUser, readUser, type User } from "#lib/domains/users/store.ts";

interface SecondStep {
  readonly secret: string | null;
  readonly origin: RequestOrigin;
  readonly previous: Actor | null;
}

/**
 * Finishes a pending sign-in with a second factor. Throws a fault: `unauthenticated` (`sign_in_expired`, `wrong_code`),
 * `limited` (`too_many_codes`) or `invalid` (`factor_needed`).
 */
export async function finishSignIn(
  app: App,
  { secret, origin, previous }: SecondStep,
  input: FactorInput,
): Promise<{ readonly user: User; readonly cookie: string }> {
  const found = await findPendingSignIn(app.db.rows, secret);
  if (!found) throw signInExpiredFault();
  const at = await app.db.now();
  const started = await app.db.transact(async (tx) => {
    const user = await lockUser(tx, { id: found.userId }), pending = await findPendingSignIn(tx, secret);
    if (!user || !pending) throw signInExpiredFault();
    const challenge = { purpose: "second-factor", binding: pending.id } as const;
    const checked = await checkFactor(tx, app, user.id, input, challenge);
    if (checked.proof === null) return await recordWrongFactor(tx, user, origin, checked.wrong, pending.id);
    await tx.updateTable("pending_sign_ins").set({ endedAt: sql<Date>`wheelwright_now()` })
      .where("id", "=", pending.id).execute();
    const session = await beginFullSession(tx, user.id, origin, pending.method, previous);
    await recordSignIn(tx, user, origin, { session, at, usedRecoveryCode: checked.proof === "recovery_code" });
    return session;
  });
  if (!started) throw wrongCodeFault();
  const user = await readUser(app.db.rows, found.userId);
  return { user, cookie: createSessionCookie(app.config.publicUrl, started.secret) };
}

interface FinishedSignIn {
  readonly session: StartedSignIn;
  readonly at: Date;
  readonly usedRecoveryCode: boolean;
}

/** Records a sign-in with a second factor. Emails the user if a recovery code was used. */
export async function recordSignIn(
  tx: Tx,
  user: LockedUser,
  origin: RequestOrigin,
  { session, at, usedRecoveryCode }: FinishedSignIn,
): Promise<void> {
  const { audit = [], jobs = [] } = usedRecoveryCode
    ? announceFactorChange(user, "recovery_code_used", { at, ip: origin.ip })
    : {};
  await recordChange(tx, asRequester(user, origin), { audit: [session.entry, ...audit], jobs });
}

/** Records what was wrong with a second factor, and counts it for the pending sign-in. Returns null. */
export async function recordWrongFactor(
  tx: Tx,
  user: LockedUser,
  origin: RequestOrigin,
  wrong: string,
  pendingId?: string,
): Promise<null> {
  if (pendingId !== undefined) {
    await tx.updateTable("pending_sign_ins").set({ failures: sql<number>`failures + 1` }).where("id", "=", pendingId)
      .execute();
  }
  await recordChange(tx, asRequester(user, origin), {
    audit: [{ kind: "second_factor_failed", objectType: "user", objectId: user.id, metadata: { reason: wrong } }],
  });
  return null;
}

function asRequester({ id: userId, email }: LockedUser, { ip, userAgent }: RequestOrigin) {
  return { userId, email, ip, userAgent, tokenPrefix: null };
}

export function wrongCodeFault(): Fault {
  return new Fault("unauthenticated", "wrong_code", "The code is wrong, or was used before; wait for the next code");
}
