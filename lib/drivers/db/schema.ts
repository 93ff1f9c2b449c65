/** Defines the tables for Kysely, in the order of the files in sql/. naming.ts translates the column names. */
import type { ColumnType, Generated } from "kysely";
import type { AccountTables } from "#lib/drivers/db/schema-accounts.ts";
import type { AvailabilityTables } from "#lib/drivers/db/schema-availability.ts";
import type { BackupTables } from "#lib/drivers/db/schema-backups.ts";
import type { BillingTables } from "#lib/drivers/db/schema-billing.ts";
import type { ListTables } from "#lib/drivers/db/schema-lists.ts";
import type { NotificationTables } from "#lib/drivers/db/schema-notifications.ts";
import type { PolicyTables } from "#lib/drivers/db/schema-policy.ts";
import type { RequestTables } from "#lib/drivers/db/schema-requests.ts";
import type { RolloutTables } from "#lib/drivers/db/schema-rollouts.ts";
import type { TemplateTables } from "#lib/drivers/db/schema-templates.ts";
import type { UsageTables } from "#lib/drivers/db/schema-usage.ts";
import type {
  BigintColumn,
  JsonColumn,
  JsonColumnWithDefault,
  NullableJsonColumn,
  NullableTimestampColumn,
  TimestampColumn,
} from "#lib/drivers/db/columns.ts";
import type { HubColumns } from "#lib/model/hub.ts";
import type { HubPolicy, SpokePolicy } from "#lib/model/policy.ts";
import type { SpokeColumns } from "#lib/model/spoke.ts";

/** The columns of a table. An insert may omit the columns K, because they have a default value. */
type WithDefaults<T, K extends keyof T> = Omit<T, K> & { [N in K]: Generated<T[N]> };

export interface Schema
  extends
    AccountTables,
    AvailabilityTables,
    BackupTables,
    BillingTables,
    ListTables,
    NotificationTables,
    PolicyTables,
    RequestTables,
    RolloutTables,
    TemplateTables,
    UsageTables {
  installation: { onlyRow: Generated<boolean>; id: string; key: string };
  clock_shift: { onlyRow: Generated<boolean>; shift: string };
  federations: Omit<HubColumns, "policy" | "courses"> & {
    policy: ColumnType<HubPolicy | null, string | null | undefined, string | null>;
    courses: ColumnType<HubColumns["courses"], string | null | undefined, string | null>;
    cluster: string;
    namespaceUid: string | null;
    createdAt: TimestampColumn;
    updatedAt: TimestampColumn;
    readyAt: NullableTimestampColumn;
    removedAt: NullableTimestampColumn;
    clusterUid: string | null;
    recordedAt: NullableTimestampColumn;
    backupUpdatedAt: NullableTimestampColumn;
  };
  federation_members: { federationId: string; userId: string; createdAt: TimestampColumn };
  spokes: WithDefaults<Omit<SpokeColumns, "policy">, "identity" | "content" | "mail" | "health" | "maintenance"> & {
    cluster: string;
    clusterUid: string | null;
    namespaceUid: string | null;
    blueprintInputs: JsonColumn;
    policy: ColumnType<SpokePolicy | null, string | null | undefined, string | null>;
    drift: NullableJsonColumn;
    requestedDomain: string | null;
    visibleEvents: BigintColumn;
    failedChecks: Generated<number>;
    backupDueAt: NullableTimestampColumn;
    restoreTestDueAt: NullableTimestampColumn;
    verifiedAt: NullableTimestampColumn;
    unverifiedSince: NullableTimestampColumn;
    createdAt: TimestampColumn;
    updatedAt: TimestampColumn;
    readyAt: NullableTimestampColumn;
    observedAt: NullableTimestampColumn;
    lastFailedAt: NullableTimestampColumn;
    removedAt: NullableTimestampColumn;
    recordedAt: NullableTimestampColumn;
    backupUpdatedAt: NullableTimestampColumn;
  };
  former_domains: { domain: string; spokeId: string; until: TimestampColumn };
  spoke_members: { spokeId: string; userId: string; createdAt: TimestampColumn };
  replicas: {
    id: string;
    release: string;
    startedAt: TimestampColumn;
    heartbeatAt: TimestampColumn;
    stoppedAt: NullableTimestampColumn;
  };
  jobs: {
    id: string;
    seq: ColumnType<string, never, never>;
    kind: string;
    visible: boolean;
    lane: string | null;
    federationId: string | null;
    spokeId: string | null;
    state: Generated<"queued" | "running" | "succeeded" | "failed" | "cancelled">;
    runAt: TimestampColumn;
    attempt: Generated<number>;
    timeLimitMs: BigintColumn;
    deadlineAt: NullableTimestampColumn;
    fence: BigintColumn;
    holder: string | null;
    plan: number;
    stepNames: string[];
    finishedSteps: Generated<string[]>;
    stepTimes: JsonColumnWithDefault;
    label: string;
    payload: JsonColumn;
    progress: JsonColumnWithDefault;
    failure: NullableJsonColumn;
    dedupeKey: string | null;
    cancelRequestedAt: NullableTimestampColumn;
    waitsFor: Generated<string | null>;
    requesterId: string;
    requesterEmail: string;
    requesterIp: string;
    requesterAgent: string;
    requesterToken: string | null;
    trace: string | null;
    createdAt: TimestampColumn;
    updatedAt: TimestampColumn;
    startedAt: NullableTimestampColumn;
    finishedAt: NullableTimestampColumn;
  };
  turns: { jobId: string; spokeId: string; cluster: string; seq: BigintColumn; granted: boolean };
  ready_lanes: { kind: string; plan: number; at: TimestampColumn; lane: string };
  audit_events: {
    id: string;
    kind: string;
    actorId: string;
    actorEmail: string;
    objectType: string;
    objectId: string;
    metadata: JsonColumn;
    ip: string;
    userAgent: string;
    at: TimestampColumn;
    federationId: string | null;
    spokeId: string | null;
    audienceUserId: string | null;
    customerVisible: boolean;
    originPrivate: Generated<boolean>;
  };
  stream_heads: {
    federationId: string;
    number: BigintColumn;
    lastAt: TimestampColumn;
    visibleEvents: BigintColumn;
    prunedThrough: Generated<BigintColumn>;
  };
  stream_events: {
    federationId: string;
    number: BigintColumn;
    type: string;
    at: TimestampColumn;
    spokeId: string | null;
    data: JsonColumn;
  };
  idempotency_keys: {
    userId: string;
    method: string;
    path: string;
    key: string;
    bodyHash: Uint8Array;
    reply: NullableJsonColumn;
    createdAt: TimestampColumn;
  };
  audit_seals: {
    chain: string;
    count: BigintColumn;
    head: Generated<string>;
    /** The time of the newest event that the seal (hash) covers. Select it as text, because it may be `-infinity`. */
    lastAt: TimestampColumn;
    lastId: Generated<string>;
    sealedAt: TimestampColumn;
  };
  audit_counts: { chain: string; events: BigintColumn };
}
