/**
 * Reads and writes the database rows of spokes for the sweep (the periodic check of every site). A check can take
 * minutes. Its result is stored only if the spoke is still active and no operation has updated the row since the check
 * began. Locked rows are skipped, because the next check follows within a minute.
 */
import { sql } from "kysely";
import * as v from "valibot";
import type { App } from "#lib/app.ts";
import { SYSTEM_REQUESTER } from "#lib/audit/requester.ts";
import { type AuditEntry, buildSpokeSubject } from "#lib/audit/store.ts";
import { SpokeInputs } from "#lib/moodle/inputs.ts";
import { applyCurrentSettings } from "#lib/catalog/inputs.ts";
import { recordChange } from "#lib/changes/record.ts";
import type { RowQueries, Tx } from "#lib/drivers/db/database.ts";
import type { Drift } from "#lib/domains/spokes/drift.ts";
import { decideHealth, FAILED_CHECKS_LIMIT } from "#lib/domains/spokes/health.ts";
import type { HealthState } from "#lib/model/states.ts";
import { parseStoredUsage, STORED_USAGE_COLUMNS, type StoredUsage } from "#lib/domains/usage/stored.ts";

/** The columns of a spoke's row that the sweep (periodic check) needs. Large columns are left out. */
export interface CheckedSpoke {
  readonly id: string;
  readonly namespace: string;
  readonly namespaceUid: string;
  readonly clusterUid: string | null;
  readonly blueprintRevision: string;
  readonly maintenance: boolean;
  /** The names of the site's PVCs, from the spoke's blueprint inputs. */
  readonly claims: SpokeInputs["claims"] | null;
  readonly drift: unknown;
  /** The image and tag that the site's Moodle pods should run. */
  readonly image: string | null;
  readonly imageDigest: string | null;
  readonly updatedAt: Date;
  /** The sizes of the site's disks, as Kubernetes quantities. */
  readonly disks: SpokeInputs["resources"]["disks"] | null;
  /** The usage of the site that earlier checks stored; null before the first result. */
  readonly usage: StoredUsage | null;
}

/** Returns a cluster's active spokes. If `namespaces` is given, returns only the spokes in these namespaces. */
export async function readSpokesToCheck(
  rows: RowQueries,
  cluster: string,
  namespaces?: readonly string[],
): Promise<CheckedSpoke[]> {
  const found = await rows.selectFrom("spokes").leftJoin("spoke_usage", "spokeId", "id")
    .select(["id", "namespace", "clusterUid", "blueprintRevision", "maintenance", "drift", "imageDigest", "updatedAt"])
    .select(STORED_USAGE_COLUMNS)
    .select(sql<CheckedSpoke["disks"]>`blueprint_inputs #> '{resources,disks}'`.as("disks"))
    .select(sql<string | null>`blueprint_inputs #>> '{images,moodle}'`.as("image"))
    .select(sql<string>`namespace_uid`.as("namespaceUid"))
    .select(sql<CheckedSpoke["claims"]>`blueprint_inputs -> 'claims'`.as("claims"))
    .where("cluster", "=", cluster).where("state", "=", "active").where("namespaceUid", "is not", null)
    .$if(namespaces !== undefined, (query) => query.where(sql<boolean>`namespace = any(${namespaces}::text[])`))
    .execute();
  return found.map(parseStoredUsage);
}

