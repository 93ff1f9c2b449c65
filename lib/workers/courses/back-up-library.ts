/**
 * Checks which packages a hub's library has, and takes a snapshot of its volume if the newest backup lacks some of them.
 * Reports a library that has lost packages, and a backup that failed, once.
 */
import type { App } from "#lib/app.ts";
import { SYSTEM_REQUESTER } from "#lib/audit/requester.ts";
import { buildHubSubject } from "#lib/audit/store.ts";
import { HOUR, MINUTE } from "#lib/base/time.ts";
import { recordChange } from "#lib/changes/record.ts";
import { buildLibraryLane } from "#lib/domains/courses/library-jobs.ts";
import { findLibrary, saveLibraryProblem } from "#lib/domains/courses/library-store.ts";
import { ClusterError } from "#lib/drivers/cluster/cluster.ts";
import { createJob, type NewJob } from "#lib/jobs/job.ts";
import { declareJobKind } from "#lib/operations/plan.ts";
import { createJobHandler, type JobHandler, type JobRun } from "#lib/scheduler/handler.ts";
import { isBeingRemoved } from "#lib/steps/outcomes.ts";
import { explainStepError, type HubSite, isStepError, openHubSite, type StepError } from "#lib/steps/site.ts";
import { deleteExpiredLibraryBackups } from "#lib/workers/courses/expired-library-backups.ts";
import { checkLibrary, takeLibraryBackup } from "#lib/workers/courses/library-contents.ts";

const MAX_ATTEMPTS = 5;

const LIBRARY_BACKUP = declareJobKind({
  kind: "back-up-library",
  timeLimit: 6 * HOUR,
  steps: {
    check: ["Checking the library", 70 * MINUTE],
    snapshot: ["Taking a snapshot of the library", HOUR],
    retention: ["Removing expired backups", 20 * MINUTE],
  },
});

export function createLibraryBackup(federationId: string): NewJob {
  return createJob(LIBRARY_BACKUP, {}, {
    federationId,
    lane: buildLibraryLane(federationId),
    dedupeKey: `${LIBRARY_BACKUP.kind}:${federationId}`,
  });
}

export function libraryBackupHandler(app: App): JobHandler {
  return createJobHandler(LIBRARY_BACKUP, (run: JobRun) => openHubSite(app, run), {
    check: (site, run) => reportProblem(site, run, "check", () => checkLibrary(site, run)),
    snapshot: (site, run) => reportProblem(site, run, "snapshot", () => takeLibraryBackup(site, run)),
    retention: deleteExpiredLibraryBackups,
  }, { hooks: {} });
}

/** Saves the problem of a step, or that the step has none, and reports a new problem. Throws errors that a retry may solve. */
async function reportProblem(
  site: HubSite,
  run: JobRun,
  step: "check" | "snapshot",
  work: () => Promise<ClusterError | null>,
): Promise<void> {
  const { app, hub } = site;
  if (isBeingRemoved(hub) || hub.namespaceUid === null) return;
  let problem: StepError | null;
  try {
    problem = await work();
  } catch (error) {
    run.signal.throwIfAborted();
    if (!isStepError(error)) throw error;
    if (error instanceof ClusterError && error.transient && run.job.attempt < MAX_ATTEMPTS) throw error;
    problem = error;
  }
  const before = await findLibrary(app.db.rows, hub.id);
  if (problem === null && !before?.errorCode?.startsWith(`${step}:`)) return; // another step has reported a problem
  const found = problem && { code: `${step}:${problem.code}`, message: explainStepError(problem).message };
  await run.write(async (tx) => {
    const isNew = await saveLibraryProblem(tx, hub.id, found);
    if (!found || !isNew || problem?.code === "NoSnapshotClass") return; // the hub's page shows clusters without snapshots
    const { message } = found;
    run.log.warn("The library of a hub has a problem", { hub: hub.id, code: found.code, reason: message });
    const about = { kind: "federation_library_failed" as const, ...buildHubSubject(hub.id) };
    await recordChange(tx, SYSTEM_REQUESTER, { audit: [{ ...about, metadata: { slug: hub.slug, message } }] });
  });
}
