/** Creates a spoke with the same statements as Wheelwright, in the caller's transaction. */
import { randomBytes } from "node:crypto";
import { operationOf, type Row, spokeOf } from "./shape.ts";

/** Runs one statement in the transaction. */
export type Query = (text: string, params: readonly unknown[]) => Promise<readonly Row[]>;

/** A spoke that Wheelwright created, with its job. They provide the values that the request lacks. */
export interface Model {
  readonly spoke: Row;
  readonly job: Row;
}

export interface Caller {
  readonly id: string;
  readonly email: string;
  readonly prefix: string;
}

export async function readModel(query: Query): Promise<Model> {
  const [spoke] = await query("select * from spokes where slug = $1", ["model"]);
  const [job] = await query("select * from jobs where spoke_id = $1 and visible", [spoke.id]);
  return { spoke, job };
}

const KEEP = "select * from federations where id = $1 for key share";
const LOCK = "select pg_advisory_xact_lock(hashtextextended('wheelwright: names below ' || $1::text, 0))";
const TAKEN = `select
  exists (select from spokes where state <> 'removed' and (domain = $1
    or reverse(domain) collate "C" > $2 and reverse(domain) collate "C" < $3))
  or exists (select from spokes where state <> 'removed' and requested_domain is not null and (requested_domain = $1
    or reverse(requested_domain) collate "C" > $2 and reverse(requested_domain) collate "C" < $3))
  or exists (select from former_domains where domain = $1
    or reverse(domain) collate "C" > $2 and reverse(domain) collate "C" < $3) as taken`;
const SPOKE = `insert into spokes (id, federation_id, slug, display_name, domain, size, identity, content, content_mode,
    brand, admin_email, region, lms_version, seed, state, cluster, namespace, blueprint_revision, blueprint_inputs,
    created_by)
  values ($1, $2, $3, $3, $4, $5, false, false, null, null, $6, null, $7, null, 'provisioning', $8, $9, $10,
    $11::text::jsonb, $12)
  on conflict do nothing returning *`;
const JOB = `insert into jobs (id, kind, visible, lane, federation_id, spoke_id, time_limit_ms, plan, step_names, label,
    payload, requester_id, requester_email, requester_ip, requester_agent, requester_token)
  values ($1, $2, true, $3, $4, $5, $6, $7, $8, $9, '{}', $10, $11, $12, $13, $14) returning *`;
const HEAD = `insert into stream_heads as head (federation_id, number, last_at) values ($1, 1, wheelwright_now())
  on conflict (federation_id) do update set number = head.number + 1,
    last_at = greatest(wheelwright_now(), head.last_at + 2 * interval '1 millisecond')
  returning number, last_at`;
const AUDIT = `insert into audit_events (id, kind, actor_id, actor_email, object_type, object_id, metadata, ip,
    user_agent, at, federation_id, spoke_id, customer_visible, origin_private)
  values ($1, 'spoke_requested', $2, $3, 'spoke', $4, $5::text::jsonb, $6, $7, $8, $9, $4, false,
    exists (select from users where id = $2 and operator))`;
const EVENT = `insert into stream_events (federation_id, number, type, at, spoke_id, data)
  values ($1, $2, 'spoke', $3, $4, $5::text::jsonb)`;

/** Returns the spoke as the API shows it. Returns null if its slug or domain is taken, or the hub does not exist. */
export async function create(
  query: Query,
  { spoke: model, job: plan }: Model,
  caller: Caller,
  hubId: string,
  { slug, size }: { readonly slug: string; readonly size: string },
): Promise<ReturnType<typeof spokeOf> | null> {
  const [hub] = await query(KEEP, [hubId]);
  if (!hub) return null;
  const id = newId("spk"), domain = `${slug}.spokes.example.org`, backwards = [...domain].reverse().join("");
  const namespace = `spoke-${slug}-${id.slice(-12)}`;
  await query(LOCK, [domain]);
  const [{ taken }] = await query(TAKEN, [domain, `${backwards}.`, `${backwards}/`]);
  if (taken) return null;
  const inputs = JSON.stringify({
    ...model.blueprint_inputs,
    spokeId: id,
    federationId: hub.id,
    host: domain,
    namespace,
  });
  const { cluster, blueprint_revision, lms_version } = model;
  const [spoke] = await query(SPOKE, [
    ...[id, hub.id, slug, domain, size, caller.email, lms_version, cluster, namespace, blueprint_revision, inputs],
    caller.id,
  ]);
  if (!spoke) return null;
  const [job] = await query(JOB, [
    ...[
      newId("op"),
      plan.kind,
      `hub:${hub.id}`,
      hub.id,
      id,
      plan.time_limit_ms,
      plan.plan,
      plan.step_names,
      plan.label,
    ],
    ...[caller.id, caller.email, "127.0.0.1", "bench", caller.prefix],
  ]);
  const [{ number, last_at }] = await query(HEAD, [hub.id]);
  const metadata = JSON.stringify({
    slug,
    domain,
    size,
    lmsVersion: lms_version,
    operationId: job.id,
    token: caller.prefix,
  });
  const auditAt = new Date(last_at.getTime() - 1);
  await query(AUDIT, [
    ...[newId("evt"), caller.id, caller.email, id, metadata, "127.0.0.1", "bench", auditAt, hub.id],
  ]);
  const operation = operationOf(job);
  const data = {
    id: String(number),
    type: "spoke",
    at: last_at,
    federationId: hub.id,
    spokeId: id,
    state: spoke.state,
  };
  await query(EVENT, [hub.id, number, last_at, id, JSON.stringify({ ...data, operation })]);
  return spokeOf(spoke, operation);
}

/** Returns an ID of the same length as Wheelwright's, sorted by creation time like them. */
function newId(prefix: string): string {
  return `${prefix}_${Date.now().toString(16).padStart(12, "0")}${randomBytes(7).toString("hex")}`;
}