export async function countSpokesToCheck(rows: RowQueries, cluster: string): Promise<number> {
  const { count } = await rows.selectFrom("spokes").select(sql<string>`count(*)`.as("count"))
    .where("cluster", "=", cluster).where("state", "=", "active").where("namespaceUid", "is not", null)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Returns the namespaces of active spokes that operations have changed since the given time. */
export async function readChangedNamespaces(rows: RowQueries, cluster: string, since: Date): Promise<string[]> {
  const found = await rows.selectFrom("spokes").select("namespace").where("cluster", "=", cluster)
    .where("state", "=", "active").where("namespaceUid", "is not", null).where("updatedAt", ">=", since).execute();
  return found.map(({ namespace }) => namespace);
}

/** Returns the spokes' blueprint inputs by spoke ID. Omits invalid inputs; such a spoke is not checked for drift. */
export async function readSpokeInputs(app: App, ids: readonly string[]): Promise<Map<string, SpokeInputs>> {
  if (ids.length === 0) return new Map();
  const found = await app.db.rows.selectFrom("spokes").select(["id", "blueprintInputs"])
    .where(sql<boolean>`id = any(${ids}::text[])`).execute();
  return new Map(found.flatMap(({ id, blueprintInputs }) => {
    const { success, output } = v.safeParse(SpokeInputs, blueprintInputs);
    return success ? [[id, applyCurrentSettings(app, output)]] : [];
  }));
}

export interface SpokeHealth {
  readonly id: string;
  /** A description of the spoke's problem; null if the spoke is healthy. */
  readonly problem: string | null;
}

/**
 * Stores the health of spokes, and counts failed checks. Records an event for each spoke whose health changes. Returns
 * the IDs of the updated rows.
 */
export async function saveSpokeHealth(tx: Tx, began: Date, healths: readonly SpokeHealth[]): Promise<string[]> {
  const problems = new Map(healths.map(({ id, problem }) => [id, problem]));
  const decided = (await lockObservedSpokes(tx, began, [...problems.keys()])).map((row) => {
    const problem = problems.get(row.id)!;
    // If an operation has updated the row since the previous check, a failed check counts as the first.
    const failedChecks = problem === null ? 0 : Math.min((row.isNext ? row.failedChecks : 0) + 1, FAILED_CHECKS_LIMIT);
    const after = decideHealth({ health: row.before, failedChecks, pageProblem: row.pageProblem });
    return { ...row, failedChecks, after, problem: problem ?? row.pageProblem };
  });
  const [ids, checks, after] = [
    decided.map(({ id }) => id),
    decided.map(({ failedChecks }) => failedChecks),
    decided.map(({ after }) => after),
  ];
  await sql`
    update spokes set observed_at = ${began}, failed_checks = look.bad, health = look.health
    from unnest(${ids}::text[], ${checks}::smallint[], ${after}::text[]) as look (id, bad, health)
    where spokes.id = look.id`.execute(tx);
  await recordHealthChanges(tx, decided.filter(({ before, after }) => before !== after));
  return ids;
}

interface LockedSpoke {
  readonly id: string;
  readonly federationId: string;
  readonly slug: string;
  readonly before: HealthState;
  readonly failedChecks: number;
  /** Whether the previous check was after the last operation. */
  readonly isNext: boolean;
  readonly pageProblem: string | null;
}

/** Locks the rows of active spokes that nothing has changed since the check began. Skips rows that are locked. */
async function lockObservedSpokes(tx: Tx, began: Date, ids: readonly string[]): Promise<LockedSpoke[]> {
  const { rows } = await sql<LockedSpoke>`
    select spokes.id, federation_id, slug, health as before, failed_checks, page_checks.problem as page_problem,
      coalesce(observed_at > spokes.updated_at, false) as is_next
    from spokes left join page_checks on page_checks.spoke_id = spokes.id
    where spokes.id = any(${ids}::text[]) and state = 'active' and spokes.updated_at <= ${began}
      and (observed_at is null or observed_at < ${began})
    order by spokes.id for no key update of spokes skip locked`.execute(tx);
  return rows;
}

/** Records an audit event and a stream event for each spoke whose health has changed, and other audit events. */
export async function recordHealthChanges(
  tx: Tx,
  changed: readonly HealthChange[],
  others: readonly AuditEntry[] = [],
): Promise<void> {
  if (changed.length + others.length === 0) return;
  await recordChange(tx, SYSTEM_REQUESTER, {
    audit: [...changed.map(toAuditEntry), ...others],
    events: changed.map(({ id, federationId, problem }) => ({
      federationId,
      spokeId: id,
      state: "active",
      error: problem,
    })),
  });
}

/**
 * Marks the health of active spokes in a cluster as unknown. Each call updates one batch, so that few rows are locked
 * at the same time, and skips locked rows. Returns whether this was the last batch.
 */
export async function markHealthUnknown(tx: Tx, cluster: string, reason: string): Promise<boolean> {
  const { rows: written } = await sql<HealthChange>`
    with held as (
      select id, health as before from spokes where cluster = ${cluster} and state = 'active' and health <> 'unknown'
      order by id limit ${BATCH} for no key update skip locked
    )
    update spokes set health = 'unknown', failed_checks = 0 from held where spokes.id = held.id
    returning spokes.id, federation_id, slug, held.before, health as after, ${reason}::text as problem`.execute(tx);
  await recordHealthChanges(tx, written);
  return written.length < BATCH;
}

/** Returns the IDs of active spokes in a cluster whose health is not `unknown`. */
export async function listSpokesWithHealth(rows: RowQueries, cluster: string): Promise<string[]> {
  const found = await rows.selectFrom("spokes").select("id").where("cluster", "=", cluster)
    .where("state", "=", "active").where("health", "<>", "unknown").orderBy("id").execute();
  return found.map(({ id }) => id);
}

/**
 * Marks the health of one spoke as unknown. Throws a `database_locked` fault if its row stays locked for two seconds.
 */
export async function markSpokeHealthUnknown(tx: Tx, id: string, reason: string): Promise<void> {
  await sql`set local lock_timeout = ${sql.lit(LOCK_WAIT)}`.execute(tx);
  const { rows: written } = await sql<HealthChange>`
    with held as (
      select id, health as before from spokes where id = ${id} and state = 'active' and health <> 'unknown'
      for no key update
    )
    update spokes set health = 'unknown', failed_checks = 0 from held where spokes.id = held.id
    returning spokes.id, federation_id, slug, held.before, health as after, ${reason}::text as problem`.execute(tx);
  await sql`set local lock_timeout = default`.execute(tx);
  await recordHealthChanges(tx, written);
}

const LOCK_WAIT = "2s";
const BATCH = 500;

/** Stores drift results that have changed. Returns the IDs of the updated rows. */
export async function saveSpokeDrift(
  tx: Tx,
  began: Date,
  drifts: readonly { readonly id: string; readonly drift: Drift | null }[],
): Promise<string[]> {
  const ids = drifts.map(({ id }) => id), texts = drifts.map(({ drift }) => drift && JSON.stringify(drift));
  const { rows } = await sql<{ id: string }>`
    with look as (select * from unnest(${ids}::text[], ${texts}::text[]) as look (id, drift)),
    held as (
      select spokes.id, look.drift::jsonb as drift from spokes join look using (id)
      where spokes.state = 'active' and spokes.updated_at <= ${began}
      order by spokes.id for no key update of spokes skip locked
    )
    update spokes set drift = held.drift from held where spokes.id = held.id returning spokes.id`.execute(tx);
  return rows.map(({ id }) => id);
}

export interface HealthChange {
  readonly id: string;
  readonly federationId: string;
  readonly slug: string;
  readonly before: HealthState;
  readonly after: HealthState;
  /** Why the spoke is degraded or unknown; null if the spoke is healthy. */
  readonly problem: string | null;
}

function toAuditEntry({ id, federationId, slug, before, after, problem }: HealthChange): AuditEntry {
  return {
    kind: "spoke_health_changed",
    ...buildSpokeSubject({ id, federationId }),
    metadata: { slug, from: before, to: after, reason: problem },
  };
}
