/**
 * Reads the spokes whose login pages are requested, and stores the results. One statement stores a whole batch of
 * minutes. Rows of spokes are locked only if their health changes.
 */
import { sql } from "kysely";
import { type AuditEntry, buildSpokeSubject } from "#lib/audit/store.ts";
import type { PageResult } from "#lib/domains/availability/login-page.ts";
import {
  decideMinute,
  type MeasuredSpoke,
  type MinuteKind,
  shouldPageWork,
} from "#lib/domains/availability/minutes.ts";
import { type PageCheck, saveMinutes, savePageChecks } from "#lib/domains/availability/store.ts";
import {
  type CertificateDecision,
  type CertificateState,
  decideCertificate,
} from "#lib/domains/availability/certificate.ts";
import { decideHealth } from "#lib/domains/spokes/health.ts";
import type { RowQueries, Tx } from "#lib/drivers/db/database.ts";
import { type HealthChange, recordHealthChanges } from "#lib/workers/sweep/rows.ts";

/** A spoke as it was when the minute began. */
export interface ProbedSpoke extends MeasuredSpoke {
  readonly id: string;
  readonly cluster: string;
  readonly namespace: string;
  readonly host: string | null;
  readonly https: boolean;
  readonly port: number | null;
}

/** Returns all spokes whose site has been ready at least once, and which still have a namespace. */
export async function readProbedSpokes(rows: RowQueries): Promise<ProbedSpoke[]> {
  const { rows: spokes } = await sql<ProbedSpoke>`
    select id, cluster, namespace, state, maintenance, health, blueprint_inputs ->> 'host' as host,
      coalesce((blueprint_inputs ->> 'https')::boolean, false) as https, (blueprint_inputs ->> 'port')::integer as port
    from spokes where state <> 'removed' and ready_at is not null and namespace_uid is not null`.execute(rows);
  return spokes;
}

/** The result of the requests to one login page in one minute. `result` is null if no request was due. */
export interface ProbeResult {
  readonly spokeId: string;
  readonly minute: Date;
  readonly host: string | null;
  readonly result: PageResult | null;
  /** When the first request started, by the database's clock. */
  readonly began: Date;
}

interface StoredSpoke extends MeasuredSpoke, CertificateState {
  readonly id: string;
  readonly federationId: string;
  readonly slug: string;
  readonly failedChecks: number;
  readonly updatedAt: Date;
  readonly pageProblem: string | null;
  readonly reachedHost: string | null;
}

/** Stores results, and records an event for each spoke whose health changes. Returns how the minutes count. */
export async function saveProbeResults(tx: Tx, results: readonly ProbeResult[]): Promise<MinuteKind[]> {
  const ids = [...new Set(results.map(({ spokeId }) => spokeId))];
  const stored = new Map((await readStoredSpokes(tx, ids)).map((spoke) => [spoke.id, spoke]));
  const measured = results.flatMap((result) => {
    const spoke = stored.get(result.spokeId);
    return spoke
      ? [{ spokeId: spoke.id, minute: result.minute, kind: decideMinute(spoke, factsOf(spoke, result)) }]
      : [];
  });
  const latest = new Map(results.map((result) => [result.spokeId, result]));
  const changed = [...latest.values()].filter((result) => {
    const spoke = stored.get(result.spokeId);
    return spoke && decideChange(spoke, result) !== null;
  });
  if (changed.length > 0) await saveChanges(tx, changed);
  await saveMinutes(tx, measured);
  return measured.map(({ kind }) => kind);
}

function factsOf({ updatedAt, reachedHost }: StoredSpoke, { result, host, began }: ProbeResult) {
  return { result, wasReached: host !== null && reachedHost === host, wasChanged: updatedAt > began };
}

