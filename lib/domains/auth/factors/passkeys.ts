/** Issues challenges for passkeys, registers new passkeys, and checks the use of registered ones. */
import { sql } from "kysely";
import { encodeBase64urlNoPadding } from "@oslojs/encoding";
import type { App } from "#lib/app.ts";
import { createSecret, hashSecret } from "#lib/drivers/crypto/secret.ts";
import type { RowQueries, Tx } from "#lib/drivers/db/database.ts";
import { getErrorMessage } from "#lib/base/errors.ts";
import { MINUTE } from "#lib/base/time.ts";
import type { PasskeyResponse } from "#lib/domains/auth/factors/passkey-views.ts";
import {
  PASSKEY_ALGORITHMS,
  readChallenge,
  type RegisteredPasskey,
  verifyAssertion,
  verifyRegistration,
} from "#lib/domains/auth/factors/webauthn.ts";

const LIFETIME_MINUTES = 5; // of a challenge

/** The use of a challenge. `binding` names the session, pending sign-in or browser that requested it. */
export interface ChallengeUse {
  readonly purpose: "register" | "sign-in" | "second-factor" | "confirm";
  readonly binding: string;
}

/** Issues a challenge, which works once. Returns it in base64url. */
async function issueChallenge(rows: RowQueries, { purpose, binding }: ChallengeUse): Promise<string> {
  const challenge = createSecret();
  await rows.insertInto("passkey_challenges").values({ challengeHash: hashSecret(challenge), purpose, binding })
    .execute();
  return challenge;
}

/** Uses up a challenge. Returns whether it was issued for this use within the last minutes. */
async function useChallenge(tx: Tx, challenge: Uint8Array, { purpose, binding }: ChallengeUse): Promise<boolean> {
  const used = await tx.deleteFrom("passkey_challenges")
    .where("challengeHash", "=", hashSecret(encodeBase64urlNoPadding(challenge)))
    .where("purpose", "=", purpose).where("binding", "=", binding)
    .where("createdAt", ">", sql<Date>`wheelwright_now() - make_interval(mins => ${LIFETIME_MINUTES})`)
    .returning("purpose").executeTakeFirst();
  return used !== undefined;
}

/** Returns the options with which a browser creates a passkey. */
export async function createRegistrationOptions(
  { config, db }: Pick<App, "config" | "db">,
  user: { readonly id: string; readonly email: string; readonly displayName: string },
  use: ChallengeUse,
) {
  const existing = await listCredentialIds(db.rows, user.id);
  return {
    rp: { id: config.publicUrl.hostname, name: "Wheelwright" },
    user: {
      id: encodeBase64urlNoPadding(new TextEncoder().encode(user.id)),
      name: user.email,
      displayName: user.displayName,
    },
    challenge: await issueChallenge(db.rows, use),
    pubKeyCredParams: PASSKEY_ALGORITHMS.map((alg) => ({ type: "public-key" as const, alg })),
    excludeCredentials: existing.map(toDescriptor),
    authenticatorSelection: { residentKey: "preferred" as const, userVerification: "preferred" as const },
    attestation: "none" as const,
    timeout: LIFETIME_MINUTES * MINUTE,
  };
}

/** Returns the options with which a browser uses a passkey: one of the user's, or any if `userId` is null. */
export async function createAssertionOptions(
  { config, db }: Pick<App, "config" | "db">,
  userId: string | null,
  use: ChallengeUse,
) {
  const own = userId === null ? [] : await listCredentialIds(db.rows, userId);
  return {
    rpId: config.publicUrl.hostname,
    challenge: await issueChallenge(db.rows, use),
    allowCredentials: own.map(toDescriptor),
    userVerification: use.purpose === "sign-in" ? "required" as const : "preferred" as const,
    timeout: LIFETIME_MINUTES * MINUTE,
  };
}

