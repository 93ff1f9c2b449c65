/** Opens what tests of lib/domains need without HTTP: a database, the built-in blueprint, users, and no cluster. */
import type { App } from "#lib/app.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import { loadCatalog } from "#lib/catalog/load.ts";
import { createFederation } from "#lib/domains/federations/create.ts";
import { type FederationRow, findFederation } from "#lib/domains/federations/store.ts";
import { createSpoke } from "#lib/domains/spokes/create.ts";
import { findSpoke, type SpokeRow } from "#lib/domains/spokes/store.ts";
import type { NewSpoke } from "#lib/domains/spokes/views.ts";
import { createTestApp } from "#test/support/app.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { insertUser } from "#test/support/insert-rows.ts";
import { NOW, updateRows } from "#test/support/rows.ts";

export interface DomainScene {
  readonly app: App;
  readonly db: TestDatabase;
  readonly operator: Actor;
  person(may?: Partial<Pick<Actor, "role" | "federationIds" | "spokeIds">>): Promise<Actor>;
  hub(slug: string, state?: FederationRow["state"]): Promise<FederationRow>;
  /** Creates a spoke. With another state, its install is marked as finished. */
  spoke(hub: FederationRow, input: Partial<NewSpoke> & { slug: string }, state?: SpokeRow["state"]): Promise<SpokeRow>;
  close(): Promise<void>;
}

/** `catalogue` is the text of a CATALOG file. `env` adds configuration variables. */
export async function openDomainScene(
  catalogue?: string,
  env: Readonly<Record<string, string>> = {},
): Promise<DomainScene> {
  const db = await openTestDatabase({ size: 12 });
  const plain = await createTestApp(db, { PUBLIC_URL: "https://hubs.example.org", ...env });
  const app: App = { ...plain, catalog: loadCatalog(catalogue, plain.blueprint) };
  async function person(may: Parameters<DomainScene["person"]>[0] = {}): Promise<Actor> {
    const userId = await insertUser(db);
    return {
      userId,
      email: `${userId}@example.org`,
      displayName: userId,
      ip: "192.0.2.1",
      userAgent: "test",
      tokenPrefix: null,
      role: "spoke_admin",
      federationIds: [],
      spokeIds: [],
      hubLimit: null,
      credential: { kind: "session", id: "ses_test", recent: true, hasFactor: false },
      ...may,
    };
  }
  const operator = await person({ role: "operator" });
  return {
    app,
    db,
    operator,
    person,
    async hub(slug, state = "active") {
      const { id } = await createFederation(app, operator, { slug } as never, null);
      await updateRows(db, "federations", { state }, { id });
      await updateRows(db, "jobs", { state: "succeeded", finishedAt: NOW }, { federationId: id });
      return (await findFederation(db.rows, id, "shown"))!;
    },
    async spoke(hub, input, state) {
      const { id } = await createSpoke(app, operator, hub, input as NewSpoke, null);
      if (state) await finishOperations(db, id, state);
      return (await findSpoke(db.rows, id, "shown"))!;
    },
    async close() {
      app.feeds.close();
      await db.close();
    },
  };
}

/** Marks all operations of the spoke as finished and sets its state. */
export async function finishOperations(db: TestDatabase, id: string, state: SpokeRow["state"]): Promise<void> {
  await updateRows(db, "jobs", { state: "succeeded", holder: null, finishedAt: NOW }, {
    spokeId: id,
    finishedAt: null,
  });
  await db.sql(
    `update spokes set state = $2, ready_at = case when $2 = 'failed' then null else wheelwright_now() end,
      removed_at = case when $2 = 'removed' then wheelwright_now() end where id = $1`,
    [id, state],
  );
}
