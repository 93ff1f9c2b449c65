/**
 * Applies the program's migrations to a database. Each migration runs in its own transaction, unless it creates an
 * index (migrate-index.ts). An advisory lock lets one replica migrate while the others wait. If another role owns the
 * schema, migrations run as that owner, who then grants the service's role its privileges.
 */
import { formatCount } from "#lib/base/text.ts";
import { type CopyConnection, openCopyConnection } from "#lib/drivers/db/copier.ts";
import { ConnectionLost, hasSqlState } from "#lib/drivers/db/faults.ts";
import {
  buildCreateRoleStatement,
  buildGrantStatements,
  buildReassignStatement,
  buildTemporaryGrants,
  NO_TEMPORARY_GRANTS,
  type ServiceLogin,
  type ServiceRolePrivileges,
  type TemporaryGrants,
} from "#lib/drivers/db/grants.ts";
import {
  type AppliedMigration,
  compareSchema,
  computeMigrationChecksum,
  findRequiredMigration,
  type Migration,
  MigrationError,
  SELECT_APPLIED_MIGRATIONS,
} from "#lib/drivers/db/compare-schema.ts";
import { createIndex, createsIndexConcurrently, removeConcurrently } from "#lib/drivers/db/migrate-index.ts";
import { type DatabaseSource, resolveDatabaseAddress } from "#lib/base/database-address.ts";
import { getErrorMessage } from "#lib/base/errors.ts";
import { backoffDelay, SECOND, sleep } from "#lib/base/time.ts";

const LOCK_POLL_MS = 100; // how often to try to get the advisory lock, in milliseconds
const REPORT_AFTER = 20; // attempts before the wait is reported; replicas that start together need fewer attempts
const LOCK_KEY = "7598807798210291559"; // an arbitrary number that nothing else in the database uses

// The time limit for each wait for a table lock, in milliseconds. Short, because other statements queue behind it.
// Below PostgreSQL's deadlock timeout of one second, so that a deadlock aborts the migration and not a request.
const LOCK_LIMIT = 0.8 * SECOND;
const MAX_ATTEMPTS = 60; // more than four minutes including pauses; a longer lock needs an administrator's attention

/** An SQL condition that is true if the role may migrate: it owns the tables, or may create them in an empty schema. */
export const MAY_MIGRATE_SQL = `coalesce(
  (select pg_has_role(relowner, 'usage') from pg_class where oid = to_regclass('migrations')),
  has_schema_privilege(current_schema(), 'create'), false)`;

/**
 * Applies the missing migrations and returns their names. If `ownerUrl` is set, migrations run as the owner, who then
 * grants privileges to the role in `url`. `report` is called with progress messages.
 */
export async function migrate(
  url: DatabaseSource,
  migrations: readonly Migration[],
  ownerUrl: DatabaseSource | null = null,
  report: (sentence: string) => void = () => {},
): Promise<string[]> {
  const login = ownerUrl === null ? null : loginOf(url);
  // Runs all statements on one connection, because the advisory lock belongs to that connection's session.
  const copier = await openCopyConnection(ownerUrl ?? url, "wheelwright-migrate", { lock_timeout: "0" });
  const run = runWith(copier);
  try {
    await lock(run, report);
    const [state] = await run(
      `select to_regclass('migrations') is not null as "there", ${MAY_MIGRATE_SQL} as "may"`,
    ) as [State];
    const { missing, newer } = compareSchema(
      state.there ? await run(SELECT_APPLIED_MIGRATIONS) as AppliedMigration[] : [],
      migrations,
    );
    if (newer.length > 0) {
      report(`The database is newer than this release, but compatible with it. Newer migrations: ${newer.join(", ")}`);
      return []; // this release must not revoke privileges that the newer release granted
    }
    if (missing.length > 0 && !state.may) throw new MigrationError(missingMessage(missing));
    if (!state.there) await run(CREATE_MIGRATIONS_TABLE);
    const temporaryGrants = login && missing.length > 0
      ? buildTemporaryGrants(login.role, await findRole(run, login))
      : NO_TEMPORARY_GRANTS;
    for (const migration of missing) await apply(run, migration, temporaryGrants, report);
    if (login) await grantAccess(run, login);
    return missing.map(([name]) => name);
  } finally {
    await copier.close();
  }
}

function runWith(copier: CopyConnection): Run {
  return async (text, params = []) => {
    try {
      return await copier.run(text, params);
    } catch (cause) {
      if (!(cause instanceof ConnectionLost)) throw cause;
      const message = "The connection to the database was lost during the migration; run the migration again";
      throw new MigrationError(message, { cause });
    }
  };
}

/** Polls for the advisory lock. A session that waits inside the server would block `create index concurrently`. */
async function lock(run: Run, report: (sentence: string) => void): Promise<void> {
  for (let attempts = 1;; attempts++) {
    const [{ held }] = await run("select pg_try_advisory_lock($1) as held", [LOCK_KEY]) as [{ held: boolean }];
    if (held) return;
    if (attempts === REPORT_AFTER) report("Waiting for another process that is migrating or restoring this database");
    await sleep(LOCK_POLL_MS);
  }
}

