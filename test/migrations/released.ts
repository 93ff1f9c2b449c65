/** Reads the dumped databases of earlier releases: test/data/releases/VERSION.sql. */
import { readdir, readFile } from "node:fs/promises";
import { withAdminConnection } from "#test/support/server.ts";
import type { ReleasedMigrations } from "#test/migrations/check-migrations.ts";

const FOLDER = new URL("../data/releases/", import.meta.url);

export interface ReleaseDump {
  readonly version: string;
  readonly sql: string;
  /** The API's responses by path. */
  readonly answers: Readonly<Record<string, unknown>>;
  readonly migrations: ReleasedMigrations;
}

/** Returns the dumps of all releases, oldest first. */
export async function readDumps(): Promise<ReleaseDump[]> {
  const files = (await readdir(FOLDER)).filter((file) => file.endsWith(".sql"));
  const versions = files.map((file) => file.slice(0, -".sql".length)).sort((a, b) => compareVersions(a, b));
  return await Promise.all(versions.map(async (version) => {
    const sql = await readFile(new URL(`${version}.sql`, FOLDER), "utf8");
    const answers = JSON.parse(await readFile(new URL(`${version}.json`, FOLDER), "utf8"));
    const rows = sql.matchAll(/^insert into migrations .*'(\d{4}_\w+)', '([0-9a-f]{64})'/gm);
    return { version, sql, answers, migrations: new Map([...rows].map(([, name, checksum]) => [name!, checksum!])) };
  }));
}

export function dumpUrl(version: string, ending: "sql" | "json"): URL {
  return new URL(`${version}.${ending}`, FOLDER);
}

/** Restores the dump into an empty database. */
export async function restoreDump(url: string, sql: string): Promise<void> {
  await withAdminConnection(url, (admin) => admin.unsafe(sql));
}

/** Returns the time of the dump. */
export function dumpedAt(sql: string): Date {
  return new Date(/^-- Wheelwright .* at (.+)$/m.exec(sql)![1]!);
}

function compareVersions(a: string, b: string): number {
  return a.localeCompare(b, "en", { numeric: true });
}
