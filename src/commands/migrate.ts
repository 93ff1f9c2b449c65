/** `wheelwright migrate`: brings the database up to this release and ends, for those who migrate before they roll out. */
import { readProcessConfig } from "#lib/config.ts";
import { migrate } from "#lib/db/migrate.ts";
import { openLog } from "#lib/log.ts";
import { migrations } from "../migrations.ts";
import { reachDatabase } from "./reach.ts";

export async function migrateOnly(): Promise<void> {
  const config = readProcessConfig("migrate");
  await reachDatabase(config.database.url, openLog({ ...config.log, write: (line) => process.stderr.write(line) }));
  const applied = await migrate(config.database.url, migrations);
  for (const name of applied) process.stdout.write(`Applied ${name}\n`);
  if (applied.length === 0) process.stdout.write("The database is up to date\n");
}
