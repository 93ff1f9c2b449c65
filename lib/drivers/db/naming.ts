/**
 * Translates column names: `created_at` in the database and in SQL, `createdAt` in the program.
 *
 * The query compiler writes the names of the database, and the driver returns those of the program. The driver
 * translates once per column instead of per row. So rows already have the names of the API and need not be copied.
 */

/** Translates `createdAt` to `created_at`. Lower-case names stay unchanged. */
export function toColumnName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Translates `created_at` to `createdAt`, also for names that a query sets with `as`. */
export function fromColumnName(column: string): string {
  return column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
