/** The table of what this database belongs to, as kysely sees it: a part of the schema, in a file of its own for its length. */
import type { Generated } from "kysely";

import type { StampColumn } from "#lib/drivers/db/columns.ts";

export interface InstallationTables {
  former_domains: { domain: string; spokeId: string; until: StampColumn };
  installation: { onlyRow: Generated<boolean>; id: string; key: string };
}
