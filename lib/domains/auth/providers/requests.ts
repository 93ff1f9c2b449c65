/**
 * Stores the sign-ins that browsers have started at a provider. Any replica can finish a sign-in. It counts once, for ten
 * minutes, and only in the browser that started it. Otherwise an attacker could sign a victim in to the attacker's account.
 */
import { createHmac } from "node:crypto";
import { sql } from "kysely";
import { createSecret, hashSecret, hasSecretFormat } from "#lib/drivers/crypto/secret.ts";
import type { RowQueries, Tx } from "#lib/drivers/db/database.ts";
import type { SignInSecrets } from "#lib/openid/client.ts";

export interface SignInRequest {
  readonly provider: string;
  readonly nextPath: string;
  /** The ID of the invitation that the person accepts by signing in; null without an invitation. */
  readonly invitationId: string | null;
}

/** A started sign-in that the provider's answer belongs to, or why there is none. */
export type FoundRequest =
  | { readonly request: SignInRequest; readonly problem?: "other_browser" | "other_provider" }
  | { readonly request: null; readonly problem: "unknown" };

/** Stores a sign-in and returns its secrets. `browser` is the secret in the browser's cookie. */
export async function insertSignInRequest(
  rows: RowQueries,
  browser: string,
  request: SignInRequest,
): Promise<SignInSecrets> {
  const state = createSecret();
  await rows.insertInto("sign_in_requests")
    .values({ stateHash: hashSecret(state), browserHash: hashSecret(browser), ...request }).execute();
  return deriveSecrets(browser, state);
}

/**
 * Finds the sign-in with this state and deletes it, so that it counts only once. The caller commits before it uses the
 * code. If the process stops in between, the person starts again.
 */
export async function takeSignInRequest(
  tx: Tx,
  { state, browser, provider }: { readonly state: string; readonly browser: string | null; readonly provider: string },
): Promise<FoundRequest> {
  const row = hasSecretFormat(state) &&
    await tx.deleteFrom("sign_in_requests").where("stateHash", "=", hashSecret(state))
      .returning([
        "provider",
        "nextPath",
        "invitationId",
        "browserHash",
        sql<boolean>`created_at > wheelwright_now() - interval '10 minutes'`.as("fresh"),
      ]).executeTakeFirst();
  if (!row || !row.fresh) return { request: null, problem: "unknown" };
  const { fresh: _, browserHash, ...request } = row;
  const isSameBrowser = browser !== null && hasSecretFormat(browser) &&
    Buffer.compare(hashSecret(browser), browserHash) === 0;
  if (!isSameBrowser) return { request, problem: "other_browser" };
  // An attacker with one provider could otherwise have its answer accepted as an answer of another provider.
  return row.provider === provider ? { request } : { request, problem: "other_provider" };
}

/** Derives the nonce and the PKCE verifier from the browser's secret and the state, so that neither is stored. */
export function deriveSecrets(browser: string, state: string): SignInSecrets {
  const derive = (purpose: string) => createHmac("sha256", browser).update(`${purpose} ${state}`).digest("base64url");
  return { state, nonce: derive("nonce"), verifier: derive("verifier") };
}
