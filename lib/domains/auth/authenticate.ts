/**
 * Who calls: the user of a bearer token, or of the browser's session cookie.
 *
 * A client that sends an Authorization header means it: when it is no good the answer is 401, and never what a cookie that
 * happens to lie beside it would allow. All that can be wrong with one is answered alike.
 */
import type { App } from "#lib/app.ts";
import type { Actor, Credential } from "#lib/domains/auth/access.ts";
import { readCookie } from "#lib/domains/auth/cookie.ts";
import { findSession, findToken, recordSessionUse, recordTokenUse } from "#lib/domains/auth/credentials.ts";
import { hashSecret, isSecret } from "#lib/drivers/crypto/secret.ts";
import { isToken } from "#lib/drivers/crypto/token.ts";
import type { Database } from "#lib/drivers/db/database.ts";
import { Fault } from "#lib/base/errors.ts";
import type { User } from "#lib/domains/users/store.ts";

/** Where a request comes from, for the audit log. */
export interface RequestOrigin {
  readonly ip: string;
  readonly userAgent: string;
}

const BEARER = /^bearer +(\S+)$/i;

/**
 * The caller, or null for nobody: no header, and no cookie of a live session. Throws Fault unauthenticated
 * `bad_credentials` for an Authorization header that is malformed, unknown, expired or revoked.
 */
export async function authenticate(app: App, request: Request, origin: RequestOrigin): Promise<Actor | null> {
  const header = request.headers.get("authorization");
  return header === null
    ? await authenticateSession(app, request, origin)
    : await authenticateToken(app, header, origin);
}

/**
 * The same caller, later: null when the session has ended, the token was revoked or has expired, or the user was
 * disabled since. For what goes on for long, such as a stream; it does not count as use.
 */
export async function reauthenticate(
  { db }: { readonly db: Pick<Database, "rows"> },
  actor: Actor,
): Promise<Actor | null> {
  const { credential } = actor;
  const find = credential.kind === "session" ? findSession : findToken;
  const found = await find(db.rows, { id: credential.id });
  return found ? toActor(found.user, credential, actor, actor.tokenPrefix) : null;
}

/** Whether a browser is signed in, for pages that everybody sees. That it cannot be known is no, as for nobody. */
export async function hasSession(app: App, request: Request, origin: RequestOrigin): Promise<boolean> {
  return await findSignedInUser(app, request, origin) !== null;
}

/** The user who is signed in in a browser, for pages that everybody sees. Null also if the database cannot say. */
export async function findSignedInUser(app: App, request: Request, origin: RequestOrigin): Promise<Actor | null> {
  try {
    return await authenticateSession(app, request, origin);
  } catch (error) {
    if (error instanceof Fault && error.kind === "unavailable") return null;
    throw error;
  }
}

async function authenticateToken(app: App, header: string, origin: RequestOrigin): Promise<Actor> {
  const [, token] = BEARER.exec(header) ?? [];
  if (token === undefined || !isToken(token)) throw badCredentialsFault();
  const found = await findToken(app.db.rows, { hash: hashSecret(token) });
  if (!found) throw badCredentialsFault();
  if (found.stale) await recordTokenUse(app.db.rows, found.id);
  return toActor(found.user, { kind: "token", id: found.id, scope: found.scope }, origin, found.prefix);
}

async function authenticateSession(app: App, request: Request, origin: RequestOrigin): Promise<Actor | null> {
  const secret = readCookie(app.config.publicUrl, request);
  if (secret === null || !isSecret(secret)) return null;
  const found = await findSession(app.db.rows, { hash: hashSecret(secret) });
  if (!found) return null;
  if (found.stale) await recordSessionUse(app.db.rows, found.id);
  return toActor(found.user, { kind: "session", id: found.id }, origin, null);
}

function toActor(
  user: User,
  credential: Credential,
  { ip, userAgent }: RequestOrigin,
  tokenPrefix: string | null,
): Actor {
  const { id: userId, email, displayName, role, federationIds, spokeIds } = user;
  return { userId, email, displayName, role, federationIds, spokeIds, credential, ip, userAgent, tokenPrefix };
}

/** The one answer for an Authorization header that opens nothing, whatever the reason. */
export function badCredentialsFault(): Fault {
  return new Fault("unauthenticated", "bad_credentials", "The Authorization header has no valid token");
}
