/**
 * What the reading of notifications, activity and audit costs when the log has grown: `npm run plans -- [events]`, ten
 * million unless told. (About 15 GB of disk and a quarter of an hour. A directory as a second argument keeps the data for
 * the next run; `--plans` prints how PostgreSQL goes about each question.)
 *
 * Each question is asked with 10 events, 10,000 and all of them in the database, among the same hubs, spokes and
 * people. What is compared are the pages of 8 KiB that PostgreSQL looked at: unlike times they do not depend on the
 * machine.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { readAudit } from "#lib/records/audit/store.ts";
import type { Rows } from "#lib/drivers/db/database.ts";
import { openEmbedded } from "#lib/dev/embedded.ts";
import { migrate } from "#lib/drivers/db/migrate.ts";
import { silent } from "#lib/base/log.ts";
import { countUnread } from "#lib/domains/notifications/count.ts";
import { listNotifications } from "#lib/domains/notifications/list.ts";
import { fillEvents, fillPlaces, hubId, PLACES, spokeId, userId } from "#test/bench/plans-fill.ts";
import { prepareReaders, READERS } from "#test/bench/plans-readers.ts";
import { readMigrations } from "#test/support/migrations.ts";
import { openExplainer } from "#test/support/plans.ts";
import { urlOf } from "#test/support/server.ts";

/** With a handful there is no full page yet; the ratio is that of the most to some. */
const FEW = 10, SOME = 10_000;

type Question = (rows: Rows) => Promise<unknown>;

function questions(events: number): Map<string, Question> {
  const page = { limit: 25, before: undefined };
  const middle = new Date(Date.UTC(2024, 10, 21) + events * 2500); // events are 5 s apart
  const audit = (filter: Parameters<typeof readAudit>[1], before?: Date): Question => (rows) =>
    readAudit(rows, filter, { ...page, before });
  const asked = new Map<string, Question>();
  for (const [name, reader] of Object.entries(READERS)) {
    asked.set(`unread-count: ${name}`, (rows) => countUnread(rows, reader));
    for (const unreadOnly of [false, true]) {
      const label = `notifications${unreadOnly ? ", unreadOnly" : ""}: ${name}`;
      asked.set(label, (rows) => listNotifications(rows, reader, { limit: 20, unreadOnly, before: undefined }));
    }
  }
  asked.set(
    "notifications before the middle: hub admin",
    (rows) =>
      listNotifications(rows, READERS["hub admin, nothing read"], { limit: 20, unreadOnly: false, before: middle }),
  );
  asked.set("activity: the busiest spoke", audit({ spokeId: spokeId(0) }));
  asked.set("activity: the quietest spoke", audit({ spokeId: spokeId(PLACES.spokes - 1) }));
  asked.set("audit: no filter", audit({}));
  asked.set("audit: before the middle", audit({}, middle));
  asked.set("audit: kind, frequent", audit({ kind: "auth_login" }));
  asked.set("audit: kind, not for a long time", audit({ kind: "billing_subscription_refunded" }));
  asked.set("audit: kind, never", audit({ kind: "no_such_kind" }));
  asked.set("audit: actor", audit({ actorId: userId(7) }));
  asked.set("audit: actor, not for a long time", audit({ actorId: userId(499) }));
  asked.set("audit: objectType, frequent", audit({ objectType: "spoke" }));
  asked.set("audit: objectType, not for a long time", audit({ objectType: "operation" }));
  asked.set("audit: objectType and objectId", audit({ objectType: "spoke", objectId: spokeId(3) }));
  asked.set("audit: federationId, the busiest", audit({ federationId: hubId(0) }));
  asked.set("audit: federationId, the quietest", audit({ federationId: hubId(499) }));
  asked.set("audit: federationId and kind", audit({ federationId: hubId(0), kind: "spoke_destroyed" }));
  asked.set("audit: actor and kind", audit({ actorId: userId(7), kind: "auth_logout" }));
  return asked;
}

async function main(events: number, kept: string | undefined, shown: boolean): Promise<void> {
  const directory = kept ?? await mkdtemp(join(tmpdir(), "wheelwright-plans-"));
  const server = await openEmbedded({ directory, durable: false, log: silent });
  try {
    const sizes = [FEW, SOME, events];
    const costs: Map<string, Cost>[] = [];
    for (const size of sizes) costs.push(await measure(await fill(server.url, size), size));
    console.log(`pages at ${sizes.map((size) => String(size).padStart(9)).join("")}    ratio       ms`);
    for (const [name, { milliseconds, lines }] of costs.at(-1)!) {
      const pages = costs.map((cost) => cost.get(name)!.buffers);
      const ratio = (pages.at(-1)! / Math.max(1, pages[1]!)).toFixed(2);
      const cells = pages.map((count) => String(count).padStart(9)).join("");
      console.log(`         ${cells}${ratio.padStart(9)}${milliseconds.toFixed(1).padStart(9)}   ${name}`);
      if (shown) console.log(lines.map((line) => `      ${line}`).join("\n"));
    }
  } finally {
    await server.stop();
    if (!kept) await rm(directory, { recursive: true, force: true });
  }
}

/** The address of a database with so many events. It has its name only once it is complete. */
async function fill(server: string, events: number): Promise<string> {
  const name = `plans_${events}`, filling = `${name}_filling`;
  const say = (line: string) => console.log(`${new Date().toISOString().slice(11, 19)} ${line}`);
  const admin = postgres(server, { max: 1, onnotice: () => {} });
  const found = await admin`select 1 from pg_database where datname = ${name}`;
  if (found.length === 0) {
    await admin.unsafe("alter system set max_wal_size = '8GB'"); // else the server is busy with checkpoints alone
    await admin`select pg_reload_conf()`;
    await admin`drop database if exists ${admin(filling)}`;
    await admin`create database ${admin(filling)} encoding 'UTF8' lc_collate 'C' lc_ctype 'C' template template0`;
    await migrate(urlOf(server, filling), await readMigrations());
    const sql = postgres(urlOf(server, filling), { max: 1, onnotice: () => {} });
    await fillPlaces(sql);
    await fillEvents(sql, 0, events, say);
    await prepareReaders(sql, urlOf(server, filling), events, say);
    await sql.end();
    await admin`alter database ${admin(filling)} rename to ${admin(name)}`;
  }
  await admin.end();
  return urlOf(server, name);
}

interface Cost {
  readonly buffers: number;
  readonly milliseconds: number;
  readonly lines: readonly string[];
}

async function measure(url: string, events: number): Promise<Map<string, Cost>> {
  const explainer = openExplainer(url);
  const costs = new Map<string, Cost>();
  for (const [name, ask] of questions(events)) {
    await explainer.explain(ask); // once to warm up
    const plans = await explainer.explain(ask);
    costs.set(name, {
      buffers: plans.reduce((sum, plan) => sum + plan.buffers, 0),
      milliseconds: plans.reduce((sum, plan) => sum + plan.milliseconds, 0),
      lines: plans.flatMap((plan) => plan.lines),
    });
  }
  await explainer.close();
  return costs;
}

const given = process.argv.slice(2).filter((word) => word !== "--plans");
await main(Number(given[0] ?? 10_000_000), given[1], process.argv.includes("--plans"));