/** The result of a check: a value, or a sentence that says what is wrong with the response. */
export type Checked<T> = { readonly value: T } | { readonly wrong: string };

/**
 * Verifies a new passkey, which must not be registered for anybody. Returns the columns to store, or null if the
 * response is wrong.
 */
export async function checkNewPasskey(
  tx: Tx,
  publicUrl: URL,
  factorId: string,
  passkey: PasskeyResponse | undefined,
): Promise<RegisteredPasskey | null> {
  const { clientDataJSON = "", attestationObject = "" } = passkey?.response ?? {};
  const challenge = attempt(() => readChallenge(clientDataJSON));
  const use = { purpose: "register", binding: factorId } as const;
  if ("wrong" in challenge || !await useChallenge(tx, challenge.value, use)) return null;
  const expected = { publicUrl, needsUserVerification: false };
  const checked = attempt(() => verifyRegistration({ clientDataJSON, attestationObject }, expected));
  if ("wrong" in checked) return null;
  const { credentialId } = checked.value;
  const taken = await tx.selectFrom("factors").select("id").where("credentialId", "=", credentialId).executeTakeFirst();
  return taken ? null : checked.value;
}

/** Returns the ID of the user to whom a passkey belongs; null if it is not registered. */
export async function findPasskeyOwner(rows: RowQueries, passkey: PasskeyResponse): Promise<string | null> {
  const row = await rows.selectFrom("factors").select("userId").where("credentialId", "=", toBytes(passkey.id))
    .where("activatedAt", "is not", null).executeTakeFirst();
  return row?.userId ?? null;
}

/** Checks the use of a user's passkey and records it. The caller must have locked the user's row. */
export async function checkPasskey(
  tx: Tx,
  publicUrl: URL,
  { id, response }: PasskeyResponse,
  { userId, ...use }: ChallengeUse & { readonly userId: string },
): Promise<Checked<null>> {
  const { clientDataJSON, authenticatorData = "", signature = "" } = response;
  const challenge = attempt(() => readChallenge(clientDataJSON));
  if ("wrong" in challenge) return challenge;
  if (!await useChallenge(tx, challenge.value, use)) return WRONG_CHALLENGE;
  const row = await tx.selectFrom("factors").select(["id", "publicKey", "signCount"])
    .where("credentialId", "=", toBytes(id)).where("userId", "=", userId).where("activatedAt", "is not", null)
    .executeTakeFirst();
  if (!row) return { wrong: "The passkey is not registered" };
  const stored = { publicKey: row.publicKey!, signCount: Number(row.signCount) };
  const expected = { publicUrl, needsUserVerification: use.purpose === "sign-in" };
  const count = attempt(() => verifyAssertion({ clientDataJSON, authenticatorData, signature }, stored, expected));
  if ("wrong" in count) return count;
  await tx.updateTable("factors").set({ signCount: count.value, lastUsedAt: sql<Date>`wheelwright_now()` })
    .where("id", "=", row.id).execute();
  return { value: null };
}

const WRONG_CHALLENGE = { wrong: "The challenge is unknown, used or expired" };

/** Runs a check that throws an Error for a wrong response. */
function attempt<T>(check: () => T): Checked<T> {
  try {
    return { value: check() };
  } catch (error) {
    return { wrong: getErrorMessage(error) };
  }
}

/** Decodes base64url, of which the schema has checked only the characters. */
function toBytes(text: string): Uint8Array {
  return Buffer.from(text, "base64url");
}

async function listCredentialIds(rows: RowQueries, userId: string): Promise<Uint8Array[]> {
  const found = await rows.selectFrom("factors").select("credentialId").where("userId", "=", userId)
    .where("credentialId", "is not", null).where("activatedAt", "is not", null).orderBy("createdAt").execute();
  return found.map(({ credentialId }) => credentialId!);
}

function toDescriptor(id: Uint8Array) {
  return { type: "public-key" as const, id: encodeBase64urlNoPadding(id) };
}
