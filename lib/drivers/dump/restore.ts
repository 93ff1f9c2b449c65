/** Restores a database backup into an empty database in one transaction. If the backup is damaged, writes nothing. */
import { type CopyConnection, openCopyConnection } from "#lib/drivers/db/copier.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import { createNestedTransaction } from "#lib/drivers/db/dialect.ts";
import { toDatabaseFault } from "#lib/drivers/db/faults.ts";
import { applyMigrationsInTransaction, lockMigrations } from "#lib/drivers/db/migrate.ts";
import type { Migration } from "#lib/drivers/db/compare-schema.ts";
import { BackupDamaged, type BackupManifest, type BackupPart } from "#lib/drivers/dump/script.ts";
import { NUMBER_AFTER_BACKUP_SQL, TABLE_RESTORES } from "#lib/drivers/dump/tables.ts";
import { type DatabaseSource, resolveDatabaseAddress } from "#lib/base/database-address.ts";
import { getErrorMessage } from "#lib/base/errors.ts";

/** The error for a backup that cannot be restored with this program or into this database. */
export class RestoreRefused extends Error {
  override readonly name = "RestoreRefused";
}

export interface DatabaseRestoreOptions {
  readonly url: DatabaseSource;
  readonly parts: AsyncIterable<BackupPart>;
  readonly migrations: readonly Migration[];
  /** Instructions for emptying the database, for the error message. The default suits a separate database server. */
  readonly howToEmpty?: string;
  /** Writes additional rows in the same transaction, after all of the backup's rows. */
  readonly note?: (tx: Tx, manifest: BackupManifest) => Promise<void>;
}

/**
 * Restores a backup. Jobs do not run again until an operator allows it. Throws RestoreRefused, BackupDamaged, or an
 * error from reading `parts`.
 */
export async function restoreDatabaseBackup(options: DatabaseRestoreOptions): Promise<BackupManifest> {
  const copier = await openCopyConnection(options.url, "wheelwright-restore");
  try {
    await copier.run("begin");
    await lockMigrations(copier.run); // a replica that starts now waits until the restore is finished
    await requireEmpty(copier, resolveDatabaseAddress(options.url).database, options.howToEmpty);
    const manifest = await loadRows(copier, options);
    await copier.run(ADVANCE_IDENTITIES);
    for (const { fixup } of Object.values(TABLE_RESTORES)) if (fixup !== null) await copier.run(fixup);
    await copier.run("insert into database_restores (taken_at) values ($1::timestamptz)", [manifest.takenAt]);
    await options.note?.(createNestedTransaction(copier.run), manifest);
    await copier.run("commit");
    return manifest;
  } catch (error) {
    throw toDatabaseFault(error);
  } finally {
    await copier.close();
  }
}

/** Throws unless the database is empty, because existing tables may belong to another program or a running service. */
async function requireEmpty(copier: CopyConnection, name: string, howToEmpty?: string): Promise<void> {
  const tables = await copier.run(
    `select relname as table from pg_class where relkind in ('r', 'p') and relnamespace = current_schema()::regnamespace
       and not exists (select from pg_depend where objid = pg_class.oid and deptype = 'e') order by relname`,
  );
  if (tables.length === 0) return;
  throw new RestoreRefused(
    `The database ${name} is not empty: it has the table ${tables[0]!.table}${
      tables.length > 1 ? ` and ${tables.length - 1} more` : ""
    }. ${howToEmpty ?? `Use an empty database: stop all replicas, then run dropdb ${name} && createdb ${name}`}`,
  );
}

