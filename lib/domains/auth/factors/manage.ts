/** Lets users list, rename and remove their second factors, and renew their recovery codes. */
import type { App } from "#lib/app.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import { announceFactorChange } from "#lib/domains/auth/factors/announce.ts";
import { lockOwnUser } from "#lib/domains/auth/factors/own-user.ts";
import { countRecoveryCodes, replaceRecoveryCodes } from "#lib/domains/auth/factors/recovery-codes.ts";
import {
  deleteUserFactors,
  type Factor,
  FACTOR_COLUMNS,
  factorMissingFault,
  listActiveFactors,
  requiresFactor,
} from "#lib/domains/auth/factors/store.ts";
import { recordChange } from "#lib/changes/record.ts";
import { Fault } from "#lib/base/errors.ts";

/** Lists the caller's second factors. */
export async function listOwnFactors(app: App, actor: Actor) {
  return {
    factors: await listActiveFactors(app.db.rows, actor.userId),
    recoveryCodes: await countRecoveryCodes(app.db.rows, actor.userId),
    required: requiresFactor(app.config.requireSecondFactor, actor.role),
  };
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

function lastFactorFault(): Fault {
  const message = "You must have a second factor; add another one before you remove this one";
  return new Fault("conflict", "last_factor", message);
}