/** Locks the changed rows, and decides again, because an operation may have started in the meantime. */
async function saveChanges(tx: Tx, results: readonly ProbeResult[]): Promise<void> {
  const byId = new Map(results.map((result) => [result.spokeId, result]));
  const locked = await readStoredSpokes(tx, [...byId.keys()], "lock");
  const checks: PageCheck[] = [], healths: HealthChange[] = [], warnings: CertificateWarning[] = [];
  for (const spoke of locked) {
    const change = decideChange(spoke, byId.get(spoke.id)!);
    if (change === null) continue;
    checks.push({ ...change, spokeId: spoke.id });
    if (change.crossed !== null) warnings.push({ ...spoke, ...change });
    if (change.health !== spoke.health) {
      healths.push({ ...spoke, before: spoke.health, after: change.health, problem: change.problem });
    }
  }
  await savePageChecks(tx, checks);
  if (healths.length > 0) await saveHealth(tx, healths);
  await recordHealthChanges(tx, healths, warnings.map(createCertificateWarning));
}

type CertificateWarning = Pick<StoredSpoke, "id" | "federationId" | "slug"> & CertificateDecision;

function createCertificateWarning(warning: CertificateWarning): AuditEntry {
  const { id, federationId, slug, crossed, certificateEndsAt } = warning, endsAt = certificateEndsAt!.toISOString();
  return {
    kind: "spoke_certificate_expiring",
    ...buildSpokeSubject({ id, federationId }),
    metadata: { slug, days: crossed, endsAt, endsOn: endsAt.slice(0, 10) },
  };
}

async function saveHealth(tx: Tx, healths: readonly HealthChange[]): Promise<void> {
  await sql`update spokes set health = look.health
    from unnest(${healths.map(({ id }) => id)}::text[], ${
    healths.map(({ after }) => after)
  }::text[]) as look (id, health)
    where spokes.id = look.id`.execute(tx);
}

interface SpokeChange extends CertificateDecision {
  readonly problem: string | null;
  readonly reachedHost: string | null;
  readonly health: StoredSpoke["health"];
}

/** Returns what a result changes about a spoke, or null if it changes nothing. Pure. */
export function decideChange(spoke: StoredSpoke, probe: ProbeResult): SpokeChange | null {
  const { wasChanged, wasReached } = factsOf(spoke, probe), { result, host } = probe;
  const isConnected = result?.kind === "works" || result?.kind === "fails";
  const reachedHost = isConnected && host !== null ? host : spoke.reachedHost;
  const problem = decidePageProblem(spoke, result, { wasReached, wasChanged });
  // While the cluster does not respond, the health stays unknown.
  const canChangeHealth = spoke.state === "active" && spoke.health !== "unknown" && !wasChanged &&
    problem !== spoke.pageProblem;
  const health = canChangeHealth ? decideHealth({ ...spoke, pageProblem: problem }) : spoke.health;
  const certificate = result?.kind === "works"
    ? decideCertificate(spoke, result.certificateEndsAt, probe.began)
    : { ...spoke, crossed: null };
  const isSame = problem === spoke.pageProblem && reachedHost === spoke.reachedHost && health === spoke.health &&
    certificate.certificateEndsAt?.getTime() === spoke.certificateEndsAt?.getTime() && certificate.crossed === null;
  const { certificateEndsAt, certificateWarnedDays, crossed } = certificate;
  return isSame ? null : { problem, reachedHost, health, certificateEndsAt, certificateWarnedDays, crossed };
}

function decidePageProblem(
  spoke: StoredSpoke,
  result: PageResult | null,
  { wasReached, wasChanged }: { readonly wasReached: boolean; readonly wasChanged: boolean },
): string | null {
  if (!shouldPageWork(spoke)) return null;
  if (result === null || result.kind === "unknown") return spoke.pageProblem;
  if (result.kind === "works") return null;
  if (wasChanged) return spoke.pageProblem;
  return result.kind === "fails" || wasReached ? result.problem : null;
}

async function readStoredSpokes(tx: Tx, ids: readonly string[], lock?: "lock"): Promise<StoredSpoke[]> {
  const { rows } = await sql<StoredSpoke>`
    select spokes.id, federation_id, slug, state, maintenance, health, failed_checks, spokes.updated_at,
      page_checks.problem as page_problem, page_checks.reached_host, certificate_ends_at, certificate_warned_days
    from spokes left join page_checks on page_checks.spoke_id = spokes.id
    where spokes.id = any(${ids}::text[]) and state <> 'removed'
    order by spokes.id ${lock ? sql`for no key update of spokes skip locked` : sql``}`.execute(tx);
  return rows;
}
