/** Measures how the cost of reading notifications, activity and audit grows with the log: `npm run bench -- plans [events
 * …]`. The defaults are ten thousand, a million and ten million events. (It takes about 15 GB of disk and five
 * minutes. `--keep DIRECTORY` keeps the data for the next run; `--plans` prints the plan of each query.)
 *
 * Each query runs with each number of events, among the same hubs, spokes and users. The comparison uses the pages of
 * 8 KiB that PostgreSQL read, because unlike times they do not depend on the machine. The inner pages of an index are
 * excluded from the ratio: they grow by one for each hundredfold of rows, and are always in memory. The run fails if a
 * query reads over 1.3 times more pages with the most events than with the fewest that give an equally long result. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import postgres from "postgres";
import { listAuditEvents } from "#lib/audit/store.ts";
import type { Database, RowQueries, Tx } from "#lib/drivers/db/database.ts";
import { startEmbeddedPostgres } from "#lib/dev/embedded.ts";
import { migrate } from "#lib/drivers/db/migrate.ts";
import { SILENT_LOG } from "#lib/base/log.ts";
import { countUnreadNotifications, type NotificationReader } from "#lib/domains/notifications/objects.ts";
import { listNotifications } from "#lib/domains/notifications/list.ts";
import { markAllNotificationsAsRead } from "#lib/domains/notifications/read-all.ts";
import { DATASET_SIZE, hubId, insertEvents, insertHubsAndSpokes, spokeId, userId } from "#test/bench/plans-fill.ts";
import { prepareReaders, READERS } from "#test/bench/plans-readers.ts";
import { toMarkingReader } from "#test/lib/domains/notifications/record-events.ts";
import { loadMigrations } from "#test/support/migrations.ts";
import { openQueryExplainer } from "#test/support/query-plans.ts";
import { databaseUrl } from "#test/support/server.ts";

const SIZES = [10_000, 1_000_000, 10_000_000];
const MOST = 1.3;
/** Extra pages that do not count as growth: a few rows may be on one page or on two. */
const FEW = 4;
const WIDTH = 13;

type Question = (rows: RowQueries) => Promise<unknown>;

function questions(events: number): Map<string, Question> {
  const page = { limit: 25, before: undefined };
  const middle = new Date(Date.UTC(2024, 10, 21) + events * 2500); // events are 5 s apart
  const audit = (filter: Parameters<typeof listAuditEvents>[1], before?: Date): Question => (rows) =>
    listAuditEvents(rows, filter, { ...page, before: before && { at: before } });
  const questionsByName = new Map<string, Question>();
  for (const [name, reader] of Object.entries(READERS)) {
    if (!name.endsWith("nothing read")) questionsByName.set(`read-all: ${name}`, (rows) => readAll(rows, reader));
    questionsByName.set(`unread-count: ${name}`, (rows) => countUnreadNotifications(rows, reader));
    for (const unreadOnly of [false, true]) {
      const label = `notifications${unreadOnly ? ", unreadOnly" : ""}: ${name}`;
      questionsByName.set(
        label,
        (rows) => listNotifications(rows, reader, { limit: 20, unreadOnly, before: undefined }),
      );
    }
  }
  questionsByName.set(
    "notifications before the middle: hub admin",
    (rows) =>
      listNotifications(rows, READERS["hub admin, nothing read"], {
        limit: 20,
        unreadOnly: false,
        before: { at: middle },
      }),
  );
  questionsByName.set("activity: the busiest spoke", audit({ spokeId: spokeId(0) }));
  questionsByName.set("activity: the quietest spoke", audit({ spokeId: spokeId(DATASET_SIZE.spokes - 1) }));
  questionsByName.set("audit: no filter", audit({}));
  questionsByName.set("audit: before the middle", audit({}, middle));
  questionsByName.set("audit: kind, frequent", audit({ kind: "auth_login" }));
  questionsByName.set("audit: kind, not for a long time", audit({ kind: "billing_subscription_refunded" }));
  questionsByName.set("audit: kind, never", audit({ kind: "no_such_kind" }));
  questionsByName.set("audit: actor", audit({ actorId: userId(7) }));
  questionsByName.set("audit: actor, not for a long time", audit({ actorId: userId(499) }));
  questionsByName.set("audit: objectType, frequent", audit({ objectType: "spoke" }));
  questionsByName.set("audit: objectType, not for a long time", audit({ objectType: "operation" }));
  questionsByName.set("audit: objectType and objectId", audit({ objectType: "spoke", objectId: spokeId(3) }));
  questionsByName.set("audit: federationId, the busiest", audit({ federationId: hubId(0) }));
  questionsByName.set("audit: federationId, the quietest", audit({ federationId: hubId(499) }));
  questionsByName.set("audit: federationId and kind", audit({ federationId: hubId(0), kind: "spoke_destroyed" }));
  questionsByName.set("audit: actor and kind", audit({ actorId: userId(7), kind: "auth_logout" }));
  return questionsByName;
}

/** Marks everything as read in the caller's transaction. */
function readAll(rows: RowQueries, reader: NotificationReader): Promise<unknown> {
  return markAllNotificationsAsRead(
    { rows, transact: (work: (tx: Tx) => unknown) => work(rows as Tx) } as Database,
    toMarkingReader(reader),
  );
}

