/**
 * Brings a database to the schema of this program.
 *
 * Migrations run in order, each in a transaction of its own (but for indexes: migrate-index.ts), under one advisory lock:
 * any number of replicas may start at once, and one of them does the work while the others wait. What ran is recorded
 * with its checksum, so that a database which does not fit this program stops the start instead of failing later in some
 * query.
 *
 * The schema may belong to another role than the service's. Then this is done as the owner, who also gives the service's
 * role its rights; the service by itself only finds out whether everything was done.
 */
import { createHash } from "node:crypto";
import postgres from "postgres";
import { createRole, giveUp, grantRights, type Login } from "#lib/drivers/db/grants.ts";
import { isConcurrent, makeIndex, withoutConcurrence } from "#lib/drivers/db/migrate-index.ts";
import { messageOf } from "#lib/base/errors.ts";
import { sleep } from "#lib/base/time.ts";

const LOOK = 100; // milliseconds between two tries to get the lock
const LOCK = "7598807798210291559"; // any number, as long as nothing else in the database uses it

export type Migration = readonly [name: string, sql: string];

/** A database and a program that do not fit; the message says which file, and what to do. */
export class MigrationError extends Error {
  override readonly name = "MigrationError";
}

/** Whether the caller may migrate: owns what is there, or may make tables where nothing is. */
export const MAY_MIGRATE = `coalesce(
  (select pg_has_role(relowner, 'usage') from pg_class where oid = to_regclass('migrations')),
  has_schema_privilege(current_schema(), 'create'), false)`;

/**
 * Applies what is missing, and returns the names of what it applied. `name` is the file's name without `.sql`. With an
 * owner's address it is done as the owner, and the role of `url` may use the schema afterwards.
 */
