/** Helpers that write marks into a site's data, take backups and run restores in a simulated cluster. */
import type { Requester } from "#lib/audit/requester.ts";
import { checkAndEnqueueAction } from "#lib/domains/spokes/actions.ts";
import { requestRestore, type RestoreTarget } from "#lib/domains/backups/restore.ts";
import type { SpokeRow } from "#lib/domains/spokes/store.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import { getSitePvcNames } from "#lib/moodle/names.ts";
import type { SpokeActionName } from "#lib/operations/table.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import type { Job } from "#lib/jobs/job.ts";
import type { JobRun } from "#lib/scheduler/handler.ts";
import { SILENT_LOG } from "#lib/base/log.ts";
import { deleteExpiredPvcs } from "#lib/workers/upkeep/delete-pvcs.ts";
import type { WorkScene } from "#test/lib/workers/scene.ts";
import { selectRows } from "#test/support/rows.ts";

export const ANN: Requester = {
  userId: "system",
  email: "ann@control",
  ip: "",
  userAgent: "wheelwright restore",
  tokenPrefix: null,
};

/** Writes a mark into the database and the files of the site. */
export async function writeMark(scene: WorkScene, id: string, text: string): Promise<void> {
  const site = scene.simulator.site((await scene.row(id)).namespace);
  site.saveDatabase({ ...site.database!, config: { ...site.database!.config, marked: text } });
  site.saveFiles({ ...site.files, marked: text });
}

/** Returns the marks in the database and the files. */
export async function readMarks(scene: WorkScene, id: string): Promise<(string | undefined)[]> {
  const { database, files } = scene.simulator.site((await scene.row(id)).namespace);
  return [database?.config?.["marked"], files.marked];
}

export async function runAction(
  scene: WorkScene,
  id: string,
  action: SpokeActionName,
  parameters: object = {},
): Promise<Job> {
  await scene.db.transact((tx) => checkAndEnqueueAction(scene.app, tx, scene.actor, id, { action, parameters }));
  return await scene.ended(id, action);
}

/** Takes a backup and returns its ID. */
export async function backUp(scene: WorkScene, id: string): Promise<string> {
  const { id: operation } = await runAction(scene, id, "backup");
  const [backup] = await selectRows(scene.db, "backups", { operationId: operation, state: "ready" }, {
    columns: ["id"],
  });
  return backup.id;
}

/** Requests a restore and waits for its end. */
export async function runRestore(scene: WorkScene, id: string, request: RestoreTarget = {}): Promise<Job> {
  await requestRestore(scene.app, ANN, id, request);
  return await scene.ended(id, "restore");
}

/** Returns the names of the PVCs in the spoke's namespace. */
export function listPvcs({ simulator }: WorkScene, { namespace }: Pick<SpokeRow, "namespace">): string[] {
  return simulator.objects("PersistentVolumeClaim").filter(({ metadata }) => metadata.namespace === namespace)
    .map(({ metadata }) => metadata.name).sort();
}

/** Returns the PVCs that the site uses according to its row. */
export function usedPvcs({ blueprintInputs }: SpokeRow): string[] {
  return Object.values(getSitePvcNames(blueprintInputs as SpokeInputs)).sort();
}

/** Runs the hourly deletion of unused PVCs. */
export async function deleteDuePvcs({ app }: WorkScene): Promise<void> {
  const run = {
    signal: new AbortController().signal,
    log: SILENT_LOG,
    throwIfStopped: () => {},
    write: (work: (tx: Tx) => Promise<unknown>) => app.db.transact(work),
    timeLeft: () => 10_000,
    showProgress: () => {},
  } as unknown as JobRun;
  for (const step of Object.values(deleteExpiredPvcs(app).steps)) await step(run);
}
