/** Renders the output of `wheelwright restore`: existing backups, previews, and requested operations. */
import type { Backup } from "#lib/domains/backups/store.ts";
import type { LostObject } from "#lib/domains/backups/new-cluster.ts";
import { testFailure } from "#lib/domains/backups/test-result.ts";
import type { RetainedPvc } from "#lib/domains/backups/retained-pvcs.ts";
import type { NamedSpoke } from "#lib/domains/spokes/find-by-name.ts";
import type { RecreatePlan } from "#lib/domains/backups/recreate.ts";
import type { RestorePlan } from "#lib/domains/backups/restore.ts";
import type { SpokeRow } from "#lib/domains/spokes/store.ts";
import { OPERATIONS } from "#lib/operations/table.ts";
import type { Job } from "#lib/jobs/job.ts";

export function renderBackups(backups: readonly Backup[], retained: readonly RetainedPvc[]): string {
  const visible = backups.filter(({ deletingSince }) => deletingSince === null);
  const rows = visible.map(({ id, createdAt, kind, state, lmsVersion, sizeBytes, ...backup }) => [
    ...[id, minuteOf(createdAt), kind, state, lmsVersion ?? "-"],
    sizeBytes === null ? "-" : `${(sizeBytes / 2 ** 30).toFixed(1)} GiB`,
    testFailure(backup) !== null
      ? "failed"
      : backup.verifiedAt === null
      ? "-"
      : `verified ${minuteOf(backup.verifiedAt)}`,
  ]);
  const failures = visible.flatMap((backup) => {
    const failure = testFailure(backup);
    return failure === null ? [] : [`The last restore test of ${backup.id} failed: ${failure}\n`];
  });
  const claims = retained.map(({ claim, since, until }) => [claim, minuteOf(since), minuteOf(until)]);
  return (rows.length === 0
    ? "There is no backup.\n"
    : align([["BACKUP", "TAKEN", "KIND", "STATE", "VERSION", "SIZE", "RESTORE TEST"], ...rows])) +
    failures.join("") +
    (claims.length === 0
      ? ""
      : `\nKept of before the last restores; --back leads to the newest:\n${
        align([["CLAIM", "SINCE", "UNTIL"], ...claims])
      }`);
}

export function renderRestorePlan(spoke: NamedSpoke, plan: RestorePlan): string {
  const steps = Object.values(OPERATIONS.restore.plan.steps);
  return `${nameOf(spoke)} would go ${
    describeTarget(plan)
  }. It is ${spoke.state}, Moodle ${spoke.lmsVersion}, and becomes ` +
    `${plan.acceptance.becomes}, Moodle ${plan.version}.\n\n${numberedList(steps)}\n${
      bulletList(plan.notes)
    }\nNothing was written.\n`;
}

/** Returns a sentence, without a full stop, that says what a restore in place does to the site. */
export function describeOverwrite(spoke: NamedSpoke, plan: RestorePlan): string {
  return `${nameOf(spoke)} is ${spoke.state}. It goes ${
    describeTarget(plan)
  }, and all that was done on the site since is lost; ` +
    "what it has now is kept for 7 days";
}

export function renderQueuedRestore(spoke: NamedSpoke, plan: RestorePlan, job: Job): string {
  return `${nameOf(spoke)} goes ${describeTarget(plan)}.\n${watchHint(job)}` +
    `Should it not be what you wanted, or fail: wheelwright restore ${spoke.id} --back\n`;
}

export function renderRecreatePlan(
  removed: NamedSpoke,
  { hub, slug, domains: [domain], backup }: RecreatePlan,
): string {
  const steps = Object.entries(OPERATIONS.provision.plan.steps).filter(([name]) => name !== "install");
  return `${nameOf(removed)} is removed. A new spoke ${hub.slug}/${slug} would be made of its ${
    describeBackup(backup)
  }, as ${domain}.\n\n` +
    `${numberedList(steps.map(([, step]) => step))}\n` +
    bulletList([
      "It is billed as any new spoke",
      "Who administered the spoke that is removed does not administer the new one",
    ]) +
    "\nNothing was written.\n";
}

export function renderQueuedRecreation({ spoke, job }: { readonly spoke: SpokeRow; readonly job: Job }): string {
  return `The spoke ${spoke.slug} (${spoke.id}) is made anew from the backup, as ${spoke.domain}.\n${watchHint(job)}`;
}

export function renderLostPreview(lost: readonly LostObject[]): string {
  if (lost.length === 0) return NOTHING_LOST;
  const lines = lost.map((each) =>
    `${titleOf(each)} ${each.keepReason === null ? describePlannedRecreation(each) : `is left: ${each.keepReason}`}\n`
  );
  return `${lines.join("")}\nNothing was written.\n`;
}

/** Reports each object and its operation. It is null for a skipped object, and if one is already running. */
export function renderLostReport(done: readonly (readonly [LostObject, operation: string | null])[]): string {
  if (done.length === 0) return NOTHING_LOST;
  const started = done.filter(([, operation]) => operation !== null),
    left = done.filter(([{ keepReason: left }]) => left !== null);
  const lines = done.map(([each, operation]) =>
    `${titleOf(each)} ${
      each.keepReason !== null
        ? `is left: ${each.keepReason}`
        : operation === null
        ? "is under way already"
        : `${describeRecreation(each)}: ${operation}`
    }\n`
  );
  return `${
    lines.join("")
  }\n${started.length} operations are queued, ${left.length} left; running replicas do them, hub by hub: ` +
    "wheelwright overview\n";
}

const NOTHING_LOST =
  "Nothing is lost: what has a namespace was made in the clusters that answer. Nothing was written.\n";

function titleOf({ hub, spoke }: LostObject): string {
  return spoke ? `The spoke ${hub.slug}/${spoke.slug} (${spoke.id})` : `The hub ${hub.slug} (${hub.id})`;
}

function describePlannedRecreation({ backup, spoke }: LostObject): string {
  return backup
    ? `would be made of its ${describeBackup(backup)}${describeStateChange(spoke!)}`
    : "would get a new namespace";
}

function describeRecreation({ backup, spoke }: LostObject): string {
  return backup ? `is made of its ${describeBackup(backup)}${describeStateChange(spoke!)}` : "gets a new namespace";
}

/** Returns how the state of the recreated spoke will differ, as the end of a sentence. */
function describeStateChange({ state, maintenance }: SpokeRow): string {
  if (state.startsWith("suspend")) return "; it was suspended, and comes back active";
  return maintenance ? "; it was in maintenance, and comes back open" : "";
}

function nameOf({ hubSlug, slug, id }: NamedSpoke): string {
  return `The spoke ${hubSlug}/${slug} (${id})`;
}

function describeTarget({ backup }: RestorePlan): string {
  return backup ? `back to its ${describeBackup(backup)}` : "back to what it was before its last restore";
}

function describeBackup({ id, createdAt, lmsVersion, ...tested }: Backup): string {
  const failure = testFailure(tested);
  return `backup ${id} of ${minuteOf(createdAt)}${lmsVersion === null ? "" : `, Moodle ${lmsVersion}`}${
    failure === null ? "" : ` (its last restore test failed: ${failure})`
  }`;
}

function watchHint({ id }: Job): string {
  return `The operation ${id} is queued; a running replica does it. To watch it: wheelwright operations watch ${id}\n`;
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

function align(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row) => `${row.map((cell, column) => cell.padEnd(widths[column]!)).join("  ").trimEnd()}\n`).join(
    "",
  );
}
