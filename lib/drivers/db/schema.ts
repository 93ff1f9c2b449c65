/** The tables as kysely sees them: one interface a table, in the order of sql/. Columns keep their SQL names. */
import type { ColumnType, Generated } from "kysely";
import type { BackupTables } from "#lib/drivers/db/schema-backups.ts";
import type { BillingTables } from "#lib/drivers/db/schema-billing.ts";
import type { NoticeTables } from "#lib/drivers/db/schema-notices.ts";
import type { NotificationTables } from "#lib/drivers/db/schema-notifications.ts";
import type { Big, Json, MaybeJson, MaybeStamp, Stamp } from "#lib/drivers/db/columns.ts";

export interface Schema extends BackupTables, BillingTables, NoticeTables, NotificationTables {
  clock_shift: { only_row: Generated<boolean>; shift: string };
  users: {
    id: string;
    email: string;
    display_name: string;
    password_hash: string | null;
    operator: Generated<boolean>;
    email_verified_at: MaybeStamp;
    disabled_at: MaybeStamp;
    created_at: Stamp;
    updated_at: Stamp;
    onboarded_at: MaybeStamp;
  };
  sessions: {
    id: string;
    user_id: string;
    token_hash: Uint8Array;
    ip: string;
    user_agent: string;
    created_at: Stamp;
    seen_at: Stamp;
    ended_at: MaybeStamp;
  };
  api_tokens: {
    id: string;
    user_id: string;
    name: string;
    scope: "cli" | "provisioning" | "readonly";
    prefix: string;
    token_hash: Uint8Array;
    created_at: Stamp;
    expires_at: MaybeStamp;
    last_used_at: MaybeStamp;
    revoked_at: MaybeStamp;
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
    created_at: Stamp;
    updated_at: Stamp;
    ready_at: MaybeStamp;
    removed_at: MaybeStamp;
    cluster_uid: string | null;
  };
  federation_members: { federation_id: string; user_id: string; created_at: Stamp };
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
    blueprint_inputs: Json;
    site_identifier: string | null;
    drift: MaybeJson;
    maintenance: Generated<boolean>;
    backup_due_at: MaybeStamp;
    visible_events: Big;
    created_by: string;
    created_at: Stamp;
    updated_at: Stamp;
    ready_at: MaybeStamp;
    observed_at: MaybeStamp;
    bad_looks: Generated<number>;
    removed_at: MaybeStamp;
    cluster_uid: string | null;
    wished_domain: string | null;
  };
  former_domains: { domain: string; spoke_id: string; until: Stamp };
  spoke_members: { spoke_id: string; user_id: string; created_at: Stamp };
  replicas: { id: string; release: string; started_at: Stamp; beat_at: Stamp; stopped_at: MaybeStamp };
  jobs: {
    id: string;
    seq: ColumnType<string, never, never>;
    kind: string;
    visible: boolean;
    lane: string | null;
    federation_id: string | null;
    spoke_id: string | null;
    state: Generated<"queued" | "running" | "succeeded" | "failed" | "cancelled">;
    run_at: Stamp;
    attempt: Generated<number>;
    time_limit_ms: Big;
    deadline_at: MaybeStamp;
    fence: Big;
    holder: string | null;
    plan: number;
    step_names: string[];
    steps_done: Generated<string[]>;
    label: string;
    payload: Json;
    progress: Generated<Json>;
    failure: MaybeJson;
    dedupe_key: string | null;
    cancel_requested_at: MaybeStamp;
    asker_id: string;
    asker_email: string;
    asker_ip: string;
    asker_agent: string;
    asker_token: string | null;
    created_at: Stamp;
    updated_at: Stamp;
    started_at: MaybeStamp;
    finished_at: MaybeStamp;
  };
  audit_events: {
    id: string;
    kind: string;
    actor_id: string;
    actor_email: string;
    object_type: string;
    object_id: string;
    metadata: Json;
    ip: string;
    user_agent: string;
    at: Stamp;
    federation_id: string | null;
    spoke_id: string | null;
    audience_user_id: string | null;
    customer_visible: boolean;
    origin_private: Generated<boolean>;
  };
  stream_heads: {
    federation_id: string;
    number: Big;
    last_at: Stamp;
    visible_events: Big;
    pruned_through: Generated<Big>;
  };
  stream_events: {
    federation_id: string;
    number: Big;
    type: string;
    at: Stamp;
    spoke_id: string | null;
    data: Json;
  };
  idempotency_keys: {
    user_id: string;
    method: string;
    path: string;
    key: string;
    body_hash: Uint8Array;
    reply: MaybeJson;
    created_at: Stamp;
  };
  audit_seals: {
    chain: string;
    count: Big;
    head: Generated<string>;
    /** `-infinity` until something is sealed: read it as text. */
    last_at: Stamp;
    last_id: Generated<string>;
    sealed_at: Stamp;
  };
  one_time_tokens: {
    id: string;
    purpose: "invitation" | "password_reset" | "email_verification";
    user_id: string;
    token_hashes: Generated<Uint8Array[]>;
    created_at: Stamp;
    expires_at: Stamp;
    used_at: MaybeStamp;
    voided_at: MaybeStamp;
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
    decided_at: MaybeStamp;
    reject_reason: string | null;
    federation_id: string | null;
    created_at: Stamp;
    updated_at: Stamp;
  };
}
