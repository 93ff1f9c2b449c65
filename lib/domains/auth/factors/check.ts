/**
 * Checks second factors. Wrong codes of authenticator apps are slowed down for the account, on all replicas: after
 * FREE_FAILURES wrong codes in a row, each code must wait, at most LONGEST_PAUSE. This delays only codes of apps, so
 * that the user can always sign in with a recovery code.
 */
import { sql } from "kysely";
import type { App } from "#lib/app.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import { Fault } from "#lib/base/errors.ts";
import { MINUTE, SECOND } from "#lib/base/time.ts";
import type { PasskeyResponse } from "#lib/domains/auth/factors/passkey-views.ts";
import { type ChallengeUse, checkPasskey } from "#lib/domains/auth/factors/passkeys.ts";
import { redeemRecoveryCode } from "#lib/domains/auth/factors/recovery-codes.ts";
import { recordFactorUse } from "#lib/domains/auth/factors/store.ts";
import { findTotpStep } from "#lib/domains/auth/factors/totp.ts";

/** A second factor that a user entered: the code of an app, a recovery code, or the response of a passkey. */
export interface FactorInput {
  readonly code?: string | undefined;
  readonly recoveryCode?: string | undefined;
  readonly passkey?: PasskeyResponse | undefined;
}

/** How a user proved the second factor, or what was wrong with it. */
export type FactorCheck =
  | { readonly proof: "totp" | "recovery_code" | "passkey" }
  | { readonly proof: null; readonly wrong: string };

export const FREE_FAILURES = 5; // wrong codes before pauses begin
const FIRST_PAUSE = SECOND, LONGEST_PAUSE = 5 * MINUTE; // 288 guesses a day find a code in about three years

/**
 * Checks a second factor and uses it up. `challenge` is what the challenge of a passkey was issued for. The caller must
 * have locked the user's row. Throws a fault: `limited` (`too_many_codes`) or `invalid` (`factor_needed`).
 */
export async function checkFactor(
  tx: Tx,
  { secrets, config: { publicUrl } }: Pick<App, "secrets" | "config">,
  userId: string,
  { code, recoveryCode, passkey }: FactorInput,
  challenge: ChallengeUse,
): Promise<FactorCheck> {
  if (passkey !== undefined) {
    const checked = await checkPasskey(tx, publicUrl, passkey, { ...challenge, userId });
    return "wrong" in checked ? { proof: null, ...checked } : { proof: "passkey" };
  }
  if (recoveryCode !== undefined) {
    const isRight = await redeemRecoveryCode(tx, userId, recoveryCode);
    return isRight ? { proof: "recovery_code" } : { proof: null, wrong: "The recovery code is wrong or was used" };
  }
  if (code === undefined) throw factorNeededFault();
  await requireCodeAllowed(tx, userId);
  const isRight = await checkCode(tx, secrets, userId, code);
  await tx.updateTable("users").set(
    isRight
      ? { codeFailures: 0, codeFailedAt: null }
      : { codeFailures: sql<number>`code_failures + 1`, codeFailedAt: sql<Date>`wheelwright_now()` },
  ).where("id", "=", userId).execute();
  return isRight ? { proof: "totp" } : { proof: null, wrong: "The code is wrong or was used" };
}

/** Returns how many wrong codes were entered in a row. */
export async function readCodeFailures(tx: Tx, userId: string): Promise<number> {
  const row = await tx.selectFrom("users").select("codeFailures").where("id", "=", userId).executeTakeFirstOrThrow();
  return row.codeFailures;
}

async function checkCode(tx: Tx, secrets: App["secrets"], userId: string, code: string): Promise<boolean> {
  const apps = await tx.selectFrom("factors").select([
    "id",
    "totpSecret",
    "totpLastStep",
    sql<Date>`wheelwright_now()`.as("now"),
  ])
    .where("userId", "=", userId).where("kind", "=", "totp").where("activatedAt", "is not", null).execute();
  for (const { id, totpSecret, totpLastStep, now } of apps) {
    const lastStep = totpLastStep === null ? null : Number(totpLastStep);
    const step = findTotpStep(secrets.open(totpSecret!, `factor:${id}`), code, now, lastStep);
    if (step === null) continue;
    await recordFactorUse(tx, id, step);
    return true;
  }
  return false;
}

async function requireCodeAllowed(tx: Tx, userId: string): Promise<void> {
  const { codeFailures, wait } = await tx.selectFrom("users")
    .select([
      "codeFailures",
      sql<number | null>`extract(epoch from wheelwright_now() - code_failed_at)::float8`.as("wait"),
    ])
    .where("id", "=", userId).executeTakeFirstOrThrow();
  if (codeFailures < FREE_FAILURES || wait === null) return;
  const pause = Math.min(FIRST_PAUSE * 2 ** (codeFailures - FREE_FAILURES), LONGEST_PAUSE) / SECOND;
  if (wait >= pause) return;
  const message = `Too many wrong codes; wait ${Math.ceil(pause - wait)} s, or use a recovery code`;
  throw new Fault("limited", "too_many_codes", message, { retryAfter: pause - wait });
}

export function factorNeededFault(): Fault {
  const message = "Enter a code of your authenticator app as code, a recovery code as recoveryCode, or a passkey";
  return new Fault("invalid", "factor_needed", message);
}

export function wrongFactorFault(): Fault {
  const message = "The second factor is wrong, or was used before; try again with a new code";
  return new Fault("forbidden", "wrong_factor", message, { fields: { code: message } });
}
