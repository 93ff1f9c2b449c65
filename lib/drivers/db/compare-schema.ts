/**
 * Whether a database and a program fit.
 *
 * A database that is newer than the program is served all the same: migrations are made so that the release before works
 * on them (sql/README.md), and so a roll-out can be taken back. One that takes something away says in its header what a
 * program must know to work without it, `-- needs 0060_add_size`. That is recorded with it, for programs that were
 * made before it was written.
 */
import { createHash } from "node:crypto";

export type Migration = readonly [name: string, sql: string];

/** What the database says of a migration; `needs` is the one that a program must have, null where any may go on. */
export interface AppliedMigration {
  readonly name: string;
  readonly checksum: string;
  readonly needs: string | null;
}

/** A database and a program that do not fit; the message says which file, and what to do. */
export class MigrationError extends Error {
  override readonly name = "MigrationError";
}

/** What is wrong, and what to do about it. */
export class SchemaMismatch extends MigrationError {
  readonly problem: string;
  readonly remedy: string;
  constructor(told: string, remedy: string) {
    super(`${told}; ${remedy}`);
    this.problem = told;
    this.remedy = remedy;
  }
}

/** By name. A table of migrations that was made before anything was needed lacks the column. */
export const SELECT_APPLIED =
  "select name, checksum, to_jsonb(migrations) ->> 'needs' as needs from migrations order by name";

export interface SchemaComparison {
  /** What is yet to be applied, in order. */
  readonly missing: readonly Migration[];
  /** What the database has and the program does not know; it works all the same. */
  readonly newer: readonly string[];
}

/** Throws SchemaMisfit where they do not fit. */
export function compareSchema(
  applied: readonly AppliedMigration[],
  migrations: readonly Migration[],
): SchemaComparison {
  const known = new Map(migrations), newest = migrations.at(-1)?.[0] ?? "", newer: string[] = [];
  for (const { name, checksum, needs } of applied) {
    const text = known.get(name);
    if (text === undefined) {
      if (name < newest) {
        throw new SchemaMismatch(
          `The migration ${name}.sql was applied to the database, but this program lacks it`,
          "restore the file",
        );
      }
      if (needs !== null && !known.has(needs)) {
        throw new SchemaMismatch(
          `The database is newer than this program: its migration ${name}.sql needs ${needs}.sql, and this program ` +
            `ends at ${newest}.sql`,
          "run a newer release",
        );
      }
      newer.push(name);
    } else if (checksumOf(text) !== checksum) {
      const told = `The migration ${name}.sql was changed after it was applied`;
      throw new SchemaMismatch(told, "restore it, and put the change into a new file");
    }
  }
  const last = applied.at(-1)?.name ?? "", done = new Set(applied.map(({ name }) => name));
  const missing = migrations.filter(([name]) => !done.has(name));
  const late = missing.find(([name]) => name < last);
  if (late) {
    const told = `The migration ${late[0]}.sql comes before ${last}.sql, which is applied`;
    throw new SchemaMismatch(told, "give it a later number");
  }
  return { missing, newer };
}

/** What is recorded with an applied migration. */
export function checksumOf(text: string): string {
  return createHash("sha256").update(text.replaceAll("\r\n", "\n")).digest("hex");
}

/** The migration without which no program works on this one. */
export function requiredMigration(text: string): string | null {
  return /^-- needs (\d{4}_\w+)\r?$/m.exec(text)?.[1] ?? null;
}