type Run = (text: string, params?: string[]) => Promise<readonly unknown[]>;
type State = { readonly there: boolean; readonly may: boolean };

export const CREATE_MIGRATIONS_TABLE = `create table if not exists migrations (
  name text primary key,
  checksum text not null,
  applied_at timestamptz(3) not null default clock_timestamp(),
  needs text
)`;

function loginOf(url: DatabaseSource): ServiceLogin {
  const { user, password } = resolveDatabaseAddress(url);
  return { role: user, password: password ?? "" };
}

function missingMessage(missing: readonly Migration[]): string {
  const many = formatCount(missing.length, "migration");
  return `The database lacks ${many} of this release, from ${
    missing[0]![0]
  }.sql on, and the service's role does not own ` +
    "the tables; run wheelwright migrate with DATABASE_OWNER_URL, or set DATABASE_OWNER_URL for serve as well";
}

/**
 * Grants the service's role its privileges, unless it is the current user or a superuser. If the role owns the tables,
 * transfers them to the current user, because an owner could drop the schema.
 */
async function grantAccess(run: Run, login: ServiceLogin): Promise<void> {
  const found = await findRole(run, login);
  if (found.all) return;
  const first = found.owns ? buildReassignStatement(login.role) : found.there ? "" : buildCreateRoleStatement(login);
  try {
    await run(`begin;\n${first}\n${buildGrantStatements(login.role, found.schema)}\ncommit;`);
  } catch (cause) {
    if (cause instanceof MigrationError) throw cause;
    const what = found.there ? "grant privileges to" : "create";
    const message = `The owner cannot ${what} the service's role ${login.role}: ${getErrorMessage(cause)}`;
    throw new MigrationError(message, { cause });
  }
}

async function findRole(run: Run, { role }: ServiceLogin): Promise<ServiceRolePrivileges> {
  const [found] = await run(
    `select current_schema() as "schema", rolname is not null as "there",
       coalesce(rolsuper or rolname = current_user, false) as "all",
       coalesce(pg_roles.oid = (select relowner from pg_class where oid = to_regclass('migrations')), false) as "owns"
     from (select) as one left join pg_roles on rolname = $1`,
    [role],
  ) as [ServiceRolePrivileges];
  return found;
}

/**
 * Applies a migration. A single message contains BEGIN, the migration, the row that records it and COMMIT, so a process
 * that is killed leaves nothing half applied. The server stops at the first statement that fails.
 */
async function apply(
  run: Run,
  [name, text]: Migration,
  temporaryGrants: TemporaryGrants,
  report: (sentence: string) => void,
): Promise<void> {
  const record = recordOf(name, text);
  try {
    if (createsIndexConcurrently(text)) {
      await createIndex(run, text);
      return void await run(record);
    }
    const statements =
      `begin;\nset local lock_timeout = ${LOCK_LIMIT};\n${temporaryGrants.first}${text}\n;${record};\n${temporaryGrants.last}commit;`;
    for (let attempt = 1;; attempt++) {
      try {
        return void await run(statements);
      } catch (error) {
        if (!hasSqlState(error, LOCK_NOT_AVAILABLE, DEADLOCK) || attempt === MAX_ATTEMPTS) throw error;
        await run("rollback");
        if (attempt === 1) {
          report(`The migration ${name}.sql is waiting for a table lock and keeps retrying`);
        }
        await sleep(backoffDelay(attempt, SECOND / 10, 5 * SECOND));
      }
    }
  } catch (cause) {
    if (cause instanceof MigrationError) throw cause;
    throw new MigrationError(`The migration ${name}.sql failed: ${getErrorMessage(cause)}`, { cause });
  }
}

const LOCK_NOT_AVAILABLE = "55P03", DEADLOCK = "40P01";

/** Blocks migrations by other processes until the caller's transaction ends. */
export async function lockMigrations(run: Run): Promise<void> {
  await run("select pg_advisory_xact_lock($1)", [LOCK_KEY]);
}

/**
 * Applies the migrations in the caller's transaction. Indexes are not created concurrently, because nothing uses the
 * tables yet.
 */
export async function applyMigrationsInTransaction(run: Run, migrations: readonly Migration[]): Promise<void> {
  await run(CREATE_MIGRATIONS_TABLE);
  for (const [name, text] of migrations) await run(`${removeConcurrently(text)}\n;${recordOf(name, text)}`);
}

function recordOf(name: string, text: string): string {
  const needs = findRequiredMigration(text), more = needs === null ? ["", ""] : [", needs", `, ${quote(needs)}`];
  return `insert into migrations (name, checksum${more[0]}) values (${quote(name)}, ${
    quote(computeMigrationChecksum(text))
  }${more[1]})`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
