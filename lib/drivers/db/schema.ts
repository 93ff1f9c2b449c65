/** The tables as kysely sees them: one interface a table, in the order of sql/. Columns keep their SQL names. */
import type { ColumnType, Generated } from "kysely";
import type { BackupTables } from "#lib/drivers/db/schema-backups.ts";
import type { BillingTables } from "#lib/drivers/db/schema-billing.ts";
import type { NoticeTables } from "#lib/drivers/db/schema-notices.ts";
import type { NotificationTables } from "#lib/drivers/db/schema-notifications.ts";
import type { Big, JsonColumn, MaybeJson, MaybeStampColumn, StampColumn } from "#lib/drivers/db/columns.ts";

export interface Schema extends BackupTables, BillingTables, NoticeTables, NotificationTables {
  clock_shift: { only_row: Generated<boolean>; shift: string };
  users: {
    id: string;
    email: string;
    display_name: string;
    password_hash: string | null;
    operator: Generated<boolean>;
    email_verified_at: MaybeStampColumn;
    disabled_at: MaybeStampColumn;
    created_at: StampColumn;
    updated_at: StampColumn;
    onboarded_at: MaybeStampColumn;
  };
  sessions: {
    id: string;
    user_id: string;
    token_hash: Uint8Array;
    ip: string;
    user_agent: string;
    created_at: StampColumn;
    seen_at: StampColumn;
    ended_at: MaybeStampColumn;
  };
  api_tokens: {
    id: string;
    user_id: string;
    name: string;
    scope: "cli" | "provisioning" | "readonly";
    prefix: string;
    token_hash: Uint8Array;
    created_at: StampColumn;
    expires_at: MaybeStampColumn;
    last_used_at: MaybeStampColumn;
    revoked_at: MaybeStampColumn;
  };
  federations: {
    id: string;
    slug: string;
    name: string;
    region: string | null;
    mode: string | null;
    tier: string | null;
    state: "provisioning" | "active" | "failed" | "removing" | "removed";
    state_reason: string | null;
    cluster: string;
    namespace: string;
    namespace_uid: string | null;
    created_by: string;
    created_at: StampColumn;
    updated_at: StampColumn;
    ready_at: MaybeStampColumn;
    removed_at: MaybeStampColumn;
    cluster_uid: string | null;
  };
  federation_members: { federation_id: string; user_id: string; created_at: StampColumn };
  spokes: {
    id: string;
    federation_id: string;
    slug: string;
    display_name: string;
    domain: string;
    size: string;
    identity: Generated<boolean>;
    content: Generated<boolean>;
    content_mode: string | null;
    brand: string | null;
    admin_email: string;
    region: string | null;
    lms_version: string;
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
    state_reason: string | null;
    health: Generated<"healthy" | "degraded" | "unknown">;
    cluster: string;
    namespace: string;
    namespace_uid: string | null;
    blueprint_revision: string;
    blueprint_inputs: JsonColumn;
    site_identifier: string | null;
    drift: MaybeJson;
    maintenance: Generated<boolean>;
    backup_due_at: MaybeStampColumn;
    visible_events: Big;
    created_by: string;
    created_at: StampColumn;
    updated_at: StampColumn;
    ready_at: MaybeStampColumn;
    observed_at: MaybeStampColumn;
    bad_looks: Generated<number>;
    removed_at: MaybeStampColumn;
    cluster_uid: string | null;
    wished_domain: string | null;
  };
  former_domains: { domain: string; spoke_id: string; until: StampColumn };
  spoke_members: { spoke_id: string; user_id: string; created_at: StampColumn };
  replicas: {
    id: string;
    release: string;
    started_at: StampColumn;
    beat_at: StampColumn;
    stopped_at: MaybeStampColumn;
  };
  jobs: {
    id: string;
    seq: ColumnType<string, never, never>;
    kind: string;
    visible: boolean;
    lane: string | null;
    federation_id: string | null;
    spoke_id: string | null;
    state: Generated<"queued" | "running" | "succeeded" | "failed" | "cancelled">;
    run_at: StampColumn;
    attempt: Generated<number>;
    time_limit_ms: Big;
    deadline_at: MaybeStampColumn;
    fence: Big;
    holder: string | null;
    plan: number;
    step_names: string[];
    steps_done: Generated<string[]>;
    label: string;
    payload: JsonColumn;
    progress: Generated<JsonColumn>;
    failure: MaybeJson;
    dedupe_key: string | null;
    cancel_requested_at: MaybeStampColumn;
    asker_id: string;
    asker_email: string;
    asker_ip: string;
    asker_agent: string;
    asker_token: string | null;
    created_at: StampColumn;
    updated_at: StampColumn;
    started_at: MaybeStampColumn;
    finished_at: MaybeStampColumn;
  };
  lane_calls: { kind: string; plan: number; at: StampColumn; lane: string };
  audit_events: {
    id: string;
    kind: string;
    actor_id: string;
    actor_email: string;
    object_type: string;
    object_id: string;
    metadata: JsonColumn;
    ip: string;
    user_agent: string;
    at: StampColumn;
    federation_id: string | null;
    spoke_id: string | null;
    audience_user_id: string | null;
    customer_visible: boolean;
    origin_private: Generated<boolean>;
  };
  stream_heads: {
    federation_id: string;
    number: Big;
    last_at: StampColumn;
    visible_events: Big;
    pruned_through: Generated<Big>;
  };
  stream_events: {
    federation_id: string;
    number: Big;
    type: string;
    at: StampColumn;
    spoke_id: string | null;
    data: JsonColumn;
  };
  idempotency_keys: {
    user_id: string;
    method: string;
    path: string;
    key: string;
    body_hash: Uint8Array;
    reply: MaybeJson;
    created_at: StampColumn;
  };
  audit_seals: {
    chain: string;
    count: Big;
    head: Generated<string>;
    /** `-infinity` until something is sealed: read it as text. */
    last_at: StampColumn;
    last_id: Generated<string>;
    sealed_at: StampColumn;
  };
  one_time_tokens: {
    id: string;
    purpose: "invitation" | "password_reset" | "email_verification";
    user_id: string;
    token_hashes: Generated<Uint8Array[]>;
    created_at: StampColumn;
    expires_at: StampColumn;
    used_at: MaybeStampColumn;
    voided_at: MaybeStampColumn;
  };
  federation_requests: {
    id: string;
    slug: string;
    name: string;
    region: string | null;
    mode: string | null;
    tier: string | null;
    reason: string | null;
    state: Generated<"pending" | "approved" | "rejected" | "withdrawn">;
    requested_by: string;
    decided_by: string | null;
    decided_at: MaybeStampColumn;
    reject_reason: string | null;
    federation_id: string | null;
    created_at: StampColumn;
    updated_at: StampColumn;
  };
}
