/** Finds the password for a connection, in the database address or in a libpq password file (`.pgpass`). */
import { readFile } from "node:fs/promises";
import type { DatabaseAddress, DatabaseHost } from "#lib/base/database-address.ts";

/** Returns the password. Reads the file for each connection, so that a changed password needs no restart. */
export async function findDatabasePassword(address: DatabaseAddress, { host, port }: DatabaseHost): Promise<string> {
  if (address.password !== null) return address.password;
  if (address.passfile === null) return "";
  const text = await readFile(address.passfile, "utf8").catch(() => "");
  return findPasswordInFile(text, [
    host.startsWith("/") ? "localhost" : host,
    String(port),
    address.database,
    address.user,
  ]);
}

/** Returns the password from the first matching line: `host:port:database:user:password`. `*` matches any value. */
export function findPasswordInFile(text: string, connection: readonly string[]): string {
  for (const line of text.split(/\r?\n/)) {
    if (line === "" || line.startsWith("#")) continue;
    const fields = line.match(/(?:[^:\\]|\\.)+/g)?.map((field) => field.replace(/\\(.)/g, "$1")) ?? [];
    const raw = line.split(/(?<!\\):/);
    if (fields.length === 5 && connection.every((value, i) => raw[i] === "*" || fields[i] === value)) return fields[4]!;
  }
  return "";
}
