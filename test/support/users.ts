/** Creates users, sessions and tokens directly in the database, because password hashing makes sign-ins slow. */
import { sql } from "kysely";
import type { TokenScope } from "#lib/domains/auth/access.ts";
import { hashToken } from "#lib/domains/auth/credentials.ts";
import { beginSession, type NewSession } from "#lib/domains/auth/sessions.ts";
import { hashSecret } from "#lib/drivers/crypto/secret.ts";
import { createApiToken } from "#lib/drivers/crypto/token.ts";
import type { Database } from "#lib/drivers/db/database.ts";
import { createId } from "#lib/base/ids.ts";

export const PASSWORD = "a password for tests";
export const PASSWORD_HASH = "$scrypt$ln=15,r=8,p=3$bQ06IJaMnix1J5qaroAkzA$VCe3NiyS2uoehQxQSn4FN1YShZUz5m97GQGKCrWO/yM";

export interface TestUser {
  readonly id: string;
  readonly email: string;
}

export interface TestUserState {
  readonly operator?: boolean;
  readonly verified?: boolean;
  readonly disabled?: boolean;
  readonly passwordHash?: string | null;
}

/** Creates a user. By default, the user has a verified email address and the test password. */
export async function createTestUser(db: Database, name: string, life: TestUserState = {}): Promise<TestUser> {
  const { operator = false, verified = true, disabled = false, passwordHash = PASSWORD_HASH } = life;
  const id = createId("usr"), email = `${name}@example.org`, now = await db.now();
  await db.rows.insertInto("users").values({
    id,
    email,
    displayName: name,
    passwordHash,
    operator,
    emailVerifiedAt: verified ? now : null,
    disabledAt: disabled ? now : null,
  }).execute();
  return { id, email };
}

export async function createTestSession(db: Database, person: TestUser): Promise<NewSession> {
  return await db.transact((tx) => beginSession(tx, person.id, { ip: "192.0.2.1", userAgent: "test" }, "password"));
}

/** Makes the sign-in and the confirmation of a session older than 15 minutes, so that dangerous actions are refused. */
export async function ageSession({ rows }: Pick<Database, "rows">, { id }: Pick<NewSession, "id">): Promise<void> {
  const earlier = sql<Date>`wheelwright_now() - interval '16 minutes'`;
  await rows.updateTable("sessions").set({ createdAt: earlier, confirmedAt: earlier }).where("id", "=", id).execute();
}

export interface TestToken {
  readonly id: string;
  readonly plaintext: string;
  readonly prefix: string;
}

export async function createTestToken(
  db: Database,
  person: TestUser,
  scope: TokenScope,
  expiresAt: Date | null = null,
): Promise<TestToken> {
  const { plaintext, prefix } = createApiToken(scope), id = createId("tok");
  const tokenHash = hashSecret(plaintext);
  await db.rows.insertInto("api_tokens")
    .values({ id, userId: person.id, name: scope, scope, prefix, tokenHash, expiresAt }).execute();
  return { id, plaintext, prefix };
}

/** Creates a token that is limited to hubs. */
export async function createLimitedTestToken(
  db: Database,
  person: TestUser,
  federationIds: string[],
  scope: TokenScope = "cli",
): Promise<TestToken> {
  const token = await createTestToken(db, person, scope), tokenHash = hashToken(token.plaintext, true);
  await db.rows.updateTable("api_tokens").set({ federationIds, tokenHash }).where("id", "=", token.id).execute();
  return token;
}

export async function addHubAdmin(db: Database, person: TestUser, federationId: string): Promise<void> {
  await db.rows.insertInto("federation_members").values({ federationId, userId: person.id }).execute();
}

export async function addSpokeAdmin(db: Database, person: TestUser, spokeId: string): Promise<void> {
  await db.rows.insertInto("spoke_members").values({ spokeId, userId: person.id }).execute();
}
