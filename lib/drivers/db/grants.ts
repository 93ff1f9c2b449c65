/**
 * Grants the service's role access to tables that another role owns. The service may change rows but not tables.
 * Otherwise an attacker who controls the service could disable the triggers that protect the audit log.
 */
import { createHash, createHmac, pbkdf2Sync, randomBytes } from "node:crypto";
import type { Schema } from "#lib/drivers/db/schema.ts";

/** The service's privileges on each table. Row locks (`for update`, `for share`) need the update privilege. */
export const TABLE_PRIVILEGES: Readonly<Record<keyof Schema | "migrations", string>> = {
  migrations: "select",
  clock_shift: "select",
  installation: "select",
  users: "select, insert, update",
  sessions: "select, insert, update, delete",
  factors: "select, insert, update, delete",
  recovery_codes: "select, insert, update, delete",
  pending_sign_ins: "select, insert, update, delete",
  passkey_challenges: "select, insert, delete",
  api_tokens: "select, insert, update",
  terminal_sign_ins: "select, insert, update, delete",
  identities: "select, insert, update, delete",
  sign_in_requests: "select, insert, delete",
  mapped_roles: "select, insert, update, delete",
  federations: "select, insert, update",
  federation_members: "select, insert, delete",
  spokes: "select, insert, update",
  live_hubs: "select, insert, update, delete",
  live_spokes: "select, insert, update, delete",
  spoke_texts: "select, insert, update, delete",
  former_domains: "select, insert, delete",
  spoke_members: "select, insert, delete",
  replicas: "select, insert, update, delete",
  jobs: "select, insert, update, delete",
  turns: "select, insert, update, delete",
  ready_lanes: "select, insert, delete",
  audit_events: "select, insert",
  stream_heads: "select, insert, update",
  stream_events: "select, insert, delete",
  idempotency_keys: "select, insert, update, delete",
  audit_seals: "select, insert, update",
  audit_counts: "select, insert, update",
  one_time_tokens: "select, insert, update, delete",
  federation_requests: "select, insert, update",
  restore_requests: "select, insert, update",
  policy_versions: "select, insert",
  rollouts: "select, insert, update",
  rollout_spokes: "select, insert, update",
  page_checks: "select, insert, update",
  availability_hours: "select, insert, update, delete",
  availability_days: "select, insert, update, delete",
  availability_hub_days: "select, insert, update, delete",
  spoke_usage: "select, insert, update",
  spoke_addons: "select, insert, update, delete",
  usage_samples: "select, insert, update, delete",
  hub_usage_samples: "select, insert, update, delete",
  daily_totals: "select, insert, update, delete",
  notification_reads: "select, insert",
  notification_read_counts: "select, insert, update",
  notification_read_ranges: "select, insert, delete",
  service_event_head: "select, update",
  notification_audiences: "select, insert, update",
  backups: "select, insert, update, delete",
  libraries: "select, insert, update",
  library_backups: "select, insert, update",
  cluster_snapshots: "select, insert, update",
  templates: "select, insert, update, delete",
  template_uses: "select, insert, update, delete",
  subscriptions: "select, insert, update",
  billing_events: "select, insert, update, delete",
  database_restores: "select, update",
  retained_pvcs: "select, insert, update, delete",
  billing_refunds: "select, insert",
  webhooks: "select, insert, update, delete",
  webhook_cursors: "select, insert, update, delete",
  webhook_deliveries: "select, insert, update, delete",
  token_calls: "select, insert, update, delete",
  deprecation_notices: "select, insert",
  deprecation_announcements: "select, insert",
};

export interface ServiceLogin {
  readonly role: string;
  /** The password. Empty if the database server requires no password. */
  readonly password: string;
}

/**
 * Returns the statement that creates the role. The statement contains a SCRAM verifier instead of the password, because
 * servers log statements.
 */
export function buildCreateRoleStatement({ role, password }: ServiceLogin): string {
  const secret = password === "" ? "" : ` password '${verifierOf(password)}'`;
  return `create role ${identifier(role)} login${secret};`;
}

/** Returns the statement that makes the current user the owner of everything the role owns in this database. */
export function buildReassignStatement(role: string): string {
  return `reassign owned by ${identifier(role)} to current_user;`;
}

/** Returns the statements that grant the listed privileges and revoke all other privileges on the same tables. */
export function buildGrantStatements(role: string, schema: string): string {
  const to = identifier(role), within = identifier(schema);
  const tables = Object.entries(TABLE_PRIVILEGES).map(([table, rights]) =>
    `revoke all on ${within}.${table} from ${to}; grant ${rights} on ${within}.${table} to ${to};`
  );
  return [
    `revoke create on schema ${within} from public, ${to};`,
    `grant usage on schema ${within} to ${to};`,
    ...tables,
    `grant usage, select, update on sequence ${within}.job_fences to ${to};`,
    `grant execute on function ${within}.wheelwright_now() to ${to};`,
  ].join("\n");
}

/** A database schema, and the rights that the service's role has in the schema. */
export interface ServiceRolePrivileges {
  readonly schema: string;
  readonly there: boolean;
  /** Whether the role has all privileges, because it is the owner or a superuser. */
  readonly all: boolean;
  readonly owns: boolean;
}

/** SQL statements to run immediately before and after a migration. */
export interface TemporaryGrants {
  readonly first: string;
  readonly last: string;
}

export const NO_TEMPORARY_GRANTS: TemporaryGrants = { first: "", last: "" };

/**
 * Returns temporary grants on the tables that a migration creates. A trigger on an older table may write to a new table
 * while the previous release is still running.
 */
export function buildTemporaryGrants(
  role: string,
  { schema, there, all, owns }: ServiceRolePrivileges,
): TemporaryGrants {
  if (!there || all || owns) return NO_TEMPORARY_GRANTS;
  const defaults = `alter default privileges in schema ${identifier(schema)}`,
    rights = "select, insert, update, delete";
  return {
    first: `${defaults} grant ${rights} on tables to ${identifier(role)};\n`,
    last: `${defaults} revoke ${rights} on tables from ${identifier(role)};\n`,
  };
}

/** Returns the SCRAM verifier that PostgreSQL stores (RFC 5803), so that the password itself is not sent. */
function verifierOf(password: string): string {
  const salt = randomBytes(16), rounds = 4096;
  const salted = pbkdf2Sync(password, salt, rounds, 32, "sha256");
  const keyed = (name: string) => createHmac("sha256", salted).update(name).digest();
  const stored = createHash("sha256").update(keyed("Client Key")).digest("base64");
  return `SCRAM-SHA-256$${rounds}:${salt.toString("base64")}$${stored}:${keyed("Server Key").toString("base64")}`;
}

function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
