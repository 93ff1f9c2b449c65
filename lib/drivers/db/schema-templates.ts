/** Defines the tables for site templates (snapshots from which new sites start), for the query builder Kysely. */
import type { Generated } from "kysely";
import type { JsonColumnWithDefault, NullableTimestampColumn, TimestampColumn } from "#lib/drivers/db/columns.ts";
import type { TemplateState } from "#lib/model/backup.ts";

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
    state: Generated<TemplateState>;
    volumes: JsonColumnWithDefault;
    failures: Generated<number>;
    error: string | null;
    nextAttemptAt: NullableTimestampColumn;
    createdAt: TimestampColumn;
    readyAt: NullableTimestampColumn;
    lastUsedAt: NullableTimestampColumn;
  };
  template_uses: {
    spokeId: string;
    templateId: string;
    adoptionId: string;
    fallbackReason: string | null;
    startedAt: TimestampColumn;
  };
}
