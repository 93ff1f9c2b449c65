/** Creates, lists and revokes API tokens. A token's plaintext is shown only once. */
import { type Selectable, sql } from "kysely";
import type { App } from "#lib/app.ts";
import { type AccessRule, type Actor, requireActor, type TokenScope } from "#lib/domains/auth/access.ts";
import { hashToken } from "#lib/domains/auth/credentials.ts";
import { lockSession } from "#lib/domains/auth/sessions.ts";
import type { Requester } from "#lib/audit/requester.ts";
import { recordChange } from "#lib/changes/record.ts";
import { createApiToken } from "#lib/drivers/crypto/token.ts";
import type { RowQueries, Tx } from "#lib/drivers/db/database.ts";
import { type ListPage, type ListPageRequest, readNewestRows } from "#lib/drivers/db/pages.ts";
import type { Schema } from "#lib/drivers/db/schema.ts";
import { Fault } from "#lib/base/errors.ts";
import { createId, isId } from "#lib/base/ids.ts";

interface TokenRequest {
  readonly name: string;
  readonly scope: TokenScope;
  readonly expiresAt?: Date | undefined;
  /** The IDs or slugs of the hubs to which the token is limited. Without them, the token is not limited. */
  readonly federationIds?: readonly string[] | undefined;
}

/** The columns of a token that its owner can see. The prefix is the token's first characters, which identify it in logs. */
const COLUMNS = [
  ...["id", "name", "scope", "prefix", "federationIds", "createdAt", "expiresAt"] as const,
  ...["lastUsedAt", "lastUsedIp", "lastUsedAgent"] as const,
] as const;
export type ApiToken = Pick<Selectable<Schema["api_tokens"]>, (typeof COLUMNS)[number]>;

/**
 * Loads the API token in the URL path, unless it is revoked. Only operators can load other users' tokens. A token that is
 * limited to hubs can load only itself.
 */
export const ownTokenAccess: AccessRule<Actor, { readonly token: ApiToken }> = {
  name: "own token",
  async admit({ app, actor: caller, params: { tokenId = "" } }) {
    const actor = requireActor(caller);
    if (!isId("tok", tokenId)) throw tokenMissingFault();
    let query = app.db.rows.selectFrom("api_tokens").select(COLUMNS).where("id", "=", tokenId)
      .where("revokedAt", "is", null);
    if (actor.role !== "operator") query = query.where("userId", "=", actor.userId);
    if (actor.hubLimit !== null) query = query.where("id", "=", actor.credential.id);
    const token = await query.executeTakeFirst();
    if (!token) throw tokenMissingFault();
    return { actor, token };
  },
};

/**
 * Creates an API token. Throws a fault: `invalid` (`expiry_past`), `missing` (`federation_missing`), or `unauthenticated`
 * if the session has ended.
 */
export async function createToken(
  app: App,
  actor: Actor,
  request: TokenRequest,
): Promise<NewApiToken> {
  const { credential } = actor;
  return await app.db.transact(async (tx) => {
    if (credential.kind === "session" && !await lockSession(tx, credential.id)) requireActor(null);
    return await insertToken(tx, actor, request);
  });
}

export type NewApiToken = ApiToken & { readonly token: string };

/** Creates an API token within a transaction. Throws the faults `expiry_past` and `federation_missing`. */
export async function insertToken(
  tx: Tx,
  actor: Requester & HubViewer,
  { name, scope, expiresAt, federationIds: hubs }: TokenRequest,
): Promise<NewApiToken> {
  const id = createId("tok"), federationIds = hubs === undefined ? null : await findHubIds(tx, actor, hubs);
  const { plaintext, prefix } = createApiToken(scope);
  const tokenHash = hashToken(plaintext, federationIds !== null);
  const row = await tx.insertInto("api_tokens")
    .values({ id, userId: actor.userId, name, scope, prefix, tokenHash, federationIds, expiresAt: expiresAt ?? null })
    .returning(COLUMNS).executeTakeFirstOrThrow();
  if (row.expiresAt && row.expiresAt <= row.createdAt) {
    throw new Fault("invalid", "expiry_past", "expiresAt must be in the future");
  }
  const limit = federationIds === null ? {} : { federationIds };
  const metadata = { name, scope, prefix, expiresAt: row.expiresAt?.toISOString() ?? null, ...limit };
  await recordChange(tx, actor, { audit: [{ kind: "token_created", objectType: "token", objectId: id, metadata }] });
  return { ...row, token: plaintext };
}

type HubViewer = Pick<Actor, "role" | "federationIds" | "spokeIds">;

/** Returns the IDs of the hubs with these IDs or slugs. Throws a `missing` fault for a hub that the user cannot see. */
export async function findHubIds(
  rows: RowQueries,
  { role, federationIds, spokeIds }: HubViewer,
  names: readonly string[],
): Promise<string[]> {
  const { rows: found } = await sql<{ id: string; slug: string }>`
    select id, slug from federations as hub
    where (id = any(${names}::text[]) or slug = any(${names}::text[])) and state <> 'removed' and (${
    role === "operator"
  }
      or id = any(${federationIds}::text[]) or exists (select from spokes as spoke
        where spoke.federation_id = hub.id and spoke.id = any(${spokeIds}::text[]) and spoke.state <> 'removed'))
    order by id`.execute(rows);
  const missing = names.find((name) => !found.some(({ id, slug }) => id === name || slug === name));
  if (missing === undefined) return found.map(({ id }) => id);
  const message = `There is no hub ${missing}, or you have no access to it`;
  throw new Fault("missing", "federation_missing", message);
}

/** Lists the caller's API tokens, newest first. Expired tokens are included. A limited token lists only itself. */
export async function listTokens(
  rows: RowQueries,
  actor: Actor,
  request: ListPageRequest,
): Promise<ListPage<ApiToken>> {
  let own = rows.selectFrom("api_tokens").select(COLUMNS).where("userId", "=", actor.userId)
    .where("revokedAt", "is", null);
  if (actor.hubLimit !== null) own = own.where("id", "=", actor.credential.id);
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
