/**
 * Lets users add second factors. A factor counts only after its activation: with the first code of an app, or with the
 * response of a new passkey. The first factor ends the user's other sessions, which began without it, and comes with
 * recovery codes.
 */
import { sql } from "kysely";
import type { App } from "#lib/app.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import { announceFactorChange } from "#lib/domains/auth/factors/announce.ts";
import { type FactorInput, factorNeededFault, wrongFactorFault } from "#lib/domains/auth/factors/check.ts";
import { lockOwnUser } from "#lib/domains/auth/factors/own-user.ts";
import { checkNewPasskey, createRegistrationOptions } from "#lib/domains/auth/factors/passkeys.ts";
import { replaceRecoveryCodes } from "#lib/domains/auth/factors/recovery-codes.ts";
import { type Factor, FACTOR_COLUMNS, factorMissingFault, listActiveFactors } from "#lib/domains/auth/factors/store.ts";
import { buildTotpUri, createTotpSecret, findTotpStep } from "#lib/domains/auth/factors/totp.ts";
import type { NewFactor } from "#lib/domains/auth/factors/views.ts";
import { endOtherSessions } from "#lib/domains/auth/sessions.ts";
import { requireVerifiedEmail } from "#lib/domains/auth/verify-email.ts";
import { recordChange } from "#lib/changes/record.ts";
import { Fault } from "#lib/base/errors.ts";
import { createId } from "#lib/base/ids.ts";

const MAX_FACTORS = 10;

export interface ActivatedFactor {
  readonly factor: Factor;
  /** The new recovery codes, if this is the user's first factor; otherwise null. */
  readonly recoveryCodes: string[] | null;
}

/**
 * Begins to add a second factor. Replaces factors that were never activated. Throws a fault: `forbidden` (`unverified`)
 * or `conflict` (`too_many_factors`, `secrets_key_missing`).
 */
export async function createFactor(
  app: App,
  actor: Actor,
  { kind, name }: Pick<NewFactor, "kind" | "name">,
): Promise<NewFactor> {
  const id = createId("fac"), secret = kind === "totp" ? createTotpSecret() : null;
  const totpSecret = secret === null ? null : app.secrets.seal(secret, `factor:${id}`);
  await app.db.transact(async (tx) => {
    const user = await lockOwnUser(tx, actor);
    requireVerifiedEmail(user);
    await tx.deleteFrom("factors").where("userId", "=", user.id).where("activatedAt", "is", null).execute();
    if ((await listActiveFactors(tx, user.id)).length >= MAX_FACTORS) {
      throw new Fault("conflict", "too_many_factors", `You have ${MAX_FACTORS} second factors; remove one first`);
    }
    await tx.insertInto("factors").values({ id, userId: user.id, kind, name, totpSecret }).execute();
  });
  const uri = secret === null ? null : buildTotpUri(secret, app.config.publicUrl.host, actor.email);
  const use = { purpose: "register", binding: id } as const;
  const options = kind === "totp" ? null : await createRegistrationOptions(app, { ...actor, id: actor.userId }, use);
  return { id, kind, name, secret, uri, options };
}

/**
 * Activates a second factor with the first code of an app, or with the response of a new passkey. Throws a fault:
 * `missing` (`factor_missing`), `invalid` (`factor_needed`) or `forbidden` (`wrong_factor`).
 */
export async function activateFactor(
  app: App,
  actor: Actor,
  id: string,
  input: Pick<FactorInput, "code" | "passkey">,
): Promise<ActivatedFactor> {
  const at = await app.db.now();
  const activated = await app.db.transact(async (tx) => {
    const user = await lockOwnUser(tx, actor);
    const row = await tx.selectFrom("factors").select(["kind", "name", "totpSecret"]).where("id", "=", id)
      .where("userId", "=", user.id).where("activatedAt", "is", null).executeTakeFirst();
    if (!row) throw factorMissingFault();
    const columns = row.kind === "totp"
      ? checkFirstCode(app.secrets.open(row.totpSecret!, `factor:${id}`), input.code, at)
      : await checkNewPasskey(tx, app.config.publicUrl, id, input.passkey);
    if (columns === null) return null;
    const isFirst = (await listActiveFactors(tx, user.id)).length === 0;
    const factor = await tx.updateTable("factors").set({ activatedAt: sql<Date>`wheelwright_now()`, ...columns })
      .where("id", "=", id).returning(FACTOR_COLUMNS).executeTakeFirstOrThrow();
    const recoveryCodes = isFirst ? await replaceRecoveryCodes(tx, user.id) : null;
    if (isFirst) await endOtherSessions(tx, user.id, actor.credential.id);
    await recordChange(tx, actor, announceFactorChange(user, "factor_added", { at, ip: actor.ip, id, name: row.name }));
    return { factor, recoveryCodes };
  });
  if (!activated) throw wrongFactorFault();
  return activated;
}

function checkFirstCode(secret: string, code: string | undefined, at: Date) {
  if (code === undefined) throw factorNeededFault();
  const totpLastStep = findTotpStep(secret, code, at, null);
  return totpLastStep === null ? null : { totpLastStep };
}
