/** The tables of templates for Kysely. */
import type { Generated } from "kysely";
import type { DefaultJsonColumn, MaybeStampColumn, StampColumn } from "#lib/drivers/db/columns.ts";

export interface TemplateTables {
  templates: {
    id: string;
    cluster: string;
    clusterUid: string;
    version: string;
    moodleImage: string;
    postgresImage: string;
    revision: string;
    storageClass: string;
    state: Generated<"creating" | "ready" | "failed" | "retiring">;
    volumes: DefaultJsonColumn;
    failures: Generated<number>;
    error: string | null;
    nextAttemptAt: MaybeStampColumn;
    createdAt: StampColumn;
    readyAt: MaybeStampColumn;
    lastUsedAt: MaybeStampColumn;
  };
  template_uses: {
    spokeId: string;
    templateId: string;
    turn: string;
    fallbackReason: string | null;
    startedAt: StampColumn;
  };
}
