/** Defines the tables for requests to create hubs and to restore backups, for the query builder Kysely. */
import type { Generated } from "kysely";
import type { NullableTimestampColumn, TimestampColumn } from "#lib/drivers/db/columns.ts";

export interface RequestTables {
  federation_requests: {
    id: string;
    slug: string;
    name: string;
    region: string | null;
    mode: string | null;
    tier: string | null;
    reason: string | null;
    state: Generated<"pending" | "approved" | "rejected" | "withdrawn">;
    requestedBy: string;
    decidedBy: string | null;
    decidedAt: NullableTimestampColumn;
    rejectReason: string | null;
    federationId: string | null;
    createdAt: TimestampColumn;
    updatedAt: TimestampColumn;
  };
  restore_requests: {
    id: string;
    federationId: string;
    spokeId: string;
    backupId: string;
    reason: string;
    state: Generated<"open" | "done" | "declined">;
    requestedBy: string;
    decidedBy: string | null;
    decidedAt: NullableTimestampColumn;
    declineReason: string | null;
    createdAt: TimestampColumn;
    updatedAt: TimestampColumn;
  };
}
