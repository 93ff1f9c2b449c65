/**
 * Reads a consistent snapshot of all tables in a single repeatable-read transaction. The transaction needs only the
 * privileges of the service's database role, and blocks only schema changes.
 */
import { type CopyConnection, openCopyConnection } from "#lib/drivers/db/copier.ts";
import { type Migration, MigrationError } from "#lib/drivers/db/compare-schema.ts";
import { streamPgDump, supportsPgDump } from "#lib/drivers/dump/pg-dump.ts";
import {
  appendEndLine,
  type BackupManifest,
  COPY_END,
  formatCopyLine,
  formatManifestLine,
  formatSequenceLine,
  type RowProgressListener,
} from "#lib/drivers/dump/script.ts";
import { TABLE_RESTORES } from "#lib/drivers/dump/tables.ts";
import type { DatabaseSource } from "#lib/base/database-address.ts";

export interface DatabaseSnapshot {
  readonly manifest: BackupManifest;
  /** Returns the method for reading rows: pg_dump or COPY. Correct only after reading has started. */
  readonly method: () => DumpMethod;
  /** Returns the backup's text. May be called only once. */
  text(onRows: RowProgressListener): AsyncGenerator<Buffer>;
  close(): Promise<void>;
}

type DumpMethod = "pg_dump" | "COPY";

/** Opens a snapshot. Throws MigrationError if the database is newer than this program or not from Wheelwright. */
export async function openDatabaseSnapshot(
  url: DatabaseSource,
  release: string,
  migrations: readonly Migration[],
): Promise<DatabaseSnapshot> {
  const copier = await openCopyConnection(url, "wheelwright-backup");
  try {
    await readApplied(copier, migrations);
    const names = (await listTables(copier)).map(({ table }) => table).join(", ");
    await copier.run(`begin isolation level repeatable read, read only; lock table ${names} in access share mode`);
    const [info] = await copier.run(SELECT_SNAPSHOT_INFO) as [SnapshotInfo];
    // Reads the applied migrations again, because a migration may have finished before the tables were locked.
    const manifest = { release, takenAt: info.at, migrations: await readApplied(copier, migrations) };
    const tables = await listTables(copier);
    let method: DumpMethod = "COPY";
    const text = textOf({ copier, url, manifest, tables, info, onMethod: (used) => method = used });
    return { manifest, method: () => method, text: (onRows) => appendEndLine(text, onRows), close: copier.close };
  } catch (error) {
    await copier.close();
    throw error;
  }
}

interface SnapshotSource {
  readonly copier: CopyConnection;
  readonly url: DatabaseSource;
  readonly manifest: BackupManifest;
  readonly tables: readonly Table[];
  readonly info: SnapshotInfo;
  readonly onMethod: (method: DumpMethod) => void;
}

interface Table {
  readonly table: string;
  readonly columns: string;
}

async function* textOf(source: SnapshotSource): AsyncGenerator<Buffer> {
  yield Buffer.from(formatManifestLine(source.manifest));
  yield* rowsOf(source);
  // Reads the sequence `job_fences` last: it ignores the snapshot, and must not be below a claim number in the rows.
  const [{ fence }] = await source.copier.run(SELECT_FENCE) as [{ readonly fence: string }];
  yield Buffer.from(formatSequenceLine("job_fences", fence));
}

/** Reads the rows with pg_dump if possible, and otherwise with COPY. */
async function* rowsOf({ copier, url, tables, info, onMethod }: SnapshotSource): AsyncGenerator<Buffer> {
  if (info.sequences && await supportsPgDump(info.version)) {
    const dump = streamPgDump({ url, ...info, tables: tables.map(({ table }) => table) });
    const first = await dump.next().catch(() => null); // pg_dump may fail to connect to the server
    if (first && !first.done) {
      onMethod("pg_dump");
      yield first.value;
      return yield* dump;
    }
  }
  for (const { table, columns } of tables) {
    yield Buffer.from(formatCopyLine(table, columns));
    yield* copier.copyOut(`copy ${table} (${columns}) to stdout`);
    yield Buffer.from(`${COPY_END}\n`);
  }
}

interface SnapshotInfo {
  readonly at: string;
  readonly snapshot: string;
  readonly schema: string;
  readonly version: number;
  /** Whether the role may read all sequences, as pg_dump requires. */
  readonly sequences: boolean;
}

const SELECT_SNAPSHOT_INFO = `
  select to_char(wheelwright_now(), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at, pg_export_snapshot() as snapshot,
    current_schema() as schema, current_setting('server_version_num')::int / 10000 as version,
    (select bool_and(has_sequence_privilege(oid, 'select')) from pg_class
     where relkind = 'S' and relnamespace = current_schema()::regnamespace) as sequences`;

const SELECT_FENCE = `
  select coalesce(last_value, 1)::text as fence from pg_sequences
  where schemaname = current_schema() and sequencename = 'job_fences'`;

/** Lists each table after the tables that its foreign keys refer to, as a restore requires. */
const SELECT_TABLES = `
  with recursive referring (oid, level) as (
    select oid, 0 from pg_class where relkind = 'r' and relnamespace = current_schema()::regnamespace
    union all
    select conrelid, level + 1 from pg_constraint join referring on confrelid = referring.oid
    where contype = 'f' and conrelid <> confrelid and level < 20
  )
  select relname as table, (
    select string_agg(quote_ident(attname), ', ' order by attnum) from pg_attribute
    where attrelid = oid and attnum > 0 and not attisdropped and attgenerated = ''
  ) as columns
  from referring join pg_class using (oid) group by oid, relname order by max(level), relname`;

/** Returns the tables to back up. A database that is not yet migrated may lack some tables. */
async function listTables(copier: CopyConnection): Promise<Table[]> {
  const found = await copier.run(SELECT_TABLES) as Table[];
  return found.filter(({ table }) =>
    Object.hasOwn(TABLE_RESTORES, table) && TABLE_RESTORES[table as keyof typeof TABLE_RESTORES].isInBackup
  );
}

async function readApplied(copier: CopyConnection, migrations: readonly Migration[]): Promise<string[]> {
  const [{ there }] = await copier.run("select to_regclass('migrations') is not null as there") as [{ there: boolean }];
  if (!there) throw new MigrationError("The database has no Wheelwright tables");
  const applied = (await copier.run("select name from migrations order by name")).map(({ name }) => name as string);
  const unknown = applied.find((name) => !migrations.some(([known]) => known === name));
  if (!unknown) return applied;
  const message =
    `The database is newer than this program: the migration ${unknown}.sql is unknown, so rows could be missing; ` +
    "back up the database with the newer release";
  throw new MigrationError(message);
}
