/** The tables of backups for Kysely. */
import type { Generated } from "kysely";
import type {
  DefaultJsonColumn,
  MaybeBigColumn,
  MaybeJsonColumn,
  MaybeStampColumn,
  StampColumn,
} from "#lib/drivers/db/columns.ts";

export interface BackupTables {
  database_restores: { restoredAt: StampColumn; takenAt: StampColumn; releasedAt: MaybeStampColumn };
  backups: {
    id: string;
    spokeId: string;
    federationId: string;
    operationId: string;
    cluster: string;
    namespace: string;
    kind: "nightly" | "manual" | "upgrade" | "last";
    state: Generated<"pending" | "ready" | "failed" | "deleted">;
    volumes: DefaultJsonColumn;
    sizeBytes: MaybeBigColumn;
    error: string | null;
    failureReported: Generated<boolean>;
    createdAt: StampColumn;
    readyAt: MaybeStampColumn;
    failedAt: MaybeStampColumn;
    deletingSince: MaybeStampColumn;
    deletedAt: MaybeStampColumn;
    lmsVersion: string | null;
    images: MaybeJsonColumn;
    siteIdentifier: string | null;
    counts: MaybeJsonColumn;
    restoreTestId: string | null;
    verifiedAt: MaybeStampColumn;
    verification: MaybeJsonColumn;
    verificationError: string | null;
  };
  retained_pvcs: {
    spokeId: string;
    claim: string;
    uid: string | null;
    operationId: string;
    reason: "replaced" | "unused";
    since: StampColumn;
    until: StampColumn;
    deletingSince: MaybeStampColumn;
  };
  cluster_snapshots: { cluster: string; classes: MaybeJsonColumn; error: string | null; checkedAt: StampColumn };
}
