/** Runs a server with endpoints that a test defines, without a database. The request headers select the caller:
 * `Authorization: Bearer cli` is a token with the scope `cli`, and `Cookie: session` is a session. */
import type { App } from "#lib/app.ts";
import type { Actor, TokenScope } from "#lib/domains/auth/access.ts";
import type { Database } from "#lib/drivers/db/database.ts";
import { Fault } from "#lib/base/errors.ts";
import type { Manifest } from "#lib/http/endpoint.ts";
import type { ReadinessCheck } from "#lib/http/readiness.ts";
import { createLog } from "#lib/base/log.ts";
import { openServer, type Server } from "#src/server.ts";
import { createTestApp } from "#test/support/app.ts";
import { createConformanceCheck } from "#test/support/conformance.ts";

// deno-lint-ignore no-explicit-any
type Entry = any;

export interface TestHandler {
  readonly app: App;
  readonly server: Server;
  /** All log entries so far. */
  readonly log: Entry[];
  send(path: string, init?: RequestInit, address?: string): Promise<TestResponse>;
}

export interface TestResponse {
  readonly status: number;
  readonly headers: Headers;
  // deno-lint-ignore no-explicit-any
  readonly body: any;
}

export interface TestHandlerOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly checks?: readonly ReadinessCheck[];
}

export async function openTestHandler(manifest: Manifest, setting: TestHandlerOptions = {}): Promise<TestHandler> {
  const entries: Entry[] = [];
  const log = createLog({ level: "debug", format: "json", write: (line) => entries.push(JSON.parse(line)) });
  const app: App = { ...await createTestApp(noDatabase(), setting.env), log };
  const conform = createConformanceCheck(manifest);
  const server = openServer(app, manifest, {
    authenticate: (_, request, origin) => Promise.resolve(findActor(request, origin)),
    checks: setting.checks ?? [],
  });
  return {
    app,
    server,
    log: entries,
    async send(path, init = {}, address = "127.0.0.1") {
      const request = new Request(new URL(path, "http://localhost:3000"), init);
      const { text, ...answer } = await readText(
        await server.request(request, { address, sent: Promise.resolve() }),
      );
      conform({ method: request.method, path, ...answer, text });
      return answer;
    },
  };
}

export async function readResponse(response: Response): Promise<TestResponse> {
  const { text: _, ...answer } = await readText(response);
  return answer;
}

async function readText(response: Response): Promise<TestResponse & { readonly text: string }> {
  const text = await response.text();
  const json = text && response.headers.get("content-type")?.startsWith("application/json");
  return { status: response.status, headers: response.headers, body: json ? JSON.parse(text) : text, text };
}

/** Returns the options for a POST request with a JSON body. */
export function jsonPost(body: unknown, headers: Readonly<Record<string, string>> = {}): RequestInit {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return { method: "POST", headers: { "content-type": "application/json", ...headers }, body: text };
}

function findActor(request: Request, { ip, userAgent }: { ip: string; userAgent: string }): Actor | null {
  const header = request.headers.get("authorization");
  if (header === null && request.headers.get("cookie") !== "session") return null;
  const scope = header?.replace("Bearer ", "") as TokenScope;
  if (header !== null && !["cli", "provisioning", "readonly"].includes(scope)) {
    throw new Fault("unauthenticated", "bad_credentials", "Invalid token");
  }
  return {
    userId: "usr_1",
    email: "ada@example.org",
    displayName: "Ada",
    role: "operator",
    federationIds: [],
    spokeIds: [],
    hubLimit: null,
    credential: header === null
      ? { kind: "session", id: "ses_1", recent: true, hasFactor: false }
      : { kind: "token", id: "tok_1", scope },
    tokenPrefix: header === null ? null : "ww_test",
    ip,
    userAgent,
  };
}

function noDatabase(): Database {
  const none = () => Promise.reject(new Error("This test has no database"));
  const db: Partial<Database> = {
    within: () => db as Database,
    holding: () => db as Database,
    transact: none,
    stats: () => ({ size: 1, open: 0, idle: 0, waiting: 0, control: false }),
    now: none,
  };
  return db as Database;
}
