/** Reads facts about the database over two separate connections: its settings, and whether session features work. */
import { randomBytes } from "node:crypto";
import { type Client, openClient } from "#lib/drivers/db/client.ts";
import { MAY_MIGRATE } from "#lib/drivers/db/migrate.ts";
import { type AppliedMigration, SELECT_APPLIED } from "#lib/drivers/db/compare-schema.ts";
import type { DatabaseSource } from "#lib/base/database-address.ts";
import { runWithin } from "#lib/base/cancellation.ts";
import { SECOND } from "#lib/base/time.ts";

export interface DatabaseFacts {
  /** The server's version as text and as number, for example `17.2` and 170002. */
  readonly version: string;
  readonly number: number;
  readonly encoding: string;
  /** Whether the server is a standby, or read-only by default. */
  readonly readOnly: boolean;
  /** The number of connections available to ordinary users. */
  readonly connections: number;
  /** Whether this user may apply migrations. */
  readonly mayMigrate: boolean;
  /** The role of this user: a superuser, the owner of the tables, or one that only reads and writes rows. */
  readonly role: "superuser" | "owner" | "service";
  /** Milliseconds by which the database's clock is ahead of this machine's. */
  readonly aheadMs: number;
  /** The applied migrations; null if the database has none. */
  readonly applied: readonly AppliedMigration[] | null;
  /** Whether an operator exists. */
  readonly operators: boolean;
  readonly session: DatabaseSession;
  /** Image tags for which spokes run different images. */
  readonly movedTags?: readonly string[];
}

/** Features that work only over a direct connection or a pooler in session mode. */
export interface DatabaseSession {
  /** Whether the server refuses a connection the lock that another connection holds. */
  readonly locks: boolean;
  /** Whether notifications arrive. */
  readonly notifications: boolean;
}

/** The facts that one query returns. */
type Row = Omit<DatabaseFacts, "aheadMs" | "applied" | "operators" | "session" | "movedTags"> & {
  readonly migrated: boolean;
  readonly withUsers: boolean;
  readonly withDigests: boolean;
};

const FACTS = `select
  current_setting('server_version') as version,
  current_setting('server_version_num')::int as number,
  current_setting('server_encoding') as encoding,
  pg_is_in_recovery() or current_setting('default_transaction_read_only')::bool as read_only,
  current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as connections,
  ${MAY_MIGRATE} as may_migrate,
  case when (select rolsuper from pg_roles where rolname = current_user) then 'superuser'
    when (select pg_has_role(relowner, 'usage') from pg_class where oid = to_regclass('audit_events')) then 'owner'
    else 'service' end as role,
  to_regclass('migrations') is not null as migrated,
  to_regclass('users') is not null as with_users,
  exists (select from pg_attribute where attrelid = to_regclass('spokes') and attname = 'image_digest') as with_digests`;

/**
 * The query for image tags with several images. It compares image IDs and registry digests separately, because the two
 * are not comparable.
 */
const MOVED_TAGS = `select distinct blueprint_inputs #>> '{images,moodle}' as image from spokes
  where state <> 'removed' and image_digest is not null
  group by blueprint_inputs #>> '{images,moodle}', image_digest like '%@%'
  having count(distinct regexp_replace(image_digest, '^.*@', '')) > 1 order by 1`;

/** Milliseconds to wait for a notification. It arrives within milliseconds or never. */
const NOTIFICATION = 3 * SECOND;

export async function readDatabaseFacts(
  url: DatabaseSource,
  limit: number,
  signal: AbortSignal,
): Promise<DatabaseFacts> {
  const heard = Promise.withResolvers<boolean>();
  const open = (onNotify?: () => void) =>
    openClient({
      url,
      name: "wheelwright doctor",
      settings: {},
      connectLimit: limit,
      ...(onNotify ? { onNotify } : {}),
    });
  const clients: Client[] = [];
  const stop = () => clients.forEach((client) => client.kill(signal.reason));
  signal.addEventListener("abort", stop, { once: true });
  try {
    clients.push(await open(() => heard.resolve(true)));
    clients.push(await open());
    const [one, other] = clients as [Client, Client];
    const query = async (client: Client, text: string, params: readonly unknown[] = []) =>
      (await client.query(text, params, { limit, signal })).rows;
    const [row] = await query(one, FACTS) as unknown as [Row];
    const { migrated, withUsers, withDigests, ...facts } = row;
    const before = Date.now();
    const [clock] = await query(one, "select extract(epoch from clock_timestamp()) * 1000 as ms");
    const aheadMs = Math.round(Number(clock!.ms) - (before + Date.now()) / 2);
    const applied = migrated ? await query(one, SELECT_APPLIED) as unknown as AppliedMigration[] : null;
    const [operator] = withUsers ? await query(one, "select 1 from users where operator limit 1") : [];
    const moved = withDigests ? await query(one, MOVED_TAGS) : [];
    return {
      ...{ ...facts, aheadMs, applied, movedTags: moved.map(({ image }) => String(image)) },
      operators: operator !== undefined,
      session: {
        locks: await keepsLocks(one, other, query),
        notifications: await notifies(one, other, query, heard.promise),
      },
    };
  } finally {
    signal.removeEventListener("abort", stop);
    await Promise.all(clients.map((client) => client.dead ? undefined : client.close().catch(() => {})));
  }
}

type Ask = (client: Client, text: string, params?: readonly unknown[]) => Promise<Record<string, unknown>[]>;

/**
 * Returns whether advisory locks work. A transaction pooler may give both connections the same session. The second
 * connection then gets the lock that the first one holds.
 */
async function keepsLocks(one: Client, other: Client, query: Ask): Promise<boolean> {
  const key = randomBytes(8).readBigInt64BE().toString();
  await query(one, "select pg_advisory_lock($1::bigint)", [key]);
  const [second] = await query(other, "select pg_try_advisory_lock($1::bigint) as granted", [key]);
  if (second!.granted) await query(other, "select pg_advisory_unlock($1::bigint)", [key]);
  await query(one, "select pg_advisory_unlock($1::bigint)", [key]);
  return second!.granted === false;
}

/** Returns whether notifications arrive. They do not reach a session that a pooler has given to another client. */
async function notifies(one: Client, other: Client, query: Ask, heard: Promise<boolean>): Promise<boolean> {
  const channel = `wheelwright_doctor_${randomBytes(8).toString("hex")}`;
  await query(one, `listen ${channel}`);
  await query(other, "select pg_notify($1, '')", [channel]);
  const late = () => new Error("it did not come");
  return await runWithin([], { ms: NOTIFICATION, createError: late }, () => heard).catch(() => false);
}
