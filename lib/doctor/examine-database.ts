/** Checks only the database, without the cluster and other targets. */
import type { Config } from "#lib/base/config.ts";
import { describeDatabase, resolveDatabaseAddress } from "#lib/base/database-address.ts";
import type { Migration } from "#lib/drivers/db/compare-schema.ts";
import { lookAtDatabase } from "#lib/doctor/database.ts";
import type { Section } from "#lib/doctor/finding.ts";
import { judgeDatabase } from "#lib/doctor/judge-database.ts";
import type { Look } from "#lib/doctor/look.ts";

type DatabasePart = Pick<Config, "database" | "bootstrapAdmin">;

export async function examineDatabase(
  { database, bootstrapAdmin: admin }: DatabasePart,
  migrations: readonly Migration[],
  look: Look,
  limit: number,
): Promise<Section> {
  const facts = await look((within) => lookAtDatabase(database.source, limit, within));
  const findings = judgeDatabase(facts, {
    migrations,
    pool: database.pool,
    admin,
    owner: database.ownerSource !== null,
  });
  return { place: "database", name: null, where: describeDatabase(resolveDatabaseAddress(database.source)), findings };
}