async function loadRows(
  copier: CopyConnection,
  { parts, migrations }: DatabaseRestoreOptions,
): Promise<BackupManifest> {
  const source = parts[Symbol.asyncIterator]();
  const next = async (): Promise<BackupPart> => (await source.next()).value; // throws if the backup is incomplete
  const first = await next();
  if (first.kind !== "manifest") throw new BackupDamaged("The file does not start with a backup manifest");
  const { manifest } = first, [existing, newer] = splitMigrations(manifest, migrations);
  await applyMigrationsInTransaction(copier.run, existing);
  const tables = (await copier.run(SELECT_TABLES)).map(({ table }) => table as string);
  const onAll = (change: string) => copier.run(tables.map((table) => `alter table ${table} ${change};`).join("\n"));
  await onAll("disable trigger user"); // the backup's rows already include the triggers' effects
  await copier.run(`truncate ${tables.join(", ")}`); // removes the rows that migrations inserted
  const indexes = await copier.run(SELECT_INDEXES); // indexes are created at the end, because this is faster
  await copier.run(indexes.map(({ name }) => `drop index ${name};`).join("\n"));

  let part = await next();
  async function* rows(): AsyncGenerator<Buffer> {
    for (part = await next(); part.kind === "rows"; part = await next()) yield part.bytes;
  }
  while (part.kind !== "end") {
    if (part.kind === "table" && tables.includes(part.table)) {
      const { table, columns } = part;
      await copier.copyIn(`copy ${table} (${columns}) from stdin`, rows()).catch((error) => {
        throw rowError(table, error);
      });
    } else if (part.kind === "sequence") {
      // Raises the claim numbers, because objects in the clusters refuse writers with a lower number than the last.
      await copier.run(`select setval('job_fences', greatest($1::bigint, ${NUMBER_AFTER_BACKUP_SQL}))`, [
        String(part.value),
      ]);
      part = await next();
    } else throw new BackupDamaged("The backup has a table that does not exist in its release");
  }
  await source.next(); // throws if the backup has data after its end
  await copier.run(indexes.map(({ definition }) => `${definition};`).join("\n"));
  await onAll("enable trigger user");
  await applyMigrationsInTransaction(copier.run, newer);
  return manifest;
}

/** Splits the migrations into migrations that the backup includes, and newer migrations. */
function splitMigrations(
  { migrations: names, release }: BackupManifest,
  all: readonly Migration[],
): [Migration[], Migration[]] {
  const byName = new Map(all), last = names.at(-1)!, missing = names.find((name) => !byName.has(name));
  if (missing !== undefined) {
    throw new RestoreRefused(
      `The backup is from release ${release}, whose schema this program does not know: it has ${missing}.sql, ` +
        `this program ends at ${all.at(-1)![0]}.sql. Restore the backup with that release or a newer one`,
    );
  }
  return [all.filter(([name]) => names.includes(name)), all.filter(([name]) => name > last)];
}

/** Converts an error about invalid rows to BackupDamaged. Returns other errors unchanged. */
function rowError(table: string, error: unknown): unknown {
  const code = String((error as { code?: unknown } | null)?.code);
  if (!/^2[23]\w{3}$/.test(code)) return error;
  return new BackupDamaged(`The backup has invalid rows for the table ${table}: ${getErrorMessage(error)}`);
}

const SELECT_TABLES = `
  select relname as table from pg_class
  where relkind = 'r' and relnamespace = current_schema()::regnamespace and relname <> 'migrations' order by relname`;

/** Selects all indexes except indexes that belong to a constraint. */
const SELECT_INDEXES = `
  select indexrelid::regclass as name, pg_get_indexdef(indexrelid) as definition
  from pg_index join pg_class on pg_class.oid = indrelid
  where relkind = 'r' and relnamespace = current_schema()::regnamespace
    and not exists (select from pg_constraint where conindid = indexrelid)`;

/** Sets each identity column's sequence to the highest number in the column. */
const ADVANCE_IDENTITIES = `do $$
declare its record;
begin
  for its in
    select relname, attname from pg_attribute join pg_class on pg_class.oid = attrelid
    where attidentity <> '' and relkind = 'r' and relnamespace = current_schema()::regnamespace
  loop
    execute format('select setval(pg_get_serial_sequence(%L, %L), coalesce((select max(%I) from %I), 1))',
      its.relname, its.attname, its.attname, its.relname);
  end loop;
end $$`;