export async function migrate(
  url: string,
  migrations: readonly Migration[],
  ownerUrl: string | null = null,
): Promise<string[]> {
  const login = ownerUrl === null ? null : loginOf(url);
  // Only one connection, and never a second: the lock belongs to its session and ends with it, however that ends.
  let lost = false;
  const sql = postgres(ownerUrl ?? url, {
    max: 1,
    max_lifetime: null,
    idle_timeout: 0,
    connect_timeout: 30,
    onnotice: () => {},
    onclose: () => lost = true,
    connection: { application_name: "wheelwright-migrate" },
  });
  const run: Run = async (text, params = []) => {
    if (lost) throw new MigrationError("The connection to the database was lost while migrating; start again");
    return await sql.unsafe(text, params);
  };
  try {
    await lock(run);
    const [state] = await run(
      `select to_regclass('migrations') is not null as "there", ${MAY_MIGRATE} as "may"`,
    ) as unknown as [State];
    const applied = state.there
      ? await run("select name, checksum from migrations order by name") as unknown as Applied[]
      : [];
    const missing = compare(applied, migrations);
    if (missing.length > 0 && !state.may) throw new MigrationError(refusal(missing));
    if (!state.there) await run(TABLE);
    for (const migration of missing) await apply(run, migration);
    if (login) await letIn(run, login);
    return missing.map(([name]) => name);
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/** Asked for again and again: who waited in the server would be waited for in turn by an index that is made meanwhile. */
async function lock(run: Run): Promise<void> {
  for (;;) {
    const [{ held }] = await run("select pg_try_advisory_lock($1) as held", [LOCK]) as unknown as [{ held: boolean }];
    if (held) return;
    await sleep(LOOK);
  }
}

type Run = (text: string, params?: string[]) => Promise<readonly unknown[]>;
type Applied = { readonly name: string; readonly checksum: string };
type State = { readonly there: boolean; readonly may: boolean };

const TABLE = `create table if not exists migrations (
  name text primary key,
  checksum text not null,
  applied_at timestamptz(3) not null default clock_timestamp()
)`;

function loginOf(url: string): Login {
  const { username, password } = new URL(url);
  if (username === "") throw new MigrationError("DATABASE_URL must name its user, who is not the schema's owner");
  return { role: decodeURIComponent(username), password: decodeURIComponent(password) };
}

function refusal(missing: readonly Migration[]): string {
  const many = missing.length === 1 ? "1 migration" : `${missing.length} migrations`;
  return `The database lacks ${many} of this release, from ${
    missing[0]![0]
  }.sql on, and the service's role does not own ` +
    "its tables; run wheelwright migrate with DATABASE_OWNER_URL, or set that for serve as well";
}

/**
 * The owner's own role and a superuser have every right: for them nothing is changed. A role that owned the tables until
 * now gives them up, and with them the database, whose owner could drop the schema.
 */
async function letIn(run: Run, login: Login): Promise<void> {
  const [found] = await run(
    `select current_schema() as "schema", rolname is not null as "there",
       coalesce(rolsuper or rolname = current_user, false) as "all",
       coalesce(pg_roles.oid = (select relowner from pg_class where oid = to_regclass('migrations')), false) as "owns"
     from (select) as one left join pg_roles on rolname = $1`,
    [login.role],
  ) as unknown as [{ readonly schema: string; readonly there: boolean; readonly all: boolean; readonly owns: boolean }];
  if (found.all) return;
  const first = found.owns ? giveUp(login.role) : found.there ? "" : createRole(login);
  try {
    await run(`begin;\n${first}\n${grantRights(login.role, found.schema)}\ncommit;`);
  } catch (cause) {
    if (cause instanceof MigrationError) throw cause;
    const what = found.there ? "given its rights" : "made";
    const message = `The service's role ${login.role} cannot be ${what} by the owner: ${messageOf(cause)}`;
    throw new MigrationError(message, { cause });
  }
}

/** What is yet to be applied, once it is sure that the rest is what it was. */
function compare(applied: readonly Applied[], migrations: readonly Migration[]): readonly Migration[] {
  const known = new Map(migrations);
  for (const { name, checksum } of applied) {
    const text = known.get(name);
    if (text === undefined) {
      const newest = migrations.at(-1)?.[0] ?? "";
      throw new MigrationError(
        name > newest
          ? `The database is newer than this program: it has the migration ${name}.sql, this program ends at ` +
            `${newest}.sql; run the newer release`
          : `The migration ${name}.sql was applied to the database, but this program lacks it; restore the file`,
      );
    }
    if (checksumOf(text) !== checksum) {
      throw new MigrationError(
        `The migration ${name}.sql was changed after it was applied; restore it, and put the change into a new file`,
      );
    }
  }
  const last = applied.at(-1)?.name ?? "";
  const missing = migrations.filter(([name]) => !applied.some((one) => one.name === name));
  const late = missing.find(([name]) => name < last);
  if (late) {
    throw new MigrationError(
      `The migration ${late[0]}.sql comes before ${last}.sql, which is applied; give it a later number`,
    );
  }
  return missing;
}

/**
 * One message to the server holds the migration, its record and both ends of the transaction: nothing can come between.
 * The simple protocol runs many statements as one, and stops at the first that fails.
 */
async function apply(run: Run, migration: Migration): Promise<void> {
  const [name, text] = migration, record = recordOf(migration);
  try {
    if (isConcurrent(text)) {
      await makeIndex(run, text);
      return void await run(record);
    }
    await run(`begin;\n${text}\n;${record};\ncommit;`);
  } catch (cause) {
    if (cause instanceof MigrationError) throw cause;
    throw new MigrationError(`The migration ${name}.sql failed: ${messageOf(cause)}`, { cause });
  }
}

/** Until the caller's transaction ends, nobody else migrates. */
export async function holdMigrations(run: Run): Promise<void> {
  await run("select pg_advisory_xact_lock($1)", [LOCK]);
}

/**
 * Applies them to an empty database, or after those that it has, within the caller's transaction. Nobody else has the tables
 * yet, so no index need be made beside writers.
 */
export async function applyWithin(run: Run, migrations: readonly Migration[]): Promise<void> {
  await run(TABLE);
  for (const [name, text] of migrations) await run(`${withoutConcurrence(text)}\n;${recordOf([name, text])}`);
}

function recordOf([name, text]: Migration): string {
  return `insert into migrations (name, checksum) values (${quote(name)}, ${quote(checksumOf(text))})`;
}

/** What is recorded with an applied migration. */
export function checksumOf(text: string): string {
  return createHash("sha256").update(text.replaceAll("\r\n", "\n")).digest("hex");
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
