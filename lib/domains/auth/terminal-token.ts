/**
 * Creates the API token of a sign-in from a terminal. A secret is redeemed once, in the transaction that creates the
 * token. If the answer is lost, the token exists: its owner sees and revokes it in the list of tokens.
 */
import { hash } from "node:crypto";
import { sql } from "kysely";
import { encodeBase64urlNoPadding } from "@oslojs/encoding";
import type { App } from "#lib/app.ts";
import type { RequestOrigin } from "#lib/domains/auth/authenticate.ts";
import { findSession } from "#lib/domains/auth/credentials.ts";
import { lockSession } from "#lib/domains/auth/sessions.ts";
import { POLL_SECONDS, requirePortal } from "#lib/domains/auth/terminal-sign-in.ts";
import { insertToken, type NewApiToken } from "#lib/domains/auth/tokens.ts";
import { lockUser } from "#lib/domains/users/store.ts";
import { hashSecret, hasSecretFormat } from "#lib/drivers/crypto/secret.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import { Fault } from "#lib/base/errors.ts";

/** A terminal's proof: a device code, or a code with the PKCE verifier and the port to which the code was returned. */
interface Redemption {
  readonly deviceCode?: string | undefined;
  readonly code?: string | undefined;
  readonly verifier?: string | undefined;
  readonly port?: number | undefined;
}

/** Terminals may poll this many seconds early, because networks delay some polls more than others. */
const TOLERANCE_SECONDS = 1;

/**
 * Redeems a secret for a token. Throws a fault: `impossible` (`sign_in_spent`), or for a device code also `conflict`
 * (`sign_in_pending`), `limited` (`polled_too_soon`) or `forbidden` (`sign_in_denied`).
 */
export async function redeemTerminalSignIn(
  app: App,
  origin: RequestOrigin,
  redemption: Redemption,
): Promise<NewApiToken> {
  requirePortal(app);
  const { deviceCode, code = "" } = redemption, flow = deviceCode === undefined ? "browser" : "device";
  const outcome = await app.db.transact(async (tx) => {
    const signIn = await lockSignIn(tx, deviceCode ?? code);
    if (!signIn || signIn.isExpired || signIn.flow !== flow) return spentFault();
    if (signIn.state === "pending") return await recordPoll(tx, signIn);
    if (signIn.state === "denied") return deniedFault();
    if (signIn.state === "used") return spentFault();
    await updateSignIn(tx, signIn.id, { state: "used" }); // also for a wrong verifier, which may be a stolen code
    if (flow === "browser" && !matchesChallenge(redemption, signIn)) return spentFault();
    return await createSignInToken(tx, origin, signIn);
  });
  if (outcome instanceof Fault) throw outcome; // after the commit
  return outcome;
}

type SignIn = NonNullable<Awaited<ReturnType<typeof lockSignIn>>>;

async function lockSignIn(tx: Tx, secret: string) {
  if (!hasSecretFormat(secret)) return undefined;
  return await tx.selectFrom("terminal_sign_ins").selectAll()
    .select([
      sql<boolean>`expires_at <= wheelwright_now()`.as("isExpired"),
      sql<boolean>`polled_at > wheelwright_now() - ${POLL_SECONDS - TOLERANCE_SECONDS} * interval '1 second'`.as(
        "isSoon",
      ),
    ]).where("secretHash", "=", hashSecret(secret)).forNoKeyUpdate().executeTakeFirst();
}

async function recordPoll(tx: Tx, { id, isSoon }: SignIn): Promise<Fault> {
  await updateSignIn(tx, id, { polledAt: sql<Date>`wheelwright_now()` });
  if (!isSoon) return new Fault("conflict", "sign_in_pending", "Nobody has approved the sign-in yet; ask again in 5 s");
  const message = `Ask at most every ${POLL_SECONDS} s whether the sign-in was approved`;
  return new Fault("limited", "polled_too_soon", message, { retryAfter: POLL_SECONDS });
}

async function updateSignIn(
  tx: Tx,
  id: string,
  change: { readonly state: "used" } | { readonly polledAt: ReturnType<typeof sql<Date>> },
): Promise<void> {
  await tx.updateTable("terminal_sign_ins").set(change).where("id", "=", id).execute();
}

function matchesChallenge({ verifier = "", port }: Redemption, signIn: SignIn): boolean {
  const challenge = encodeBase64urlNoPadding(hash("sha256", verifier, "buffer"));
  return challenge === signIn.challenge && port === signIn.port;
}

/** Creates the token if the session of the user who approved the sign-in is still valid. */
async function createSignInToken(tx: Tx, origin: RequestOrigin, signIn: SignIn): Promise<NewApiToken | Fault> {
  const { sessionId: id, name, scope, tokenExpiresAt, federationIds } = signIn;
  const before = id === null ? undefined : await findSession(tx, { id });
  if (id === null || !before) return spentFault();
  await lockUser(tx, { id: before.user.id }); // before the session, like transactions that disable the user
  const session = await lockSession(tx, id) ? await findSession(tx, { id }) : undefined;
  if (!session) return spentFault();
  const { id: userId, ...user } = session.user;
  const requester = { ...user, userId, ...origin, tokenPrefix: null };
  return await insertToken(tx, requester, {
    ...{ name, scope, expiresAt: tokenExpiresAt ?? undefined, federationIds: federationIds ?? undefined },
  });
}

function spentFault(): Fault {
  const message = "This sign-in was used, has expired or was never valid; sign in again";
  return new Fault("impossible", "sign_in_spent", message);
}

function deniedFault(): Fault {
  return new Fault("forbidden", "sign_in_denied", "The sign-in was denied in the browser");
}
