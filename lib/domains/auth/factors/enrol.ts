/**
 * Lets users add, rename and remove their second factors. An app counts only after the user has entered its first code.
 * The first factor ends the user's other sessions, which began without it, and comes with recovery codes.
 */
import type { App } from "#lib/app.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import { sessionEndedFault } from "#lib/domains/auth/authorize-transactions.ts";
import { announceFactorChange } from "#lib/domains/auth/factors/announce.ts";
import { countRecoveryCodes, replaceRecoveryCodes } from "#lib/domains/auth/factors/recovery-codes.ts";
import { deleteUserFactors, type Factor, FACTOR_COLUMNS, factorMissingFault } from "#lib/domains/auth/factors/store.ts";
import { listActiveFactors, requiresFactor } from "#lib/domains/auth/factors/store.ts";
import { buildTotpUri, createTotpSecret, findTotpStep } from "#lib/domains/auth/factors/totp.ts";
import { endOtherSessions, lockSession } from "#lib/domains/auth/sessions.ts";
import { requireVerifiedEmail } from "#lib/domains/auth/verify-email.ts";
import { recordChange } from "#lib/changes/record.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import { sql } from "kysely";
import { Fault } from "#lib/base/errors.ts";
import { createId } from "#lib/base/ids.ts";
import { type LockedUser, lockUser } from "#lib/domains/users/store.ts";

const MAX_FACTORS = 10;

export interface NewTotp {
  readonly id: string;
  readonly name: string;
  /** The secret in base32, for apps on devices without a camera. */
  readonly secret: string;
  /** The address in the QR code. */
  readonly uri: string;
}

export interface ActivatedFactor {
  readonly factor: Factor;
  /** The new recovery codes, if this is the user's first factor; otherwise null. */
  readonly recoveryCodes: string[] | null;
}

/**
 * Creates the secret for an authenticator app. Replaces secrets whose first code was never entered. Throws a fault:
 * `forbidden` (`unverified`) or `conflict` (`too_many_factors`, `secrets_key_missing`).
 */
export async function createTotp(app: App, actor: Actor, name: string): Promise<NewTotp> {
  const id = createId("fac"), secret = createTotpSecret(), totpSecret = app.secrets.seal(secret, `factor:${id}`);
  await app.db.transact(async (tx) => {
    const user = await lockOwnUser(tx, actor);
    requireVerifiedEmail(user);
    await tx.deleteFrom("factors").where("userId", "=", user.id).where("activatedAt", "is", null).execute();
    if ((await listActiveFactors(tx, user.id)).length >= MAX_FACTORS) {
      throw new Fault("conflict", "too_many_factors", `You have ${MAX_FACTORS} second factors; remove one first`);
    }
    await tx.insertInto("factors").values({ id, userId: user.id, kind: "totp", name, totpSecret }).execute();
  });
  return { id, name, secret, uri: buildTotpUri(secret, app.config.publicUrl.host, actor.email) };
}

/**
 * Activates an authenticator app with its first code. Throws a fault: `missing` (`factor_missing`) or `forbidden`
 * (`wrong_factor`).
 */
export async function activateTotp(app: App, actor: Actor, id: string, code: string): Promise<ActivatedFactor> {
  const at = await app.db.now();
  return await app.db.transact(async (tx) => {
    const user = await lockOwnUser(tx, actor);
    const row = await tx.selectFrom("factors").select(["name", "totpSecret"]).where("id", "=", id)
      .where("userId", "=", user.id).where("kind", "=", "totp").where("activatedAt", "is", null).executeTakeFirst();
    if (!row) throw factorMissingFault();
    const step = findTotpStep(app.secrets.open(row.totpSecret!, `factor:${id}`), code, at, null);
    if (step === null) throw wrongFactorFault();
    const isFirst = (await listActiveFactors(tx, user.id)).length === 0;
    const factor = await tx.updateTable("factors")
      .set({ activatedAt: sql<Date>`wheelwright_now()`, totpLastStep: step }).where("id", "=", id)
      .returning(FACTOR_COLUMNS).executeTakeFirstOrThrow();
    const recoveryCodes = isFirst ? await replaceRecoveryCodes(tx, user.id) : null;
    if (isFirst) await endOtherSessions(tx, user.id, actor.credential.id);
    await recordChange(tx, actor, announceFactorChange(user, "factor_added", { at, ip: actor.ip, ...row }));
    return { factor, recoveryCodes };
  });
}

