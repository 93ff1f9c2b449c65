/** Defines the table for the history of hubs' policies, for the query builder Kysely. */
import type { ColumnType } from "kysely";
import type { TimestampColumn } from "#lib/drivers/db/columns.ts";
import type { PolicySection, PolicyVersion } from "#lib/model/policy.ts";

export interface PolicyTables {
  policy_versions: {
    federationId: string;
    section: PolicySection;
    version: number;
    values: ColumnType<PolicyVersion["values"], string, never>;
    overridable: string[];
    changedAt: TimestampColumn;
    changedBy: string;
  };
}
