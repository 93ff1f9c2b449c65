/** Checks only the database, without the clusters and other services. */
import type { Config } from "#lib/base/config.ts";
import { describeDatabase, resolveDatabaseAddress } from "#lib/base/database-address.ts";
import type { Migration } from "#lib/drivers/db/compare-schema.ts";
import { readDatabaseProperties } from "#lib/doctor/database.ts";
import type { FindingSection } from "#lib/doctor/finding.ts";
import { checkDatabase } from "#lib/doctor/check-database.ts";
import type { TimedRead } from "#lib/doctor/timed-read.ts";

type DatabaseConfig = Pick<Config, "database" | "bootstrapAdmin">;

export async function readAndCheckDatabase(
  { database, bootstrapAdmin: admin }: DatabaseConfig,
  migrations: readonly Migration[],
  timedRead: TimedRead,
  limit: number,
): Promise<FindingSection> {
  const facts = await timedRead((within) => readDatabaseProperties(database.source, limit, within));
  const findings = checkDatabase(facts, {
    migrations,
    pool: database.pool,
    admin,
    owner: database.ownerSource !== null,
  });
  return { target: "database", name: null, where: describeDatabase(resolveDatabaseAddress(database.source)), findings };
}
