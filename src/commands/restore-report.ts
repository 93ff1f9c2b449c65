/** Renders the output of `wheelwright restore`: existing backups, previews, and requested operations. */
import type { Backup } from "#lib/domains/backups/store.ts";
import type { LostObject } from "#lib/domains/backups/new-cluster.ts";
import { testFailure } from "#lib/domains/backups/test-result.ts";
import type { RetainedClaim } from "#lib/domains/backups/retained-claims.ts";
import type { NamedSpoke } from "#lib/domains/spokes/find-by-name.ts";
import type { RecreatePlan } from "#lib/domains/backups/recreate.ts";
import type { RestorePlan } from "#lib/domains/backups/restore.ts";
import type { SpokeRow } from "#lib/domains/spokes/store.ts";
import { OPERATIONS } from "#lib/operations/table.ts";
import type { Job } from "#lib/jobs/job.ts";

export function tables(backups: readonly Backup[], kept: readonly RetainedClaim[]): string {
  const shown = backups.filter(({ deletingSince }) => deletingSince === null);
  const rows = shown.map(({ id, createdAt, kind, state, lmsVersion, sizeBytes, ...backup }) => [
    ...[id, minuteOf(createdAt), kind, state, lmsVersion ?? "-"],
    sizeBytes === null ? "-" : `${(sizeBytes / 2 ** 30).toFixed(1)} GiB`,
    testFailure(backup) !== null
      ? "failed"
      : backup.verifiedAt === null
      ? "-"
      : `verified ${minuteOf(backup.verifiedAt)}`,
  ]);
  const failures = shown.flatMap((backup) => {
    const failure = testFailure(backup);
    return failure === null ? [] : [`The last restore test of ${backup.id} failed: ${failure}\n`];
  });
  const claims = kept.map(({ claim, since, until }) => [claim, minuteOf(since), minuteOf(until)]);
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

export function planned(spoke: NamedSpoke, plan: RestorePlan): string {
  const steps = Object.values(OPERATIONS.restore.plan.steps);
  return `${nameOf(spoke)} would go ${whither(plan)}. It is ${spoke.state}, Moodle ${spoke.lmsVersion}, and becomes ` +
    `${plan.acceptance.becomes}, Moodle ${plan.version}.\n\n${numbered(steps)}\n${
      listed(plan.notes)
    }\nNothing was written.\n`;
}

/** Returns a sentence, without a full stop, that says what a restore in place does to the site. */
export function overwrites(spoke: NamedSpoke, plan: RestorePlan): string {
  return `${nameOf(spoke)} is ${spoke.state}. It goes ${
    whither(plan)
  }, and all that was done on the site since is lost; ` +
    "what it has now is kept for 7 days";
}

export function requested(spoke: NamedSpoke, plan: RestorePlan, job: Job): string {
  return `${nameOf(spoke)} goes ${whither(plan)}.\n${watching(job)}` +
    `Should it not be what you wanted, or fail: wheelwright restore ${spoke.id} --back\n`;
}

export function recreation(gone: NamedSpoke, { hub, slug, domains: [domain], backup }: RecreatePlan): string {
  const steps = Object.entries(OPERATIONS.provision.plan.steps).filter(([name]) => name !== "install");
  return `${nameOf(gone)} is removed. A new spoke ${hub.slug}/${slug} would be made of its ${
    describe(backup)
  }, as ${domain}.\n\n` +
    `${numbered(steps.map(([, step]) => step))}\n` +
    listed([
      "It is billed as any new spoke",
      "Who administered the spoke that is removed does not administer the new one",
    ]) +
    "\nNothing was written.\n";
}

export function recreated({ spoke, job }: { readonly spoke: SpokeRow; readonly job: Job }): string {
  return `The spoke ${spoke.slug} (${spoke.id}) is made anew from the backup, as ${spoke.domain}.\n${watching(job)}`;
}

export function toBringBack(lost: readonly LostObject[]): string {
  if (lost.length === 0) return NOTHING_LOST;
  const lines = lost.map((each) =>
    `${titleOf(each)} ${each.keepReason === null ? wouldCome(each) : `is left: ${each.keepReason}`}\n`
  );
  return `${lines.join("")}\nNothing was written.\n`;
}

/** Reports each object and its operation. It is null for a skipped object, and if one is already running. */
export function broughtBack(done: readonly (readonly [LostObject, operation: string | null])[]): string {
  if (done.length === 0) return NOTHING_LOST;
  const asked = done.filter(([, operation]) => operation !== null),
    left = done.filter(([{ keepReason: left }]) => left !== null);
  const lines = done.map(([each, operation]) =>
    `${titleOf(each)} ${
      each.keepReason !== null
        ? `is left: ${each.keepReason}`
        : operation === null
        ? "is under way already"
        : `${comes(each)}: ${operation}`
    }\n`
  );
  return `${
    lines.join("")
  }\n${asked.length} operations are queued, ${left.length} left; running replicas do them, hub by hub: ` +
    "wheelwright overview\n";
}

const NOTHING_LOST =
  "Nothing is lost: what has a namespace was made in the clusters that answer. Nothing was written.\n";

function titleOf({ hub, spoke }: LostObject): string {
  return spoke ? `The spoke ${hub.slug}/${spoke.slug} (${spoke.id})` : `The hub ${hub.slug} (${hub.id})`;
}

function wouldCome({ backup, spoke }: LostObject): string {
  return backup ? `would be made of its ${describe(backup)}${changes(spoke!)}` : "would get a new namespace";
}

function comes({ backup, spoke }: LostObject): string {
  return backup ? `is made of its ${describe(backup)}${changes(spoke!)}` : "gets a new namespace";
}

/** Returns how the state of the recreated spoke will differ, as the end of a sentence. */
function changes({ state, maintenance }: SpokeRow): string {
  if (state.startsWith("suspend")) return "; it was suspended, and comes back active";
  return maintenance ? "; it was in maintenance, and comes back open" : "";
}

function nameOf({ hubSlug, slug, id }: NamedSpoke): string {
  return `The spoke ${hubSlug}/${slug} (${id})`;
}

function whither({ backup }: RestorePlan): string {
  return backup ? `back to its ${describe(backup)}` : "back to what it was before its last restore";
}

function describe({ id, createdAt, lmsVersion, ...tested }: Backup): string {
  const failure = testFailure(tested);
  return `backup ${id} of ${minuteOf(createdAt)}${lmsVersion === null ? "" : `, Moodle ${lmsVersion}`}${
    failure === null ? "" : ` (its last restore test failed: ${failure})`
  }`;
}

function watching({ id }: Job): string {
  return `The operation ${id} is queued; a running replica does it. To watch it: wheelwright operations watch ${id}\n`;
}

function minuteOf(time: Date): string {
  return `${time.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

function numbered(steps: readonly (readonly [label: string, timeout: number])[]): string {
  return steps.map(([label], i) => `  ${i + 1}. ${label}\n`).join("");
}

function listed(notes: readonly string[]): string {
  return notes.map((note) => `  - ${note}\n`).join("");
}

function align(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row) => `${row.map((cell, column) => cell.padEnd(widths[column]!)).join("  ").trimEnd()}\n`).join(
    "",
  );
}
