/** Defines the backup tables for Kysely, the query builder. */
import type { Generated } from "kysely";
import type {
  JsonColumn,
  JsonColumnWithDefault,
  NullableBigintColumn,
  NullableJsonColumn,
  NullableTimestampColumn,
  TimestampColumn,
} from "#lib/drivers/db/columns.ts";
import type { BackupKind, BackupState } from "#lib/model/backup.ts";

export interface BackupTables {
  libraries: {
    federationId: string;
    packages: JsonColumnWithDefault;
    usedBytes: NullableBigintColumn;
    freeBytes: NullableBigintColumn;
    checkedAt: NullableTimestampColumn;
    checkDueAt: TimestampColumn;
    error: string | null;
    errorCode: string | null;
  };
  library_backups: {
    id: string;
    federationId: string;
    jobId: string;
    cluster: string;
    namespace: string;
    state: Generated<BackupState>;
    volumes: JsonColumnWithDefault;
    packages: JsonColumn;
    sizeBytes: NullableBigintColumn;
    error: string | null;
    createdAt: TimestampColumn;
    readyAt: NullableTimestampColumn;
    failedAt: NullableTimestampColumn;
    deletingSince: NullableTimestampColumn;
    deletedAt: NullableTimestampColumn;
  };
  database_restores: { restoredAt: TimestampColumn; takenAt: TimestampColumn; releasedAt: NullableTimestampColumn };
  backups: {
    id: string;
    spokeId: string;
    federationId: string;
    operationId: string;
    cluster: string;
    namespace: string;
    kind: BackupKind;
    state: Generated<BackupState>;
    volumes: JsonColumnWithDefault;
    sizeBytes: NullableBigintColumn;
    error: string | null;
    failureReported: Generated<boolean>;
    createdAt: TimestampColumn;
    readyAt: NullableTimestampColumn;
    failedAt: NullableTimestampColumn;
    deletingSince: NullableTimestampColumn;
    deletedAt: NullableTimestampColumn;
    lmsVersion: string | null;
    images: NullableJsonColumn;
    siteIdentifier: string | null;
    counts: NullableJsonColumn;
    restoreTestId: string | null;
    verifiedAt: NullableTimestampColumn;
    verification: NullableJsonColumn;
    verificationError: string | null;
  };
  retained_pvcs: {
    spokeId: string;
    claim: string;
    uid: string | null;
    operationId: string;
    reason: "replaced" | "unused";
    since: TimestampColumn;
    until: TimestampColumn;
    deletingSince: NullableTimestampColumn;
  };
  cluster_snapshots: { cluster: string; classes: NullableJsonColumn; error: string | null; checkedAt: TimestampColumn };
}
