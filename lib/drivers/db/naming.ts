/**
 * Translates column names: `created_at` in the database, `createdAt` in the program. The driver translates each column
 * once, so rows already have the API's names and need not be copied.
 */

/** Converts `createdAt` to `created_at`. Lower-case names stay unchanged. */
export function toColumnName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Converts `created_at` to `createdAt`, also for names that a query sets with `as`. */
export function fromColumnName(column: string): string {
  return column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
