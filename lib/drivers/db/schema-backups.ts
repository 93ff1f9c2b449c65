/** The tables of backups, as kysely sees them: a part of the schema, in a file of its own for its length. */
import type { Generated } from "kysely";
import type { DefaultJson, MaybeBig, MaybeJson, MaybeStampColumn, StampColumn } from "#lib/drivers/db/columns.ts";

export interface BackupTables {
  backups: {
    id: string;
    spoke_id: string;
    federation_id: string;
    operation_id: string;
    cluster: string;
    namespace: string;
    kind: "nightly" | "manual" | "upgrade" | "last";
    state: Generated<"pending" | "ready" | "failed" | "deleted">;
    volumes: DefaultJson;
    size_bytes: MaybeBig;
    error: string | null;
    told: Generated<boolean>;
    created_at: StampColumn;
    ready_at: MaybeStampColumn;
    failed_at: MaybeStampColumn;
    removing_since: MaybeStampColumn;
    deleted_at: MaybeStampColumn;
  };
  cluster_snapshots: { cluster: string; classes: MaybeJson; error: string | null; looked_at: StampColumn };
}
