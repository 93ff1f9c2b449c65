/** Defines the tables for this installation and for the sites' former domains, for the query builder Kysely. */
import type { Generated } from "kysely";

import type { TimestampColumn } from "#lib/drivers/db/columns.ts";

export interface InstallationTables {
  former_domains: { domain: string; spokeId: string; until: TimestampColumn };
  installation: { onlyRow: Generated<boolean>; id: string; key: string };
}
