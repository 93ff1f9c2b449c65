/** Defines the tables for requests to create hubs and to restore backups, for the query builder Kysely. */
import type { Generated } from "kysely";
import type { NullableTimestampColumn, TimestampColumn } from "#lib/drivers/db/columns.ts";
import type { RestoreRequestState } from "#lib/model/backup.ts";
import type { HubColumns, HubRequestState } from "#lib/model/hub.ts";

export interface RequestTables {
  federation_requests: Pick<HubColumns, "slug" | "name" | "region" | "mode" | "tier"> & {
    id: string;
    reason: string | null;
    state: Generated<HubRequestState>;
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
    state: Generated<RestoreRequestState>;
    requestedBy: string;
    decidedBy: string | null;
    decidedAt: NullableTimestampColumn;
    declineReason: string | null;
    createdAt: TimestampColumn;
    updatedAt: TimestampColumn;
  };
}
