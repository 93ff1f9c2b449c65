/**
 * Stores the usage of the checked sites, and notifies users when storage runs low. A site measures its usage every 15
 * minutes, so most checks find nothing new and write nothing.
 */
import { SYSTEM_REQUESTER } from "#lib/audit/requester.ts";
import { type AuditEntry, buildSpokeSubject } from "#lib/audit/store.ts";
import { MINUTE, SECOND } from "#lib/base/time.ts";
import { recordChange } from "#lib/changes/record.ts";
import { type AddonReport, findNewAddons, saveAddons } from "#lib/domains/spokes/addons.ts";
import { computeStorage, decideStorageWarning, findFullestDisk, predictFullAt } from "#lib/domains/usage/storage.ts";
import { readUsedBytes, saveUsage, type UpdatedSpoke, type UsageUpdate } from "#lib/domains/usage/store.ts";
import { toTaskHealth } from "#lib/domains/usage/task-health.ts";
import { describeStorage } from "#lib/domains/usage/words.ts";
import type { UsageLine } from "#lib/moodle/usage-line.ts";
import { parseQuantity } from "#lib/drivers/cluster/diagnosis/quantity.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import { getMeasuredAt } from "#lib/workers/sweep/pod-facts.ts";
import { POD_RESOURCE } from "#lib/workers/sweep/pods.ts";
import type { ClusterCheck, SpokeObservations } from "#lib/workers/sweep/spoke-facts.ts";

const ROWS = 500;
/** A later success of the scheduled tasks is stored only if it is at least this much later. */
const TASKS_STEP = 10 * MINUTE;

/** The result of a check, and the storage threshold that the site has crossed. */
interface UsageResult extends UsageUpdate {
  readonly crossed: number | null;
  /** The add-ons that the site has listed since the previous check; null if it has not. */
  readonly addons: AddonReport["addons"] | null;
}

/** Stores new usage in batches. Without permission to list pods, the earlier results remain. */
export async function saveUsageResults({ run, facts, listed, startedAt }: ClusterCheck): Promise<void> {
  if (!listed.has(POD_RESOURCE.kind)) return;
  const results = [...facts.values()].flatMap((spokeFacts) => decideUsage(spokeFacts, startedAt) ?? []);
  for (let i = 0; i < results.length; i += ROWS) {
    await run.write((tx) => saveBatch(tx, startedAt, results.slice(i, i + ROWS)));
  }
}

/** Returns what to store about a site; null if there is nothing new. */
export function decideUsage({ spoke, pods }: SpokeObservations, now: Date): UsageResult | null {
  const { usage: before, disks } = spoke, measuredAt = pods.line && getMeasuredAt(pods.line);
  const isMeasured = measuredAt !== null && (before?.measuredAt ?? new Date(0)) < measuredAt;
  const oomKills = [...pods.oomKills].filter((at) => at > (before?.oomKilledAt?.getTime() ?? 0));
  // The first check only stores what to compare with: restarts before it may be months old.
  const restarts = before === null
    ? 0
    : [...pods.restarts].reduce((sum, [name, count]) => sum + Math.max(0, count - (before.podRestarts[name] ?? 0)), 0);
  const kills = before === null ? 0 : oomKills.length;
  const hasNewTasks = pods.tasksAt !== null &&
    pods.tasksAt.getTime() - (before?.tasksAt?.getTime() ?? 0) >= TASKS_STEP;
  if (!isMeasured && restarts === 0 && kills === 0 && !hasNewTasks) return null;

  const line = pods.line?.usage,
    sizes = disks && { files: parseQuantity(disks.files), database: parseQuantity(disks.database) };
  const storage = isMeasured && sizes ? computeStorage(line!, sizes) : {
    filesUsed: before?.filesUsed ?? null,
    filesSize: before?.filesSize ?? null,
    databaseUsed: before?.databaseUsed ?? null,
    databaseSize: before?.databaseSize ?? null,
  };
  const people = isMeasured ? line! : before, percent = findFullestDisk(storage)?.percent ?? null;
  const report = isMeasured ? findNewAddons(line!, measuredAt, before?.addonsAt ?? null) : null;
  const busy = decideWorkersBusy(before, isMeasured ? line! : null);
  const warning = percent === null ? null : decideStorageWarning(before?.warnedPercent ?? 0, percent);
  return {
    id: spoke.id,
    ...storage,
    users: people?.users ?? null,
    activeUsers: people?.activeUsers ?? null,
    courses: people?.courses ?? null,
    measuredAt: isMeasured ? measuredAt : before?.measuredAt ?? null,
    tasksAt: latest(pods.tasksAt, before?.tasksAt ?? null),
    podRestarts: Object.fromEntries(pods.restarts),
    oomKilledAt: latest(oomKills.length > 0 ? new Date(Math.max(...oomKills)) : null, before?.oomKilledAt ?? null),
    warnedPercent: warning?.warnedPercent ?? before?.warnedPercent ?? 0,
    taskHealth: isMeasured ? toTaskHealth(line!) : before?.taskHealth ?? null,
    addonsAt: (report ?? before)?.addonsAt ?? null,
    addonCount: (report ?? before)?.addonCount ?? null,
    addons: report?.addons ?? null,
    storagePercent: percent,
    isMeasured,
    sampledAt: isMeasured ? measuredAt : restarts + kills > 0 ? now : null,
    restarts,
    oomKills: kills,
    ...busy,
    crossed: warning?.crossed ?? null,
  };
}

