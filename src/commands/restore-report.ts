/** Formats the output of `wheelwright restore`: available backups, previews, and requested operations. */
import { type Backup, listBackups } from "#lib/domains/backups/store.ts";
import type { Database } from "#lib/drivers/db/database.ts";
import type { LostClusterObject } from "#lib/domains/backups/new-cluster.ts";
import { getRestoreTestFailure } from "#lib/domains/backups/usable.ts";
import { listReplacedPvcs, type RetainedPvc } from "#lib/domains/backups/retained-pvcs.ts";
import type { SpokeWithHubSlug } from "#lib/domains/spokes/find-by-name.ts";
import type { RecreatePlan } from "#lib/domains/backups/recreate.ts";
import type { RestorePlan } from "#lib/domains/backups/restore.ts";
import type { SpokeRow } from "#lib/domains/spokes/store.ts";
import { OPERATIONS } from "#lib/operations/table.ts";
import type { Job } from "#lib/jobs/job.ts";
import { renderTable } from "../cli/table.ts";

/** Lists the backups of a spoke for `wheelwright restore --list`. */
export async function renderBackupList(db: Database, spoke: SpokeWithHubSlug): Promise<string> {
  const isThere = spoke.state !== "removed";
  return renderBackups(
    await listBackups(db.rows, spoke.id),
    isThere ? await listReplacedPvcs(db.rows, spoke.id) : [],
  );
}

export function renderBackups(backups: readonly Backup[], retained: readonly RetainedPvc[]): string {
  const visible = backups.filter(({ deletingSince }) => deletingSince === null);
  const failures = visible.flatMap((backup) => {
    const failure = getRestoreTestFailure(backup);
    return failure === null ? [] : [`The last restore test of ${backup.id} failed: ${failure}\n`];
  });
  const backupTable = renderTable(WIDE, visible, [
    ["BACKUP", ({ id }) => id],
    ["TAKEN", ({ createdAt }) => minuteOf(createdAt)],
    ["KIND", ({ kind }) => kind],
    ["STATE", ({ state }) => state],
    ["VERSION", ({ lmsVersion }) => lmsVersion],
    ["SIZE", ({ sizeBytes: size }) => size === null ? null : `${(size / 2 ** 30).toFixed(1)} GiB`],
    [
      "RESTORE TEST",
      (backup) =>
        getRestoreTestFailure(backup) !== null
          ? "failed"
          : backup.verifiedAt && `verified ${minuteOf(backup.verifiedAt)}`,
    ],
  ]);
  const claimTable = renderTable(WIDE, retained, [
    ["PVC", ({ claim }) => claim],
    ["SINCE", ({ since }) => minuteOf(since)],
    ["UNTIL", ({ until }) => minuteOf(until)],
  ]);
  return (visible.length === 0 ? "No backups.\n" : backupTable.text) + failures.join("") +
    (retained.length === 0
      ? ""
      : `\nVolumes from before a restore (--back returns to the newest volumes):\n${claimTable.text}`);
}

/** Shows all columns with their headings, even if the output is not a terminal. */
export const WIDE = { out: true, width: Infinity, paint: (_: unknown, text: string) => text };

export function renderRestorePlan(spoke: SpokeWithHubSlug, plan: RestorePlan): string {
  const steps = Object.values(OPERATIONS.restore.plan.steps);
  return `${nameOf(spoke)} would be restored ${
    describeTarget(plan)
  }. Now: ${spoke.state}, Moodle ${spoke.lmsVersion}. Afterwards: ` +
    `${plan.acceptance.becomes}, Moodle ${plan.version}.\n\n${numberedList(steps)}\n${
      bulletList(plan.notes)
    }\nNothing was written.\n`;
}

/** Returns a sentence, without a full stop, that describes how restoring in place changes the site. */
export function describeOverwrite(spoke: SpokeWithHubSlug, plan: RestorePlan): string {
  return `${nameOf(spoke)} is ${spoke.state}. It will be restored ${
    describeTarget(plan)
  }. All later changes on the site will be lost; ` +
    "the current volumes will be retained for 7 days";
}

export function renderQueuedRestore(spoke: SpokeWithHubSlug, plan: RestorePlan, job: Job): string {
  return `${nameOf(spoke)} is being restored ${describeTarget(plan)}.\n${watchHint(job)}` +
    `To undo the restore, run: wheelwright restore ${spoke.id} --back\n`;
}

