/**
 * Compares the migrations applied to a database with the program's migrations. The program accepts a database with
 * newer migrations, so that a rollout can be rolled back. A migration that removes something contains a line such as
 * `-- needs 0060_add_size`: programs without the migration 0060_add_size must not use the database.
 */
import { createHash } from "node:crypto";

export type Migration = readonly [name: string, sql: string];

/** A migration in the database. `needs` names the migration that a program must include to use the database, if any. */
export type AppliedMigration = {
  readonly name: string;
  readonly checksum: string;
  readonly needs: string | null;
};

/** The error when a migration fails, or when this program cannot use the database. */
export class MigrationError extends Error {
  override readonly name = "MigrationError";
}

export class SchemaMismatch extends MigrationError {
  readonly problem: string;
  readonly remedy: string;
  constructor(message: string, remedy: string) {
    super(`${message}; ${remedy}`);
    this.problem = message;
    this.remedy = remedy;
  }
}

/** Selects the applied migrations. Tables created before the first release may lack the column `needs`. */
export const SELECT_APPLIED_MIGRATIONS =
  "select name, checksum, to_jsonb(migrations) ->> 'needs' as needs from migrations order by name";

/** A migration that existed only in development versions before release 0.1.0. */
const UNRELEASED = "0003_create_federations";

export interface SchemaComparison {
  /** The migrations that still have to be applied, in order. */
  readonly missing: readonly Migration[];
  /** The applied migrations that this program does not know but is compatible with. */
  readonly newer: readonly string[];
}

/** Throws SchemaMismatch if the program cannot use the database. */
export function compareSchema(
  applied: readonly AppliedMigration[],
  migrations: readonly Migration[],
): SchemaComparison {
  const byName = new Map(migrations), newest = migrations.at(-1)?.[0] ?? "", newer: string[] = [];
  if (applied.some(({ name }) => name === UNRELEASED)) {
    throw new SchemaMismatch(
      "The database has a schema from before the first release",
      "use an empty database, or an empty DATA_DIR with npm start",
    );
  }
  for (const { name, checksum, needs } of applied) {
    const text = byName.get(name);
    if (text === undefined) {
      if (name < newest) {
        throw new SchemaMismatch(
          `The migration ${name}.sql was applied to the database, but this program does not include it`,
          "restore the migration file",
        );
      }
      if (needs !== null && !byName.has(needs)) {
        throw new SchemaMismatch(
          `The database is newer than this program: its migration ${name}.sql needs ${needs}.sql, and this program ` +
            `ends at ${newest}.sql`,
          "run a newer release",
        );
      }
      newer.push(name);
    } else if (computeMigrationChecksum(text) !== checksum) {
      const message = `The migration ${name}.sql was changed after it was applied`;
      throw new SchemaMismatch(message, "restore the file, and put the change into a new migration");
    }
  }
  const last = applied.at(-1)?.name ?? "", done = new Set(applied.map(({ name }) => name));
  const missing = migrations.filter(([name]) => !done.has(name));
  const late = missing.find(([name]) => name < last);
  if (late) {
    const message = `The migration ${late[0]}.sql comes before ${last}.sql, which was already applied`;
    throw new SchemaMismatch(message, "give the migration a later number");
  }
  return { missing, newer };
}

export function computeMigrationChecksum(text: string): string {
  return createHash("sha256").update(text.replaceAll("\r\n", "\n")).digest("hex");
}

/** Returns the name of the required migration from the `-- needs` line, or null without such a line. */
export function findRequiredMigration(text: string): string | null {
  return /^-- needs (\d{4}_\w+)\r?$/m.exec(text)?.[1] ?? null;
}
