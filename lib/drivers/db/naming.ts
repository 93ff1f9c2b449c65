/**
 * One name for a column in each language: `created_at` in the database and in SQL text, `createdAt` in the program.
 *
 * The compiler of queries writes the first and the driver reads the second, each once for a column and not once for a
 * row. So a row is what the API shows of it, and nothing is copied from one name to the other.
 */

/** `createdAt` -> `created_at`. What is in lower case already stays as it is. */
export function toColumn(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** `created_at` -> `createdAt`; this is also what happens to a name that a query gives with `as`. */
export function fromColumn(column: string): string {
  return column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