export function renderRecreatePlan(
  removed: SpokeWithHubSlug,
  { hub, slug, domains: [domain], backup }: RecreatePlan,
): string {
  const steps = Object.entries(OPERATIONS.provision.plan.steps).filter(([name]) => name !== "install");
  return `${nameOf(removed)} is removed. A new spoke ${hub.slug}/${slug} would be created from its ${
    describeBackup(backup)
  }, as ${domain}.\n\n` +
    `${numberedList(steps.map(([, step]) => step))}\n` +
    bulletList([
      "The new spoke is billed like any other spoke",
      "The administrators of the removed spoke get no access to the new spoke",
    ]) +
    "\nNothing was written.\n";
}

export function renderQueuedRecreation({ spoke, job }: { readonly spoke: SpokeRow; readonly job: Job }): string {
  return `The spoke ${spoke.slug} (${spoke.id}) is being created from the backup, as ${spoke.domain}.\n${
    watchHint(job)
  }`;
}

export function renderLostClusterPreview(lost: readonly LostClusterObject[]): string {
  if (lost.length === 0) return NOTHING_LOST;
  const lines = lost.map((each) =>
    `${titleOf(each)} ${
      each.keepReason === null ? describePlannedRecreation(each) : `is skipped: ${each.keepReason}`
    }\n`
  );
  return `${lines.join("")}\nNothing was written.\n`;
}

/** Reports lost hubs and spokes, each with its new operation: null if skipped or if another operation is running. */
export function renderLostClusterReport(
  done: readonly (readonly [LostClusterObject, operation: string | null])[],
): string {
  if (done.length === 0) return NOTHING_LOST;
  const started = done.filter(([, operation]) => operation !== null),
    left = done.filter(([{ keepReason: left }]) => left !== null);
  const lines = done.map(([each, operation]) =>
    `${titleOf(each)} ${
      each.keepReason !== null
        ? `is skipped: ${each.keepReason}`
        : operation === null
        ? "already has a running operation"
        : `${describeRecreation(each)}: ${operation}`
    }\n`
  );
  return `${
    lines.join("")
  }\n${started.length} operations are queued, ${left.length} skipped. The operations of a hub run in order. ` +
    "To follow the operations, run: wheelwright overview\n";
}

const NOTHING_LOST = "No namespaces are lost: all namespaces are in clusters that respond. No changes were written.\n";

function titleOf({ hub, spoke }: LostClusterObject): string {
  return spoke ? `The spoke ${hub.slug}/${spoke.slug} (${spoke.id})` : `The hub ${hub.slug} (${hub.id})`;
}

function describePlannedRecreation({ backup, spoke }: LostClusterObject): string {
  return backup
    ? `would be created from its ${describeBackup(backup)}${describeStateChange(spoke!)}`
    : "would get a new namespace";
}

function describeRecreation({ backup, spoke }: LostClusterObject): string {
  return backup
    ? `is being created from its ${describeBackup(backup)}${describeStateChange(spoke!)}`
    : "gets a new namespace";
}

/** Returns the end of a sentence: how the recreated spoke's state will differ. Empty if the state stays the same. */
function describeStateChange({ state, maintenance }: SpokeRow): string {
  if (state.startsWith("suspend")) return "; it was suspended and will be active";
  return maintenance ? "; it was in maintenance mode and will be open" : "";
}

function nameOf({ hubSlug, slug, id }: SpokeWithHubSlug): string {
  return `The spoke ${hubSlug}/${slug} (${id})`;
}

function describeTarget({ backup }: RestorePlan): string {
  return backup ? `from its ${describeBackup(backup)}` : "to its state before the last restore";
}

function describeBackup({ id, createdAt, lmsVersion, ...tested }: Backup): string {
  const failure = getRestoreTestFailure(tested);
  return `backup ${id} of ${minuteOf(createdAt)}${lmsVersion === null ? "" : `, Moodle ${lmsVersion}`}${
    failure === null ? "" : ` (its last restore test failed: ${failure})`
  }`;
}

function watchHint({ id }: Job): string {
  return `The operation ${id} is queued. To watch the progress, run: wheelwright operations watch ${id}\n`;
}

function minuteOf(time: Date): string {
  return `${time.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

function numberedList(steps: readonly (readonly [label: string, timeout: number])[]): string {
  return steps.map(([label], i) => `  ${i + 1}. ${label}\n`).join("");
}

function bulletList(notes: readonly string[]): string {
  return notes.map((note) => `  - ${note}\n`).join("");
}
