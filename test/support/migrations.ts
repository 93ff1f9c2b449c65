/** Reads the migrations from sql/, because the generated module src/migrations.ts can be out of date. */
import { readdir, readFile } from "node:fs/promises";
import type { Migration } from "#lib/drivers/db/compare-schema.ts";

export async function loadMigrations(): Promise<Migration[]> {
  const folder = new URL("../../sql/", import.meta.url);
  const files = (await readdir(folder)).filter((file) => file.endsWith(".sql")).sort();
  return await Promise.all(
    files.map(async (file) => [file.slice(0, -4), await readFile(new URL(file, folder), "utf8")]),
  );
}