/** Renames a factor. Throws a `missing` fault (`factor_missing`) for another user's factor. */
export async function renameFactor(app: App, actor: Actor, id: string, name: string): Promise<Factor> {
  return await app.db.transact(async (tx) => {
    await lockOwnUser(tx, actor);
    const factor = await tx.updateTable("factors").set({ name }).where("id", "=", id)
      .where("userId", "=", actor.userId).where("activatedAt", "is not", null).returning(FACTOR_COLUMNS)
      .executeTakeFirst();
    if (!factor) throw factorMissingFault();
    const metadata = { factorId: id, name };
    await recordChange(tx, actor, {
      audit: [{ kind: "factor_renamed", objectType: "user", objectId: actor.userId, metadata }],
    });
    return factor;
  });
}

/**
 * Removes a factor; with the last factor, also the recovery codes. Throws a fault: `missing` (`factor_missing`) or
 * `conflict` (`last_factor`) if the user must have a second factor.
 */
export async function removeFactor(app: App, actor: Actor, id: string): Promise<void> {
  const at = await app.db.now();
  await app.db.transact(async (tx) => {
    const user = await lockOwnUser(tx, actor), active = await listActiveFactors(tx, user.id);
    const factor = active.find((each) => each.id === id);
    if (!factor) throw factorMissingFault();
    if (active.length === 1) {
      if (requiresFactor(app.config.requireSecondFactor, actor.role)) throw lastFactorFault();
      await deleteUserFactors(tx, user.id);
    } else {
      await tx.deleteFrom("factors").where("id", "=", id).execute();
    }
    await recordChange(tx, actor, announceFactorChange(user, "factor_removed", { at, ip: actor.ip, ...factor }));
  });
}

/** Replaces the user's recovery codes. Throws a `missing` fault (`factor_missing`) if the user has no second factor. */
export async function renewRecoveryCodes(app: App, actor: Actor): Promise<{ readonly recoveryCodes: string[] }> {
  const at = await app.db.now();
  return await app.db.transact(async (tx) => {
    const user = await lockOwnUser(tx, actor);
    if ((await listActiveFactors(tx, user.id)).length === 0) throw factorMissingFault();
    const recoveryCodes = await replaceRecoveryCodes(tx, user.id);
    await recordChange(tx, actor, announceFactorChange(user, "recovery_codes_renewed", { at, ip: actor.ip }));
    return { recoveryCodes };
  });
}

/** Locks the caller's row, and the session, so that it cannot end before the transaction does. */
async function lockOwnUser(tx: Tx, { userId, credential }: Actor): Promise<LockedUser> {
  const user = await lockUser(tx, { id: userId });
  if (!user || !await lockSession(tx, credential.id)) throw sessionEndedFault();
  return user;
}

export function wrongFactorFault(): Fault {
  const message = "The code is wrong, or was used before; wait for the next code";
  return new Fault("forbidden", "wrong_factor", message, { fields: { code: message } });
}

function lastFactorFault(): Fault {
  const message = "You must have a second factor; add another one before you remove this one";
  return new Fault("conflict", "last_factor", message);
}

/** Lists the caller's second factors. */
export async function listOwnFactors(app: App, actor: Actor) {
  return {
    factors: await listActiveFactors(app.db.rows, actor.userId),
    recoveryCodes: await countRecoveryCodes(app.db.rows, actor.userId),
    required: requiresFactor(app.config.requireSecondFactor, actor.role),
  };
}
