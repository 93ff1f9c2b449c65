/**
 * Translates names between the database (`created_at`) and the program (`createdAt`). The driver translates each column
 * name once per query. Rows then have the API's names and need not be copied.
 */

/** Converts `createdAt` to `created_at`. Lowercase names stay unchanged. */
export function toColumnName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Converts `created_at` to `createdAt`, including names that a query assigns with `as`. */
export function fromColumnName(column: string): string {
  return column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
