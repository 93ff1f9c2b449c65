/** The last release's database, as it was dumped when it was made: test/data/releases/VERSION.sql. */
import { readdir, readFile } from "node:fs/promises";
import { asAdmin } from "#test/support/server.ts";
import type { Released } from "#test/migrations/judge.ts";

const FOLDER = new URL("../data/releases/", import.meta.url);

export interface ReleaseDump {
  readonly version: string;
  readonly sql: string;
  /** What the API answered of it, by path. */
  readonly answers: Readonly<Record<string, unknown>>;
  readonly migrations: Released;
}

/** Of all releases, the last one last. */
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

/** Into a database that is empty. */
export async function restoreDump(url: string, sql: string): Promise<void> {
  await asAdmin(url, (admin) => admin.unsafe(sql));
}

/** When it was dumped. */
export function dumpedAt(sql: string): Date {
  return new Date(/^-- Wheelwright .* at (.+)$/m.exec(sql)![1]!);
}

function compareVersions(a: string, b: string): number {
  return a.localeCompare(b, "en", { numeric: true });
}