async function main(sizes: readonly number[], kept: string | undefined, shown: boolean): Promise<boolean> {
  const directory = kept ?? await mkdtemp(join(tmpdir(), "wheelwright-plans-"));
  const server = await startEmbeddedPostgres({ directory, durable: false, log: SILENT_LOG });
  try {
    const costs: Map<string, Cost>[] = [];
    for (const size of sizes) costs.push(await measure(await fill(server.url, size), size));
    console.log(`pages at ${sizes.map((size) => String(size).padStart(WIDTH)).join("")}    ratio       ms`);
    let grown = 0;
    for (const [name, most] of costs.at(-1)!) {
      const all = costs.map((cost) => cost.get(name)!);
      const least = all.find(({ rows }) => rows === most.rows)!;
      const ratio = (most.buffers - most.inner) / (least.buffers - least.inner);
      const grows = ratio > MOST && most.buffers - most.inner > least.buffers - least.inner + FEW;
      if (grows) grown++;
      const cells = all.map(({ buffers, inner }) => `${buffers - inner} + ${inner}`.padStart(WIDTH)).join("");
      const verdict = grows ? "grows" : "";
      console.log(
        `${verdict.padEnd(9)}${cells}${ratio.toFixed(2).padStart(9)}${
          most.milliseconds.toFixed(1).padStart(9)
        }   ${name}`,
      );
      if (shown) console.log(most.lines.map((line) => `      ${line}`).join("\n"));
    }
    console.log(
      grown === 0 ? `No query grew more than ${MOST} times` : `${grown} queries grew more than ${MOST} times`,
    );
    return grown === 0;
  } finally {
    await server.stop();
    if (!kept) await rm(directory, { recursive: true, force: true });
  }
}

/** Returns the URL of a database with this number of events. It gets its name only when it is complete. */
async function fill(server: string, events: number): Promise<string> {
  const name = `plans_${events}`, filling = `${name}_filling`;
  const say = (line: string) => console.log(`${new Date().toISOString().slice(11, 19)} ${line}`);
  const admin = postgres(server, { max: 1, onnotice: () => {} });
  const found = await admin`select 1 from pg_database where datname = ${name}`;
  if (found.length === 0) {
    await admin.unsafe("alter system set max_wal_size = '8GB'"); // otherwise the server only writes checkpoints
    await admin`select pg_reload_conf()`;
    await admin`drop database if exists ${admin(filling)}`;
    await admin`create database ${admin(filling)} encoding 'UTF8' lc_collate 'C' lc_ctype 'C' template template0`;
    await migrate(databaseUrl(server, filling), await loadMigrations());
    const sql = postgres(databaseUrl(server, filling), { max: 1, onnotice: () => {} });
    await insertHubsAndSpokes(sql);
    await insertEvents(sql, 0, events, say);
    await prepareReaders(sql, databaseUrl(server, filling), events, say);
    await sql.unsafe("vacuum analyze"); // last, because later rows fill gaps all over the table
    await sql.end();
    await admin`alter database ${admin(filling)} rename to ${admin(name)}`;
  }
  await admin.end();
  await migrate(databaseUrl(server, name), await loadMigrations()); // a kept database may be from an earlier release
  return databaseUrl(server, name);
}

interface Cost {
  readonly buffers: number;
  /** The pages that are above an index's leaves. */
  readonly inner: number;
  readonly milliseconds: number;
  /** The number of rows of the results. */
  readonly rows: string;
  readonly lines: readonly string[];
}

async function measure(url: string, events: number): Promise<Map<string, Cost>> {
  const levels = await readLevels(url), explainer = openQueryExplainer(url);
  const costs = new Map<string, Cost>();
  for (const [name, ask] of questions(events)) {
    await explainer.explain(ask); // warms up
    const plans = await explainer.explain(ask);
    costs.set(name, {
      buffers: plans.reduce((sum, plan) => sum + plan.buffers, 0),
      inner: plans.flatMap(({ searches }) => [...searches]).reduce((sum, [name, n]) => sum + n * levels.get(name)!, 0),
      milliseconds: plans.reduce((sum, plan) => sum + plan.milliseconds, 0),
      rows: plans.map(({ rows }) => rows).join(),
      lines: plans.flatMap((plan) => plan.lines),
    });
  }
  await explainer.close();
  return costs;
}

/** Returns the number of levels above the leaves of each index. */
async function readLevels(url: string): Promise<Map<string, number>> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  await sql`create extension if not exists pageinspect`;
  const found = await sql`select relname, (bt_metap(relname::text)).level::integer from pg_class
    where relnamespace = 'public'::regnamespace and relkind = 'i' and relam = (select oid from pg_am where amname = 'btree')`;
  await sql.end();
  return new Map(found.map(({ relname, level }) => [relname, level]));
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { keep: { type: "string" }, plans: { type: "boolean", default: false } },
});
const sizes = positionals.map(Number);
if (!await main(sizes.length > 0 ? sizes : SIZES, values.keep, values.plans)) process.exitCode = 1;
