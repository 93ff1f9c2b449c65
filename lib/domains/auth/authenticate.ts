/** Finds the caller by bearer token or session cookie. The Authorization header takes precedence over the cookie. */
import type { App } from "#lib/app.ts";
import type { Actor, Credential } from "#lib/domains/auth/access.ts";
import { readSessionCookie } from "#lib/domains/auth/cookie.ts";
import { findSession, findToken, recordSessionUse, recordTokenUse } from "#lib/domains/auth/credentials.ts";
import { hashSecret, hasSecretFormat } from "#lib/drivers/crypto/secret.ts";
import { isApiToken } from "#lib/drivers/crypto/token.ts";
import type { Database } from "#lib/drivers/db/database.ts";
import { Fault } from "#lib/base/errors.ts";
import type { User } from "#lib/domains/users/store.ts";

/** The client that sent a request, as recorded in the audit log. */
export interface RequestOrigin {
  readonly ip: string;
  readonly userAgent: string;
}

const BEARER = /^bearer +(\S+)$/i;

/**
 * Returns the caller, or null if the request has neither an Authorization header nor a valid session cookie. Throws an
 * `unauthenticated` fault (`bad_credentials`) if the token in the header is malformed, unknown, expired or revoked.
 */
export async function authenticate(app: App, request: Request, origin: RequestOrigin): Promise<Actor | null> {
  const header = request.headers.get("authorization");
  return header === null
    ? await authenticateSession(app, request, origin)
    : await authenticateToken(app, header, origin);
}

/** Checks again that the caller's session or token is valid, for example during a stream. Returns null if it is not. */
export async function reauthenticate(
  { db }: { readonly db: Pick<Database, "rows"> },
  actor: Actor,
): Promise<Actor | null> {
  const { credential } = actor;
  if (credential.kind === "session") {
    const found = await findSession(db.rows, { id: credential.id });
    return found ? toActor({ ...found, ...UNLIMITED }, credential, actor) : null;
  }
  const found = await findToken(db.rows, { id: credential.id });
  return found ? toActor(found, credential, actor) : null;
}

/** Returns whether a visitor to a public page has a valid session. Returns false if the database is unavailable. */
export async function hasSession(app: App, request: Request, origin: RequestOrigin): Promise<boolean> {
  return await findSignedInUser(app, request, origin) !== null;
}

/** Returns the signed-in visitor to a public page, or null if nobody is signed in or the database is unavailable. */
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
  if (token === undefined || !isApiToken(token)) throw badCredentialsFault();
  const found = await findToken(app.db.rows, { plaintext: token });
  if (!found) throw badCredentialsFault();
  if (found.stale) await recordTokenUse(app.db.rows, found.id, origin);
  return toActor(found, { kind: "token", id: found.id, scope: found.scope }, origin);
}

async function authenticateSession(app: App, request: Request, origin: RequestOrigin): Promise<Actor | null> {
  const secret = readSessionCookie(app.config.publicUrl, request);
  if (secret === null || !hasSecretFormat(secret)) return null;
  const found = await findSession(app.db.rows, { hash: hashSecret(secret) });
  if (!found) return null;
  if (found.stale) await recordSessionUse(app.db.rows, found.id);
  const credential = { kind: "session", id: found.id, recent: found.recent, hasFactor: found.hasFactor } as const;
  return toActor({ ...found, ...UNLIMITED }, credential, origin);
}

const UNLIMITED = { prefix: null, hubLimit: null };

function toActor(
  { user, prefix: tokenPrefix, hubLimit }: {
    readonly user: User;
    readonly prefix: string | null;
    readonly hubLimit: readonly string[] | null;
  },
  credential: Credential,
  { ip, userAgent }: RequestOrigin,
): Actor {
  const { id: userId, email, displayName, role, federationIds, spokeIds } = user;
  return {
    userId,
    email,
    displayName,
    role,
    federationIds,
    spokeIds,
    hubLimit,
    credential,
    ip,
    userAgent,
    tokenPrefix,
  };
}

export function badCredentialsFault(): Fault {
  return new Fault("unauthenticated", "bad_credentials", "The Authorization header does not contain a valid token");
}