type WorkersBusy = Pick<UsageUpdate, "workersBusy" | "workersBusyAt">;

/** Returns how often all PHP workers were busy. The first report only stores what to compare with. */
function decideWorkersBusy(
  before: WorkersBusy | null,
  line: Pick<UsageLine, "workersBusy" | "workersBusyAt"> | null,
): WorkersBusy & Pick<UsageUpdate, "newWorkersBusy"> {
  const { workersBusy: earlier = null, workersBusyAt = null } = before ?? {};
  if (line === null || line.workersBusy === null) return { workersBusy: earlier, workersBusyAt, newWorkersBusy: 0 };
  return {
    workersBusy: line.workersBusy,
    workersBusyAt: line.workersBusyAt === null ? workersBusyAt : new Date(line.workersBusyAt * SECOND),
    newWorkersBusy: earlier === null ? 0 : Math.max(0, line.workersBusy - earlier),
  };
}

function latest(one: Date | null, other: Date | null): Date | null {
  return one === null || (other !== null && other > one) ? other : one;
}

async function saveBatch(tx: Tx, began: Date, results: readonly UsageResult[]): Promise<void> {
  const stored = new Map((await saveUsage(tx, began, results)).map((spoke) => [spoke.id, spoke]));
  await saveAddons(
    tx,
    results.flatMap(({ id, addons }) => addons && stored.has(id) ? [{ spokeId: id, addons }] : []),
  );
  const entries: AuditEntry[] = [], changed: UpdatedSpoke[] = [];
  for (const result of results) {
    const spoke = stored.get(result.id);
    if (!spoke || result.crossed === null) continue;
    changed.push(spoke);
    entries.push(await createWarning(tx, spoke, result));
  }
  if (entries.length === 0) return;
  const events = changed.map(({ id, federationId }) => ({ federationId, spokeId: id, state: "active" }));
  await recordChange(tx, SYSTEM_REQUESTER, { audit: entries, events });
}

async function createWarning(
  tx: Tx,
  { id, federationId, slug }: UpdatedSpoke,
  { crossed, ...result }: UsageResult,
): Promise<AuditEntry> {
  const { disk, percent } = findFullestDisk(result)!;
  const used = result[`${disk}Used`]!, size = result[`${disk}Size`]!;
  const samples = [...await readUsedBytes(tx, id, disk), { at: result.measuredAt!, used }];
  const fullAt = predictFullAt(samples, size);
  const metadata = {
    slug,
    disk,
    percent,
    threshold: crossed,
    used,
    size,
    fullOn: fullAt?.toISOString().slice(0, 10) ?? null,
  };
  return {
    kind: "spoke_storage_low",
    ...buildSpokeSubject({ id, federationId }),
    metadata: { ...metadata, message: describeStorage({ disk, used, size, fullAt }) },
  };
}
