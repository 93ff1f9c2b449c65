/**
 * Upgrades that failed after the site was stopped: it stays down, and its report says what it was and how to come back.
 *
 * Whether a site is half-way is told by the operations that it has behind it, and not by its state: an operation under way
 * has changed that one already.
 */
import type { Rows } from "#lib/drivers/db/database.ts";
import type { ClusterError } from "#lib/drivers/cluster/cluster.ts";
import type { Job } from "#lib/jobs/job.ts";
import { OPERATIONS } from "#lib/operations/table.ts";
import { listEndedBefore } from "#lib/jobs/store.ts";
import { stayingDown } from "#lib/workers/site.ts";

const UPGRADE = OPERATIONS.upgrade.name, MENDING = [OPERATIONS.reapply.name, OPERATIONS.restore.name];

/** What a backup took, as an operator finds it in the cluster. */
export interface TakenBackup {
  readonly id: string;
  readonly snapshots: readonly string[];
  readonly contents: readonly string[];
}

/** Whether the site was touched by this very upgrade: everything before that can be called off without a trace. */
export function hasTouched({ stepsDone }: Pick<Job, "stepsDone">): boolean {
  return stepsDone.includes("backup");
}

/** The upgrade that this one goes on with: the last that left the site half-way, unless something has mended it since. */
export async function findHalfWay(rows: Rows, job: Job): Promise<Job | null> {
  const before = await listEndedBefore(rows, job, [UPGRADE, ...MENDING]);
  const decisive = before.find((each) => each.state === "succeeded" || (each.kind === UPGRADE && hasTouched(each)));
  return decisive && decisive.state !== "succeeded" ? decisive : null;
}

/** Whether the site is down with this operation, or was before it. */
export async function isHalfWay(rows: Rows, job: Job): Promise<boolean> {
  return hasTouched(job) || await findHalfWay(rows, job) !== null;
}

/** What the site was before the upgrade, and where that lies. */
export function wayBack(job: Pick<Job, "progress">): string {
  const { release, version } = job.progress.upgrade?.from ?? {};
  const backup = job.progress.backup as TakenBackup | null | undefined;
  const was = `Before the upgrade it ran ${release ?? version ?? "an older version"}`;
  if (!backup) return `${was}; no backup was taken`;
  const contents = backup.contents.length > 0 ? `, contents ${backup.contents.join(", ")}` : "";
  return `${was}; that is in backup ${backup.id} (snapshots ${backup.snapshots.join(", ")}${contents})`;
}

/** A final failure, told with the way back. */
export function tellWayBack(error: ClusterError, job: Pick<Job, "progress" | "spokeId">): ClusterError {
  const back = job.progress.backup
    ? `Or have an operator take it back to the backup: wheelwright restore ${job.spokeId} --backup ${job.progress.backup.id}`
    : "There is no backup to go back to.";
  return stayingDown(error, wayBack(job), (hint) => `${hint ?? "Once the cause is gone, retry."} ${back}`);
}
