/** The tables for Kysely: one interface per table, in the order of sql/. naming.ts translates the column names. */
import type { ColumnType, Generated } from "kysely";
import type { BackupTables } from "#lib/drivers/db/schema-backups.ts";
import type { BillingTables } from "#lib/drivers/db/schema-billing.ts";
import type { InstallationTables } from "#lib/drivers/db/schema-installation.ts";
import type { NoticeTables } from "#lib/drivers/db/schema-notices.ts";
import type { NotificationTables } from "#lib/drivers/db/schema-notifications.ts";
import type { RequestTables } from "#lib/drivers/db/schema-requests.ts";
import type { TemplateTables } from "#lib/drivers/db/schema-templates.ts";
import type {
  BigColumn,
  DefaultJsonColumn,
  JsonColumn,
  MaybeJsonColumn,
  MaybeStampColumn,
  StampColumn,
} from "#lib/drivers/db/columns.ts";

export interface Schema
  extends
    BackupTables,
    BillingTables,
    InstallationTables,
    NoticeTables,
    NotificationTables,
    RequestTables,
    TemplateTables {
  clock_shift: { onlyRow: Generated<boolean>; shift: string };
  users: {
    id: string;
    email: string;
    displayName: string;
    passwordHash: string | null;
    operator: Generated<boolean>;
    emailVerifiedAt: MaybeStampColumn;
    disabledAt: MaybeStampColumn;
    createdAt: StampColumn;
    updatedAt: StampColumn;
    onboardedAt: MaybeStampColumn;
    mailRefusal: string | null;
  };
  sessions: {
    id: string;
    userId: string;
    tokenHash: Uint8Array;
    ip: string;
    userAgent: string;
    createdAt: StampColumn;
    lastUsedAt: StampColumn;
    endedAt: MaybeStampColumn;
  };
  api_tokens: {
    id: string;
    userId: string;
    name: string;
    scope: "cli" | "provisioning" | "readonly";
    prefix: string;
    tokenHash: Uint8Array;
    createdAt: StampColumn;
    expiresAt: MaybeStampColumn;
    lastUsedAt: MaybeStampColumn;
    revokedAt: MaybeStampColumn;
  };
  federations: {
    id: string;
    slug: string;
    name: string;
    region: string | null;
    mode: string | null;
    tier: string | null;
    state: "provisioning" | "active" | "failed" | "removing" | "removed";
    stateReason: string | null;
    cluster: string;
    namespace: string;
    namespaceUid: string | null;
    createdBy: string;
    createdAt: StampColumn;
    updatedAt: StampColumn;
    readyAt: MaybeStampColumn;
    removedAt: MaybeStampColumn;
    clusterUid: string | null;
    recordedAt: MaybeStampColumn;
    backupUpdatedAt: MaybeStampColumn;
  };
  federation_members: { federationId: string; userId: string; createdAt: StampColumn };
  spokes: {
    id: string;
    federationId: string;
    slug: string;
    displayName: string;
    domain: string;
    size: string;
    identity: Generated<boolean>;
    content: Generated<boolean>;
    contentMode: string | null;
    brand: string | null;
    adminEmail: string;
    region: string | null;
    lmsVersion: string;
    seed: string | null;
    state:
      | "provisioning"
      | "active"
      | "failed"
      | "suspending"
      | "suspended"
      | "resuming"
      | "updating"
      | "removing"
      | "removed";
    stateReason: string | null;
    health: Generated<"healthy" | "degraded" | "unknown">;
    cluster: string;
    namespace: string;
    namespaceUid: string | null;
    blueprintRevision: string;
    blueprintInputs: JsonColumn;
    siteIdentifier: string | null;
    drift: MaybeJsonColumn;
    maintenance: Generated<boolean>;
    backupDueAt: MaybeStampColumn;
    restoreTestDueAt: MaybeStampColumn;
    verifiedAt: MaybeStampColumn;
    unverifiedSince: MaybeStampColumn;
    visibleEvents: BigColumn;
    createdBy: string;
    createdAt: StampColumn;
    updatedAt: StampColumn;
    readyAt: MaybeStampColumn;
    observedAt: MaybeStampColumn;
    failedChecks: Generated<number>;
    removedAt: MaybeStampColumn;
    clusterUid: string | null;
    requestedDomain: string | null;
    fromBackup: string | null;
    copyOf: string | null;
    mail: Generated<"on" | "held">;
    recordedAt: MaybeStampColumn;
    backupUpdatedAt: MaybeStampColumn;
    imageDigest: Generated<string | null>;
  };
  spoke_members: { spokeId: string; userId: string; createdAt: StampColumn };
  replicas: {
    id: string;
    release: string;
    startedAt: StampColumn;
    heartbeatAt: StampColumn;
    stoppedAt: MaybeStampColumn;
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
    runAt: StampColumn;
    attempt: Generated<number>;
    timeLimitMs: BigColumn;
    deadlineAt: MaybeStampColumn;
    fence: BigColumn;
    holder: string | null;
    plan: number;
    stepNames: string[];
    finishedSteps: Generated<string[]>;
    stepTimes: DefaultJsonColumn;
    label: string;
    payload: JsonColumn;
    progress: Generated<JsonColumn>;
    failure: MaybeJsonColumn;
    dedupeKey: string | null;
    cancelRequestedAt: MaybeStampColumn;
    waitsFor: Generated<string | null>;
    requesterId: string;
    requesterEmail: string;
    requesterIp: string;
    requesterAgent: string;
    requesterToken: string | null;
    trace: string | null;
    createdAt: StampColumn;
    updatedAt: StampColumn;
    startedAt: MaybeStampColumn;
    finishedAt: MaybeStampColumn;
  };
  ready_lanes: { kind: string; plan: number; at: StampColumn; lane: string };
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
    at: StampColumn;
    federationId: string | null;
    spokeId: string | null;
    audienceUserId: string | null;
    customerVisible: boolean;
    originPrivate: Generated<boolean>;
  };
  stream_heads: {
    federationId: string;
    number: BigColumn;
    lastAt: StampColumn;
    visibleEvents: BigColumn;
    prunedThrough: Generated<BigColumn>;
  };
  stream_events: {
    federationId: string;
    number: BigColumn;
    type: string;
    at: StampColumn;
    spokeId: string | null;
    data: JsonColumn;
  };
  idempotency_keys: {
    userId: string;
    method: string;
    path: string;
    key: string;
    bodyHash: Uint8Array;
    reply: MaybeJsonColumn;
    createdAt: StampColumn;
  };
  audit_seals: {
    chain: string;
    count: BigColumn;
    head: Generated<string>;
    /** The time of the last sealed event; `-infinity` before the first seal. Read it as text. */
    lastAt: StampColumn;
    lastId: Generated<string>;
    sealedAt: StampColumn;
  };
  audit_counts: { chain: string; events: BigColumn };
  one_time_tokens: {
    id: string;
    purpose: "invitation" | "password_reset" | "email_verification";
    userId: string;
    tokenHashes: Generated<Uint8Array[]>;
    createdAt: StampColumn;
    expiresAt: StampColumn;
    usedAt: MaybeStampColumn;
    voidedAt: MaybeStampColumn;
  };
}
