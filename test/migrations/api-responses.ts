/** Reads every response that an upgrade must preserve from the API, as each kind of user. */
import { SILENT_LOG } from "#lib/base/log.ts";
import { openDatabase } from "#lib/drivers/db/open.ts";
import { manifest } from "#src/manifest.ts";
import { openServer } from "#src/server.ts";
import { createTestApp } from "#test/support/app.ts";
import { queryRows } from "#test/support/bench/query.ts";
import { createTestToken } from "#test/support/users.ts";

/** The responses by user and request. */
export type ApiResponses = Readonly<Record<string, unknown>>;

const OF_HUB = ["", "/spokes", "/members", "/operations", "/billing"];
const OF_SPOKE = ["", "/activity", "/backups", "/members", "/operations"];
const OF_ALL = [
  ...[
    "/federations",
    "/my-spokes",
    "/users",
    "/audit?limit=100",
    "/notifications?limit=100",
    "/notifications/unread-count",
  ],
  ...["/federation-requests", "/auth/me", "/overview"],
];

/** Sends all requests as an operator, a hub admin and a spoke admin, with the current program. */
export async function readAllResponses(url: string): Promise<ApiResponses> {
  const db = await openDatabase({ url, size: 4, log: SILENT_LOG });
  try {
    const app = await createTestApp(db), server = openServer(app, manifest, { isSchedulerReady: () => true });
    const ids = async (table: string, where = "true") =>
      (await queryRows(db, `select id from ${table} where ${where} order by id`)).map(({ id }) => String(id));
    const paths = [
      ...OF_ALL,
      ...(await ids("federations")).flatMap((id) => OF_HUB.map((part) => `/federations/${id}${part}`)),
      ...(await ids("spokes")).flatMap((id) => OF_SPOKE.map((part) => `/spokes/${id}${part}`)),
      ...(await ids("jobs", "visible")).map((id) => `/operations/${id}`),
    ];
    const answers: Record<string, unknown> = {};
    for (const name of ["ada", "grace", "joan"]) {
      const [person] = await queryRows(db, "select id, email from users where email = $1", [`${name}@example.org`]);
      const { id, plaintext } = await createTestToken(db, person, "readonly");
      for (const path of paths) {
        const headers = { authorization: `Bearer ${plaintext}` };
        const reply = await server.request(new Request(`http://localhost:3000/api${path}`, { headers }));
        const body = await reply.json();
        if (reply.ok) answers[`${name} ${path}`] = lasting(body);
        else if (reply.status >= 500) throw new Error(`${name} ${path} was answered ${reply.status}`);
      }
      await db.rows.deleteFrom("api_tokens" as never).where("id" as never, "=", id as never).execute();
    }
    app.feeds.close();
    return answers;
  } finally {
    await db.close();
  }
}

const OF_THE_MOMENT = new Set(["etaSeconds", "oldestWaitSeconds"]);

/** Removes values that depend on the time of the request. */
function lasting(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(lasting);
  if (typeof value !== "object" || value === null) return value;
  const stable = Object.entries(value).filter(([name]) => !OF_THE_MOMENT.has(name));
  return Object.fromEntries(stable.map(([name, inner]) => [name, lasting(inner)]));
}

/** Returns the values that are missing or different after the upgrade. New values are allowed. */
export function findMissing(before: unknown, after: unknown, at = ""): string[] {
  if (typeof before !== "object" || before === null) {
    return before === after ? [] : [`${at}: ${JSON.stringify(before)} became ${JSON.stringify(after)}`];
  }
  if (typeof after !== "object" || after === null) return [`${at}: ${JSON.stringify(after)}`];
  const grown = Array.isArray(before) && Array.isArray(after) && after.length !== before.length;
  if (grown) return [`${at}: ${before.length} became ${after.length}`];
  return Object.entries(before).flatMap(([name, value]) =>
    findMissing(value, (after as Record<string, unknown>)[name], `${at}/${name}`)
  );
}
