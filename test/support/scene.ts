/** Prepares a test of the whole API without sockets: a database, a hub with a spoke, and users who send requests.
 *
 *   const scene = await openScene();
 *   const { status } = await scene.as("hubAdmin", "cli").post(`/api/federations/${scene.hub}/spokes`, { slug: "oak" });
 *   await scene.close();
 *
 * The hub "north" has a spoke "oak", and both are active. `hubAdmin` manages the hub, `spokeAdmin` manages the spoke,
 * and `operator` runs the service. `stranger` has an account without any role. Jobs are queued, but never run. */
import type { App } from "#lib/app.ts";
import type { TokenScope } from "#lib/domains/auth/access.ts";
import { createRateLimit } from "#lib/base/limits/rate-limit.ts";
import type { Manifest } from "#lib/http/endpoint.ts";
import { manifest } from "#src/manifest.ts";
import { openServer } from "#src/server.ts";
import { createTestApp } from "#test/support/app.ts";
import type { ClientResponse } from "#test/support/client.ts";
import { createConformanceCheck } from "#test/support/conformance.ts";
import { retryWhileOverloaded } from "#test/support/retry-overload.ts";
import { GENEROUS_LIMITS, openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import {
  addHubAdmin,
  addSpokeAdmin,
  createTestSession,
  createTestToken,
  createTestUser,
  type TestUser,
} from "#test/support/users.ts";
import { insertHub, insertSpoke } from "#test/support/insert-rows.ts";
import { NOW, updateRows } from "#test/support/rows.ts";

export type SceneRole = "operator" | "hubAdmin" | "spokeAdmin" | "stranger";
/** The credentials of a request: a session cookie, or a token with this scope. */
export type CredentialType = "session" | TokenScope;

export interface Scene {
  readonly app: App;
  readonly db: TestDatabase;
  readonly people: Readonly<Record<SceneRole, TestUser>>;
  /** The ID of the hub "north". `spoke` is the ID of the spoke "oak" in this hub. */
  readonly hub: string;
  readonly spoke: string;
  as(who: SceneRole | "nobody", means?: CredentialType): Caller;
  /** Sends a request as it is, without adding credentials. */
  send(path: string, init?: RequestInit): Promise<ClientResponse>;
  close(): Promise<void>;
}

type Fields = Readonly<Record<string, string>>;

export interface Caller {
  get(path: string, headers?: Fields): Promise<ClientResponse>;
  post(path: string, body?: unknown, headers?: Fields): Promise<ClientResponse>;
  patch(path: string, body?: unknown, headers?: Fields): Promise<ClientResponse>;
  delete(path: string, headers?: Fields): Promise<ClientResponse>;
  /** Returns headers with the user's credentials, for requests with further headers. */
  credentials(): Promise<Fields>;
}

export interface SceneOptions {
  /** Configuration variables for the API. */
  readonly env?: Readonly<Record<string, string>>;
  /** A database and a cluster to use instead of new ones. The test must close them. */
  readonly world?: { readonly db: TestDatabase } & Pick<App, "clusters" | "log">;
  /** Time limits for the database. Even a busy machine never reaches the default limits. An empty object selects the
   * program's own limits. */
  readonly limits?: Partial<typeof GENEROUS_LIMITS>;
  /** The routes to use instead of the program's own routes. */
  readonly manifest?: Manifest;
}

const ORIGIN = "http://localhost:3000";

export async function openScene(setting: SceneOptions = {}): Promise<Scene> {
  const db = setting.world?.db ?? await openTestDatabase(setting.limits ?? GENEROUS_LIMITS);
  const app = { ...await createTestApp(db, setting.env), ...setting.world };
  // Stops the clock of the rate limit: on a busy machine, the sign-in attempts in a test can be a minute apart.
  const bucket = createRateLimit({ now: () => 0 });
  const server = openServer(app, setting.manifest ?? manifest, { isSchedulerReady: () => true, bucket });
  const conform = createConformanceCheck(setting.manifest);
  // Creates the users one after another: parallel creations would each open a database connection.
  const operator = await createTestUser(db, "operator", { operator: true });
  const hubAdmin = await createTestUser(db, "hub-admin"), spokeAdmin = await createTestUser(db, "spoke-admin");
  const stranger = await createTestUser(db, "stranger");
  const people: Record<SceneRole, TestUser> = { operator, hubAdmin, spokeAdmin, stranger };
  const hub = await insertHub(db, operator.id, "north");
  const spoke = await insertSpoke(db, operator.id, hub, "oak");
  await updateRows(db, "spokes", { state: "active", readyAt: NOW }, { id: spoke });
  await addHubAdmin(db, hubAdmin, hub);
  await addSpokeAdmin(db, spokeAdmin, spoke);

  const credentialsByKey = new Map<string, Promise<Fields>>();
  const credentials = (who: SceneRole | "nobody", means: CredentialType): Promise<Fields> => {
    const key = `${who} ${means}`;
    const found = credentialsByKey.get(key) ??
      (who === "nobody" ? Promise.resolve({}) : credential(db, people[who], means));
    credentialsByKey.set(key, found);
    return found;
  };
  const send = async (path: string, init: RequestInit = {}): Promise<ClientResponse> => {
    const response = await retryWhileOverloaded(() => server.request(new Request(new URL(path, ORIGIN), init)));
    const text = await response.text(), { status, headers } = response;
    conform({ method: init.method ?? "GET", path, status, headers, text });
    const json = text && headers.get("content-type")?.startsWith("application/json");
    return { status, headers, body: json ? JSON.parse(text) : text };
  };

  return {
    app,
    db,
    people,
    hub,
    spoke,
    send,
    as(who, means = "session") {
      const call = async (method: string, path: string, body: unknown, headers: Fields = {}) => {
        const own = await credentials(who, means);
        if (body === undefined) return await send(path, { method, headers: { ...own, ...headers } });
        const json = { "content-type": "application/json" };
        return await send(path, { method, headers: { ...json, ...own, ...headers }, body: JSON.stringify(body) });
      };
      return {
        get: (path, headers) => call("GET", path, undefined, headers),
        post: (path, body, headers) => call("POST", path, body, headers),
        patch: (path, body, headers) => call("PATCH", path, body, headers),
        delete: (path, headers) => call("DELETE", path, undefined, headers),
        credentials: () => credentials(who, means),
      };
    },
    async close() {
      app.feeds.close();
      if (!setting.world) await db.close();
    },
  };
}

async function credential(db: TestDatabase, person: TestUser, means: CredentialType): Promise<Fields> {
  if (means === "session") return { cookie: `wheelwright=${(await createTestSession(db, person)).secret}` };
  return { authorization: `Bearer ${(await createTestToken(db, person, means)).plaintext}` };
}
