/**
 * Compares a database's migrations with the program's. A newer database is accepted, so that a rollout can be rolled
 * back: the previous release works with new migrations (sql/README.md). A migration that removes something names the
 * migration that programs must know to work without it: `-- needs 0060_add_size`. The database stores this name for
 * older programs.
 */
import { createHash } from "node:crypto";

export type Migration = readonly [name: string, sql: string];

/** `needs` is the migration that a program must have to use this database, or null. */
export interface AppliedMigration {
  readonly name: string;
  readonly checksum: string;
  readonly needs: string | null;
}

/** An error for a database that does not fit the program. The message names the file and the remedy. */
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

/** Selects the applied migrations. Tables from before the first release may lack `needs`. */
export const SELECT_APPLIED_MIGRATIONS =
  "select name, checksum, to_jsonb(migrations) ->> 'needs' as needs from migrations order by name";

/** A migration that only development versions had before release 0.1.0. */
const UNRELEASED = "0003_create_federations";

export interface SchemaComparison {
  /** Migrations to apply, in order. */
  readonly missing: readonly Migration[];
  /** Applied migrations that the program does not know, but works with. */
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

export function checksumOf(text: string): string {
  return createHash("sha256").update(text.replaceAll("\r\n", "\n")).digest("hex");
}

/** Returns the migration that programs need to work with this one, or null. */
export function findRequiredMigration(text: string): string | null {
  return /^-- needs (\d{4}_\w+)\r?$/m.exec(text)?.[1] ?? null;
}
