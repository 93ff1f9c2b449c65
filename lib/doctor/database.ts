/** Reads the database's settings, and tests with two connections whether advisory locks and notifications work. */
import { randomBytes } from "node:crypto";
import { type DatabaseClient, openDatabaseClient } from "#lib/drivers/db/client.ts";
import { MAY_MIGRATE_SQL } from "#lib/drivers/db/migrate.ts";
import { type AppliedMigration, SELECT_APPLIED_MIGRATIONS } from "#lib/drivers/db/compare-schema.ts";
import type { DatabaseSource } from "#lib/base/database-address.ts";
import { runCancellable } from "#lib/base/cancellation.ts";
import { SECOND } from "#lib/base/time.ts";

export interface DatabaseProperties {
  /** The database server's version, for example `17.2`. */
  readonly version: string;
  /** The value of PostgreSQL's setting `server_version_num`, for example 170002. */
  readonly versionNumber: number;
  readonly encoding: string;
  /** Whether the database server is a standby or is read-only by default. */
  readonly readOnly: boolean;
  /** The number of connections that are available to ordinary database users. */
  readonly connections: number;
  /** Whether the database user has the rights to apply migrations. */
  readonly canMigrate: boolean;
  /** Whether the database user is a superuser, owns the tables, or can only read and write rows. */
  readonly role: "superuser" | "owner" | "service";
  /** How far the database server's clock is ahead of this machine's clock, in milliseconds. */
  readonly aheadMs: number;
  /** The migrations that were applied. Null if the database has no `migrations` table. */
  readonly applied: readonly AppliedMigration[] | null;
  /** Whether at least one user is an operator. */
  readonly hasOperator: boolean;
  readonly session: SessionFeatures;
  /** Image tags that refer to more than one image, so that spokes with the same tag run different images. */
  readonly movedTags?: readonly string[];
}

/** Whether PostgreSQL features work that need a direct connection, or a pooler in session mode. */
export interface SessionFeatures {
  /** Whether an advisory lock that one connection holds blocks other connections. */
  readonly locks: boolean;
  /** Whether notifications reach a connection that runs LISTEN. */
  readonly notifications: boolean;
}

/** The row that the query SELECT_FACTS returns, with most of the values in DatabaseFacts. */
type FactsRow = Omit<DatabaseProperties, "aheadMs" | "applied" | "hasOperator" | "session" | "movedTags"> & {
  readonly migrated: boolean;
  readonly withUsers: boolean;
  readonly withDigests: boolean;
};

const SELECT_FACTS = `select
  current_setting('server_version') as version,
  current_setting('server_version_num')::int as version_number,
  current_setting('server_encoding') as encoding,
  pg_is_in_recovery() or current_setting('default_transaction_read_only')::bool as read_only,
  current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as connections,
  ${MAY_MIGRATE_SQL} as can_migrate,
  case when (select rolsuper from pg_roles where rolname = current_user) then 'superuser'
    when (select pg_has_role(relowner, 'usage') from pg_class where oid = to_regclass('audit_events')) then 'owner'
    else 'service' end as role,
  to_regclass('migrations') is not null as migrated,
  to_regclass('users') is not null as with_users,
  exists (select from pg_attribute where attrelid = to_regclass('spokes') and attname = 'image_digest') as with_digests`;

/**
 * Selects image tags that stand for several images. Image IDs and registry digests cannot be compared with each
 * other, so they are grouped separately.
 */
const SELECT_MOVED_TAGS = `select distinct blueprint_inputs #>> '{images,moodle}' as image from spokes
  where state <> 'removed' and image_digest is not null
  group by blueprint_inputs #>> '{images,moodle}', image_digest like '%@%'
  having count(distinct regexp_replace(image_digest, '^.*@', '')) > 1 order by 1`;

/** How long to wait for a notification, in milliseconds. */
const NOTIFICATION_TIMEOUT = 3 * SECOND;

export async function readDatabaseProperties(
  url: DatabaseSource,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<DatabaseProperties> {
  const notified = Promise.withResolvers<boolean>();
  const open = (onNotify?: () => void) =>
    openDatabaseClient({
      url,
      name: "wheelwright doctor",
      settings: {},
      connectLimit: timeoutMs,
      ...(onNotify ? { onNotify } : {}),
    });
  const clients: DatabaseClient[] = [];
  const stop = () => clients.forEach((client) => client.kill(signal.reason));
  signal.addEventListener("abort", stop, { once: true });
  try {
    clients.push(await open(() => notified.resolve(true)));
    clients.push(await open());
    const [first, otherClient] = clients as [DatabaseClient, DatabaseClient];
    const query = async (client: DatabaseClient, text: string, params: readonly unknown[] = []) =>
      (await client.query(text, params, { limit: timeoutMs, signal })).rows;
    const [row] = await query(first, SELECT_FACTS) as [FactsRow];
    const { migrated, withUsers, withDigests, ...facts } = row;
    const before = Date.now();
    const [clock] = await query(first, "select extract(epoch from clock_timestamp()) * 1000 as ms");
    const aheadMs = Math.round(Number(clock!.ms) - (before + Date.now()) / 2);
    const applied = migrated ? await query(first, SELECT_APPLIED_MIGRATIONS) as AppliedMigration[] : null;
    const [operator] = withUsers ? await query(first, "select 1 from users where operator limit 1") : [];
    const moved = withDigests ? await query(first, SELECT_MOVED_TAGS) : [];
    return {
      ...{ ...facts, aheadMs, applied, movedTags: moved.map(({ image }) => String(image)) },
      hasOperator: operator !== undefined,
      session: {
        locks: await testLocks(first, otherClient, query),
        notifications: await testNotifications(first, otherClient, query, notified.promise),
      },
    };
  } finally {
    signal.removeEventListener("abort", stop);
    await Promise.all(clients.map((client) => client.dead ? undefined : client.close().catch(() => {})));
  }
}

type RunQuery = (
  client: DatabaseClient,
  text: string,
  params?: readonly unknown[],
) => Promise<Record<string, unknown>[]>;

/**
 * Returns whether advisory locks work. Behind a pooler in transaction mode, both connections may share a session, in
 * which case the second connection also gets the lock.
 */
async function testLocks(first: DatabaseClient, otherClient: DatabaseClient, query: RunQuery): Promise<boolean> {
  const key = randomBytes(8).readBigInt64BE().toString();
  await query(first, "select pg_advisory_lock($1::bigint)", [key]);
  const [second] = await query(otherClient, "select pg_try_advisory_lock($1::bigint) as granted", [key]);
  if (second!.granted) await query(otherClient, "select pg_advisory_unlock($1::bigint)", [key]);
  await query(first, "select pg_advisory_unlock($1::bigint)", [key]);
  return second!.granted === false;
}

/** Returns whether notifications arrive. Behind a pooler in transaction mode, notifications can be lost. */
async function testNotifications(
  first: DatabaseClient,
  otherClient: DatabaseClient,
  query: RunQuery,
  notified: Promise<boolean>,
): Promise<boolean> {
  const channel = `wheelwright_doctor_${randomBytes(8).toString("hex")}`;
  await query(first, `listen ${channel}`);
  await query(otherClient, "select pg_notify($1, '')", [channel]);
  const createError = () => new Error("the notification did not arrive");
  return await runCancellable([], { ms: NOTIFICATION_TIMEOUT, createError }, () => notified).catch(() => false);
}
