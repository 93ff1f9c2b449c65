/** The table of what this database belongs to, as kysely sees it: a part of the schema, in a file of its own for its length. */
import type { Generated } from "kysely";

export interface InstallationTables {
  installation: { onlyRow: Generated<boolean>; id: string; key: string };
}
