/** Implements `wheelwright migrate`, which migrates the database to this release. Run this command before a rollout. */
import { readProcessConfig } from "#lib/base/config.ts";
import { resolveDatabaseAddress } from "#lib/base/database-address.ts";
import { migrate } from "#lib/drivers/db/migrate.ts";
import { createLog } from "#lib/base/log.ts";
import { migrations } from "../migrations.ts";
import { waitForDatabase } from "./wait-for-database.ts";

export async function runMigrate(): Promise<void> {
  const { database: { source, ownerSource }, log } = readProcessConfig("migrate");
  await waitForDatabase(ownerSource ?? source, createLog({ ...log, write: (line) => process.stderr.write(line) }));
  const applied = await migrate(source, migrations, ownerSource, (text) => void process.stderr.write(`${text}\n`));
  for (const name of applied) process.stdout.write(`Applied ${name}\n`);
  if (
    ownerSource !== null && resolveDatabaseAddress(ownerSource).password === resolveDatabaseAddress(source).password
  ) {
    process.stderr.write(
      "Warning: the schema's owner and the service share a password, so the service can sign in as the owner\n",
    );
  }
  if (applied.length === 0) process.stdout.write("The database is up to date\n");
}
