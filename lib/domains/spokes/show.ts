/** Spokes as the API shows them: the rows, each with the operation that it is busy with. */
import { type AuditEvent, type AuditPage, readAudit, shownTo } from "#lib/records/audit/store.ts";
import { spokeUrl } from "#lib/catalog/inputs.ts";
import type { Rows } from "#lib/drivers/db/database.ts";
import type { Removed } from "#lib/domains/federations/store.ts";
import { sees, type Viewer } from "#lib/domains/federations/viewer.ts";
import { describeOperations, type OperationView } from "#lib/records/jobs/operation.ts";
import { shownMeans } from "#lib/base/means.ts";
import { currentOperations } from "#lib/records/jobs/store.ts";
import { type FormerDomain, listFormer } from "#lib/domains/spokes/names.ts";
import { listSpokes, type SpokeQuestion, type SpokeRow } from "#lib/domains/spokes/store.ts";
import type { SpokeRecord } from "#lib/domains/spokes/views.ts";

export async function showSpoke(rows: Rows, viewer: Viewer, row: SpokeRow): Promise<SpokeRecord> {
  return (await showSpokes(rows, viewer, [row]))[0]!;
}

/** In the order given. However many they are, it takes the same few queries. */
export async function showSpokes(rows: Rows, viewer: Viewer, found: readonly SpokeRow[]): Promise<SpokeRecord[]> {
  const ids = found.map((row) => row.id);
  const [jobs, former] = await Promise.all([currentOperations(rows, ids), listFormer(rows, ids)]);
  const operations = await describeOperations(rows, [...jobs.values()], (job) => sees(viewer, job));
  const bySpoke = new Map(operations.map((operation) => [operation.spokeId, operation]));
  return found.map((row) => {
    const { stateReason, operation, ...record } = toRecord(row, former.get(row.id) ?? [], bySpoke.get(row.id) ?? null);
    return { ...record, ...shownMeans(viewer, { stateReason, operation }) };
  });
}

/** The spokes that the caller sees, of one hub or of all, newest first. */
export async function findSpokes(
  rows: Rows,
  viewer: Viewer,
  where: SpokeQuestion,
  removed: Removed,
): Promise<SpokeRecord[]> {
  return await showSpokes(rows, viewer, await listSpokes(rows, viewer, where, removed));
}

/** What was done with a spoke, newest first. */
export async function findActivity(
  rows: Rows,
  viewer: Viewer,
  { id }: SpokeRow,
  page: AuditPage,
): Promise<AuditEvent[]> {
  return (await readAudit(rows, { spokeId: id }, page)).map((event) => shownTo(viewer, event));
}

function toRecord(row: SpokeRow, formerDomains: FormerDomain[], operation: OperationView | null): SpokeRecord {
  return {
    id: row.id,
    federationId: row.federationId,
    slug: row.slug,
    displayName: row.displayName,
    domain: row.domain,
    formerDomains,
    url: spokeUrl({ ...row.blueprintInputs, host: row.domain }),
    size: row.size,
    identity: row.identity,
    content: row.content,
    contentMode: row.contentMode,
    brand: row.brand,
    adminEmail: row.adminEmail,
    region: row.region,
    lmsVersion: row.lmsVersion,
    moodleVersion: row.lmsVersion,
    seed: row.seed,
    state: row.state,
    status: row.state,
    stateReason: row.stateReason,
    health: row.health,
    maintenance: row.maintenance,
    namespace: row.namespace,
    operation,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    readyAt: row.readyAt,
    observedAt: row.observedAt,
    drift: row.drift,
  };
}
