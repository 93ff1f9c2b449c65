/** Creates, lists and revokes API tokens. A token's plaintext is shown only once. */
import { type Selectable, sql } from "kysely";
import type { App } from "#lib/app.ts";
import { type AccessRule, type Actor, requireActor, type TokenScope } from "#lib/domains/auth/access.ts";
import { lockSession } from "#lib/domains/auth/sessions.ts";
import { recordChange } from "#lib/changes/record.ts";
import { hashSecret } from "#lib/drivers/crypto/secret.ts";
import { createApiToken } from "#lib/drivers/crypto/token.ts";
import type { RowQueries } from "#lib/drivers/db/database.ts";
import { type ListPage, type ListPageRequest, readNewestRows } from "#lib/drivers/db/pages.ts";
import type { Schema } from "#lib/drivers/db/schema.ts";
import { Fault } from "#lib/base/errors.ts";
import { createId, isId } from "#lib/base/ids.ts";

interface TokenRequest {
  readonly name: string;
  readonly scope: TokenScope;
  readonly expiresAt?: Date | undefined;
}

/** The columns of a token that its owner can see. The prefix is the token's first characters, which identify it in logs. */
const COLUMNS = ["id", "name", "scope", "prefix", "createdAt", "expiresAt", "lastUsedAt"] as const;
export type ApiToken = Pick<Selectable<Schema["api_tokens"]>, (typeof COLUMNS)[number]>;

/** Loads the API token in the URL path, unless it is revoked. Only operators can load other users' tokens. */
export const ownTokenAccess: AccessRule<Actor, { readonly token: ApiToken }> = {
  name: "own token",
  async admit({ app, actor: caller, params: { tokenId = "" } }) {
    const actor = requireActor(caller);
    if (!isId("tok", tokenId)) throw tokenMissingFault();
    let query = app.db.rows.selectFrom("api_tokens").select(COLUMNS).where("id", "=", tokenId)
      .where("revokedAt", "is", null);
    if (actor.role !== "operator") query = query.where("userId", "=", actor.userId);
    const token = await query.executeTakeFirst();
    if (!token) throw tokenMissingFault();
    return { actor, token };
  },
};

/** Creates an API token. Throws a fault: `invalid` (`expiry_past`), or `unauthenticated` if the session has ended. */
export async function createToken(
  app: App,
  actor: Actor,
  { name, scope, expiresAt }: TokenRequest,
): Promise<ApiToken & { readonly token: string }> {
  const id = createId("tok");
  const { plaintext, prefix } = createApiToken(scope);
  const tokenHash = hashSecret(plaintext);
  const { credential } = actor;
  return await app.db.transact(async (tx) => {
    if (credential.kind === "session" && !await lockSession(tx, credential.id)) requireActor(null);
    const row = await tx.insertInto("api_tokens")
      .values({ id, userId: actor.userId, name, scope, prefix, tokenHash, expiresAt: expiresAt ?? null })
      .returning(COLUMNS).executeTakeFirstOrThrow();
    if (row.expiresAt && row.expiresAt <= row.createdAt) {
      throw new Fault("invalid", "expiry_past", "expiresAt must be in the future");
    }
    const metadata = { name, scope, prefix, expiresAt: row.expiresAt?.toISOString() ?? null };
    await recordChange(tx, actor, { audit: [{ kind: "token_created", objectType: "token", objectId: id, metadata }] });
    return { ...row, token: plaintext };
  });
}

/** Lists the caller's API tokens, newest first. Expired tokens are included. */
export async function listTokens(
  rows: RowQueries,
  actor: Actor,
  request: ListPageRequest,
): Promise<ListPage<ApiToken>> {
  const own = rows.selectFrom("api_tokens").select(COLUMNS).where("userId", "=", actor.userId)
    .where("revokedAt", "is", null);
  return await readNewestRows(own, request);
}

/** Revokes an API token. After this call, no replica accepts the token, and its event streams end. */
export async function revokeToken(app: App, actor: Actor, { id, name, prefix }: ApiToken): Promise<void> {
  await app.db.transact(async (tx) => {
    const revoked = await tx.updateTable("api_tokens").set({ revokedAt: sql<Date>`wheelwright_now()` })
      .where("id", "=", id).where("revokedAt", "is", null).returning("userId").executeTakeFirst();
    if (!revoked) throw tokenMissingFault(); // another request revoked it
    tx.wakes.add(`user:${revoked.userId}`);
    const metadata = { name, prefix, userId: revoked.userId };
    await recordChange(tx, actor, { audit: [{ kind: "token_revoked", objectType: "token", objectId: id, metadata }] });
  });
}

function tokenMissingFault(): Fault {
  return new Fault("missing", "token_missing", "There is no such token, or it is not yours");
}
