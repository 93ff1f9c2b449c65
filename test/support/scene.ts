/** Sets up a scene: a database, the whole API on it without sockets, and users who call it.
 *
 *   const scene = await openScene();
 *   const { status } = await scene.as("hubAdmin", "cli").post(`/api/federations/${scene.hub}/spokes`, { slug: "oak" });
 *   await scene.close();
 *
 * The scene has an active hub "north" with an active spoke "oak". `hubAdmin` manages the hub, `spokeAdmin` the spoke,
 * and `operator` the service. `stranger` has an account without any role. Jobs are queued, but no worker runs them. */
import type { App } from "#lib/app.ts";
import type { TokenScope } from "#lib/domains/auth/access.ts";
import { openRateLimit } from "#lib/base/limits/rate-limit.ts";
import type { Manifest } from "#lib/http/endpoint.ts";
import { manifest } from "#src/manifest.ts";
import { openServer } from "#src/server.ts";
import { makeApp } from "#test/support/app.ts";
import type { Answer } from "#test/support/client.ts";
import { query } from "#test/support/bench/query.ts";
import { conformTo } from "#test/support/conformance.ts";
import { patiently } from "#test/support/retry-overload.ts";
import { openTestDatabase, type TestDatabase, UNHURRIED } from "#test/support/database.ts";
import { addHubAdmin, addSpokeAdmin, makePerson, makeSession, makeToken, type Person } from "#test/support/users.ts";
import { makeHub, makeSpoke } from "#test/support/insert-rows.ts";

export type Who = "operator" | "hubAdmin" | "spokeAdmin" | "stranger";
/** The credentials of a call: the session's cookie, or a token of this scope. */
export type Means = "session" | TokenScope;

export interface Scene {
  readonly app: App;
  readonly db: TestDatabase;
  readonly people: Readonly<Record<Who, Person>>;
  /** The IDs of the existing hub and spoke. */
  readonly hub: string;
  readonly spoke: string;
  as(who: Who | "nobody", means?: Means): Caller;
  /** Sends any request unchanged. */
  send(path: string, init?: RequestInit): Promise<Answer>;
  close(): Promise<void>;
}

type Fields = Readonly<Record<string, string>>;

export interface Caller {
  get(path: string, headers?: Fields): Promise<Answer>;
  post(path: string, body?: unknown, headers?: Fields): Promise<Answer>;
  patch(path: string, body?: unknown, headers?: Fields): Promise<Answer>;
  delete(path: string, headers?: Fields): Promise<Answer>;
  /** Returns the headers with the credentials, for requests that need other headers too. */
  credentials(): Promise<Fields>;
}

export interface Setting {
  /** Configuration variables. */
  readonly env?: Readonly<Record<string, string>>;
  /** An existing database and cluster for the scene. The test that opened them closes them. */
  readonly world?: { readonly db: TestDatabase } & Pick<App, "clusters" | "log">;
  /** Limits of the database. By default, limits that even a busy machine does not reach. An empty object selects the
   * program's own. */
  readonly limits?: Partial<typeof UNHURRIED>;
  /** Routes to use instead of the program's. */
  readonly manifest?: Manifest;
}

const ORIGIN = "http://localhost:3000";

export async function openScene(setting: Setting = {}): Promise<Scene> {
  const db = setting.world?.db ?? await openTestDatabase(setting.limits ?? UNHURRIED);
  const app = { ...await makeApp(db, setting.env), ...setting.world };
  // The clock stands still, because sign-in attempts may be a minute apart on a busy machine.
  const bucket = openRateLimit({ now: () => 0 });
  const server = openServer(app, setting.manifest ?? manifest, { ready: () => true, bucket });
  const conform = conformTo(setting.manifest);
  // Runs one after another, because in parallel each would open a connection.
  const operator = await makePerson(db, "operator", { operator: true });
  const hubAdmin = await makePerson(db, "hub-admin"), spokeAdmin = await makePerson(db, "spoke-admin");
  const stranger = await makePerson(db, "stranger");
  const people: Record<Who, Person> = { operator, hubAdmin, spokeAdmin, stranger };
  const hub = await makeHub(db, operator.id, "north");
  const spoke = await makeSpoke(db, operator.id, hub, "oak");
  await query(db, `update spokes set state = 'active', ready_at = wheelwright_now() where id = '${spoke}'`);
  await addHubAdmin(db, hubAdmin, hub);
  await addSpokeAdmin(db, spokeAdmin, spoke);

  const known = new Map<string, Promise<Fields>>();
  const credentials = (who: Who | "nobody", means: Means): Promise<Fields> => {
    const key = `${who} ${means}`;
    const found = known.get(key) ?? (who === "nobody" ? Promise.resolve({}) : credential(db, people[who], means));
    known.set(key, found);
    return found;
  };
  const send = async (path: string, init: RequestInit = {}): Promise<Answer> => {
    const response = await patiently(() => server.request(new Request(new URL(path, ORIGIN), init)));
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

async function credential(db: TestDatabase, person: Person, means: Means): Promise<Fields> {
  if (means === "session") return { cookie: `wheelwright=${(await makeSession(db, person)).secret}` };
  return { authorization: `Bearer ${(await makeToken(db, person, means)).plaintext}` };
}
