/**
 * Compares the migrations of a database with those of the program.
 *
 * A newer database is accepted: the previous release works with new migrations (sql/README.md), so a rollout can be
 * rolled back. A migration that removes something names the migration that a program must have to work without it: `--
 * needs 0060_add_size`. The database records this name, so that older programs can check it.
 */
import { createHash } from "node:crypto";

export type Migration = readonly [name: string, sql: string];

/** An applied migration. `needs` is the migration that a program must have, or null. */
export interface AppliedMigration {
  readonly name: string;
  readonly checksum: string;
  readonly needs: string | null;
}

/** An error for a database and a program that are incompatible. The message names the file and the remedy. */
export class MigrationError extends Error {
  override readonly name = "MigrationError";
}

/** An incompatibility with its remedy. */
export class SchemaMismatch extends MigrationError {
  readonly problem: string;
  readonly remedy: string;
  constructor(message: string, remedy: string) {
    super(`${message}; ${remedy}`);
    this.problem = message;
    this.remedy = remedy;
  }
}

/** Selects the applied migrations by name. A table from before the first release may lack `needs`. */
export const SELECT_APPLIED_MIGRATIONS =
  "select name, checksum, to_jsonb(migrations) ->> 'needs' as needs from migrations order by name";

/** A migration that only development versions had. Release 0.1.0 began with other migrations. */
const UNRELEASED = "0003_create_federations";

export interface SchemaComparison {
  /** Migrations to apply, in order. */
  readonly missing: readonly Migration[];
  /** Applied migrations that the program does not have but works with. */
  readonly newer: readonly string[];
}

/** Throws SchemaMismatch if the database and the program are incompatible. */
export function compareSchema(
  applied: readonly AppliedMigration[],
  migrations: readonly Migration[],
): SchemaComparison {
  const byName = new Map(migrations), newest = migrations.at(-1)?.[0] ?? "", newer: string[] = [];
  if (applied.some(({ name }) => name === UNRELEASED)) {
    throw new SchemaMismatch(
      "The database has a schema from before the first release",
      "use an empty database, or with npm start an empty DATA_DIR",
    );
  }
  for (const { name, checksum, needs } of applied) {
    const text = byName.get(name);
    if (text === undefined) {
      if (name < newest) {
        throw new SchemaMismatch(
          `The migration ${name}.sql was applied to the database, but this program lacks it`,
          "restore the file",
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
    } else if (checksumOf(text) !== checksum) {
      const message = `The migration ${name}.sql was changed after it was applied`;
      throw new SchemaMismatch(message, "restore it, and put the change into a new file");
    }
  }
  const last = applied.at(-1)?.name ?? "", done = new Set(applied.map(({ name }) => name));
  const missing = migrations.filter(([name]) => !done.has(name));
  const late = missing.find(([name]) => name < last);
  if (late) {
    const message = `The migration ${late[0]}.sql comes before ${last}.sql, which is applied`;
    throw new SchemaMismatch(message, "give it a later number");
  }
  return { missing, newer };
}

/** Returns the checksum that is recorded with a migration. */
export function checksumOf(text: string): string {
  return createHash("sha256").update(text.replaceAll("\r\n", "\n")).digest("hex");
}

/** Returns the migration that programs need to work with this one, or null. */
export function requiredMigration(text: string): string | null {
  return /^-- needs (\d{4}_\w+)\r?$/m.exec(text)?.[1] ?? null;
}
