/** Prepares tests of signing in at a real OpenID Connect provider: a scene with the provider, and a browser with cookies. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listAuditEvents } from "#lib/audit/store.ts";
import type { ClientResponse } from "#test/support/client.ts";
import { createRateLimit } from "#lib/base/limits/rate-limit.ts";
import { manifest } from "#src/manifest.ts";
import { openServer } from "#src/server.ts";
import { createTestApp } from "#test/support/app.ts";
import { openScene, type Scene } from "#test/support/scene.ts";
import { openTestSignInProvider, type TestSignInProvider } from "#test/support/sign-in-provider.ts";

const ORIGIN = "http://localhost:3000";

export interface ProviderScene {
  readonly scene: Scene;
  readonly provider: TestSignInProvider;
  /** Signs a person in with a new browser, or with the given one. Returns the response of the callback. */
  signIn(person: TestSignInProvider["person"], options?: SignInOptions): Promise<ClientResponse>;
  openBrowser(): Browser;
  /** Opens another replica with the same database, and returns a function that sends requests to it. */
  openReplica(): Promise<Scene["send"]>;
  /** Returns the reasons of refused sign-ins, newest first. */
  listReasons(): Promise<unknown[]>;
  close(): Promise<void>;
}

interface SignInOptions {
  readonly browser?: Browser;
  readonly id?: string;
  readonly next?: string;
  readonly invitation?: string;
}

/** A browser that keeps cookies by origin, and stops at redirects to the program. */
export interface Browser {
  /** Sends a request to the program. */
  get(path: string, send?: Scene["send"]): Promise<ClientResponse>;
  /** Starts a sign-in and goes through the provider's pages. Returns the path of the callback, which is not requested. */
  reachCallback(options?: SignInOptions): Promise<string>;
}

interface ProviderSceneOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Further settings of the provider in the file. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Further providers in the file. */
  readonly more?: (provider: TestSignInProvider) => readonly object[];
  readonly announcedIssuer?: string;
}

/** Opens a scene whose file lists the provider as `contoso`. */
export async function openProviderScene(options: ProviderSceneOptions = {}): Promise<ProviderScene> {
  const { env = {}, settings = {}, more = () => [], announcedIssuer } = options;
  const redirectUris = ["contoso", "other"].map((id) => `${ORIGIN}/api/auth/providers/${id}/callback`);
  const provider = await openTestSignInProvider({ redirectUris, ...(announcedIssuer && { announcedIssuer }) });
  const { issuer, clientId, clientSecret } = provider;
  const entry = { id: "contoso", label: "Contoso", issuer, clientId, clientSecret, ...settings };
  const directory = await mkdtemp(join(tmpdir(), "wheelwright-test-")), path = join(directory, "providers.json");
  await writeFile(path, JSON.stringify([entry, ...more(provider)]));
  const variables = { SIGN_IN_PROVIDERS: path, ...env }, scene = await openScene({ env: variables });
  const openBrowser = () => createBrowser(scene);
  return {
    scene,
    provider,
    openBrowser,
    async openReplica() {
      const bucket = createRateLimit({ now: () => 0 });
      const app = { ...await createTestApp(scene.db, variables), feeds: scene.app.feeds };
      const server = openServer(app, manifest, { isSchedulerReady: () => true, bucket });
      return async (path, init) => {
        const response = await server.request(new Request(new URL(path, ORIGIN), init));
        return { status: response.status, headers: response.headers, body: await response.text() };
      };
    },
    async signIn(person, { browser = openBrowser(), ...start } = {}) {
      provider.person = person;
      return await browser.get(await browser.reachCallback(start));
    },
    async listReasons() {
      const events = await listAuditEvents(scene.db.rows, { kind: "auth_login_failed" }, { limit: 100 });
      return events.items.map(({ metadata }) => metadata.reason);
    },
    async close() {
      await scene.close();
      await provider.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

export function createBrowser(scene: Scene): Browser {
  const jars = new Map<string, Map<string, string>>();
  const keep = (origin: string, headers: Headers) => {
    const jar = jars.get(origin) ?? new Map<string, string>();
    jars.set(origin, jar);
    for (const cookie of headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie)!;
      jar.set(name!, value!);
    }
  };
  const cookieOf = (origin: string) =>
    [...jars.get(origin) ?? []].map(([name, value]) => `${name}=${value}`).join("; ");
  const get: Browser["get"] = async (path, send = scene.send) => {
    const response = await send(path, { headers: { cookie: cookieOf(ORIGIN) } });
    keep(ORIGIN, response.headers);
    return response;
  };
  return {
    get,
    async reachCallback({ id = "contoso", next, invitation } = {}) {
      const query = new URLSearchParams({ ...(next && { next }), ...(invitation && { invitation }) });
      const start = await get(`/api/auth/providers/${id}/start?${query}`);
      if (start.status !== 303) throw new Error(`The start answered ${start.status}: ${JSON.stringify(start.body)}`);
      for (let url = new URL(start.headers.get("location")!);;) {
        if (url.origin === ORIGIN) return url.pathname + url.search;
        const page = await fetch(url, { redirect: "manual", headers: { cookie: cookieOf(url.origin) } });
        keep(url.origin, page.headers);
        const text = await page.text(), location = page.headers.get("location");
        if (location === null) throw new Error(`The provider answered ${page.status}: ${text}`);
        url = new URL(location, url);
      }
    },
  };
}
