/** A spoke to restore in a simulated cluster, with helpers for marks in its data, backups and restores. */
import type { Requester } from "#lib/audit/requester.ts";
import { acceptAction } from "#lib/domains/spokes/actions.ts";
import { requestRestore, type RestoreRequest } from "#lib/domains/backups/restore.ts";
import type { SpokeRow } from "#lib/domains/spokes/store.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import { sitePvcNames } from "#lib/moodle/names.ts";
import type { SpokeActionName } from "#lib/operations/table.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import type { Job } from "#lib/jobs/job.ts";
import type { Run } from "#lib/scheduler/handler.ts";
import { silentLog } from "#lib/base/log.ts";
import { deleteExpiredPvcs } from "#lib/workers/upkeep/delete-pvcs.ts";
import type { WorkScene } from "#test/lib/workers/scene.ts";

export const ANN: Requester = {
  userId: "system",
  email: "ann@control",
  ip: "",
  userAgent: "wheelwright restore",
  tokenPrefix: null,
};

/** Writes a mark into the database and the files that the site uses now. */
export async function mark(scene: WorkScene, id: string, text: string): Promise<void> {
  const site = scene.simulator.site((await scene.row(id)).namespace);
  site.saveDatabase({ ...site.database!, config: { ...site.database!.config, marked: text } });
  site.saveFiles({ ...site.files, marked: text });
}

/** The marks in both. */
export async function marks(scene: WorkScene, id: string): Promise<(string | undefined)[]> {
  const { database, files } = scene.simulator.site((await scene.row(id)).namespace);
  return [database?.config?.["marked"], files.marked];
}

export async function ask(scene: WorkScene, id: string, action: SpokeActionName, wish: object = {}): Promise<Job> {
  await scene.db.transact((tx) => acceptAction(scene.app, tx, scene.actor, id, { action, parameters: wish }));
  return await scene.ended(id, action);
}

/** The id of a backup that is taken now. */
export async function backUp(scene: WorkScene, id: string): Promise<string> {
  const { id: operation } = await ask(scene, id, "backup");
  const [backup] = await scene.db.sql("select id from backups where operation_id = $1 and state = 'ready'", [
    operation,
  ]);
  return backup.id;
}

/** Asks for the restore and waits for its end. */
export async function restoreTo(scene: WorkScene, id: string, asked: RestoreRequest = {}): Promise<Job> {
  await requestRestore(scene.app, ANN, id, asked);
  return await scene.ended(id, "restore");
}

/** The names of the volume claims in the spoke's namespace. */
export function claims({ simulator }: WorkScene, { namespace }: Pick<SpokeRow, "namespace">): string[] {
  return simulator.objects("PersistentVolumeClaim").filter(({ metadata }) => metadata.namespace === namespace)
    .map(({ metadata }) => metadata.name).sort();
}

/** Returns the claims that the site uses according to its row. */
export function usedBy({ blueprintInputs }: SpokeRow): string[] {
  return Object.values(sitePvcNames(blueprintInputs as SpokeInputs)).sort();
}

/** Runs the hourly deletion of unused claims. */
export async function dropClaims({ app }: WorkScene): Promise<void> {
  const run = {
    signal: new AbortController().signal,
    log: silentLog,
    throwIfStopped: () => {},
    write: (work: (tx: Tx) => Promise<unknown>) => app.db.transact(work),
    timeLeft: () => 10_000,
    showProgress: () => {},
  } as unknown as Run;
  for (const step of Object.values(deleteExpiredPvcs(app).steps)) await step(run);
}
