/**
 * What the service's own role may do in a database that another role owns: rows of each table, and nothing to the tables.
 *
 * An attacker in the service could otherwise switch off the triggers that keep the audit log from being changed, or
 * drop it. A table that stands in the schema and not here does not compile.
 */
import { createHash, createHmac, pbkdf2Sync, randomBytes } from "node:crypto";
import type { Schema } from "#lib/drivers/db/schema.ts";

/** By table. To lock a row, as `for update` and `for share` do, takes the right to update. */
export const TABLE_PRIVILEGES: Readonly<Record<keyof Schema | "migrations", string>> = {
  migrations: "select",
  clock_shift: "select",
  installation: "select",
  users: "select, insert, update",
  sessions: "select, insert, update, delete",
  api_tokens: "select, insert, update",
  federations: "select, insert, update",
  federation_members: "select, insert, delete",
  spokes: "select, insert, update",
  former_domains: "select, insert, delete",
  spoke_members: "select, insert, delete",
  replicas: "select, insert, update, delete",
  jobs: "select, insert, update, delete",
  lane_calls: "select, insert, delete",
  audit_events: "select, insert",
  stream_heads: "select, insert, update",
  stream_events: "select, insert, delete",
  idempotency_keys: "select, insert, update, delete",
  audit_seals: "select, insert, update",
  audit_counts: "select, insert, update",
  one_time_tokens: "select, insert, update, delete",
  federation_requests: "select, insert, update",
  restore_requests: "select, insert, update",
  notification_reads: "select, insert",
  notification_read_counts: "select, insert, update",
  notification_read_stretches: "select, insert, delete",
  loose_heads: "select, update",
  notification_audiences: "select, insert, update",
  backups: "select, insert, update, delete",
  cluster_snapshots: "select, insert, update",
  templates: "select, insert, update, delete",
  template_uses: "select, insert, update, delete",
  subscriptions: "select, insert, update",
  billing_events: "select, insert, update, delete",
  database_restores: "select, update",
  kept_claims: "select, insert, update, delete",
  billing_refunds: "select, insert",
  token_calls: "select, insert, update, delete",
  deprecation_notices: "select, insert",
  deprecation_announcements: "select, insert",
};

export interface Login {
  readonly role: string;
  /** Empty where the server asks for none. */
  readonly password: string;
}

/** Statements that make the role, for a server that lacks it. The password itself is not in them: servers log statements. */
export function createRole({ role, password }: Login): string {
  const secret = password === "" ? "" : ` password '${verifierOf(password)}'`;
  return `create role ${identifier(role)} login${secret};`;
}

/** Whatever the role owned in this database is the owner's from now on, and the database itself. */
export function reassignOwned(role: string): string {
  return `reassign owned by ${identifier(role)} to current_user;`;
}

/** Statements that give the role what stands above, and take back whatever else it had on these tables. */
export function grantPrivileges(role: string, schema: string): string {
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

/** What the owner finds of the service's role in a database. */
export interface ServiceRole {
  readonly schema: string;
  readonly there: boolean;
  /** Whether it may do everything: it is the owner itself, or a superuser. */
  readonly all: boolean;
  readonly owns: boolean;
}

/** Statements around a migration. */
export interface TemporaryGrants {
  readonly first: string;
  readonly last: string;
}

export const NO_TEMPORARY_GRANTS: TemporaryGrants = { first: "", last: "" };

/**
 * The rows of each table that the migration makes, until grantRights says which rights stay. A trigger on an older table
 * may write to the new one as soon as it is there, in the name of a service that knows nothing of it and works on.
 */
export function grantTemporarily(role: string, { schema, there, all, owns }: ServiceRole): TemporaryGrants {
  if (!there || all || owns) return NO_TEMPORARY_GRANTS;
  const defaults = `alter default privileges in schema ${identifier(schema)}`,
    rights = "select, insert, update, delete";
  return {
    first: `${defaults} grant ${rights} on tables to ${identifier(role)};\n`,
    last: `${defaults} revoke ${rights} on tables from ${identifier(role)};\n`,
  };
}

/** What PostgreSQL keeps of a password (RFC 5803), so that it can be set without being told. */
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
