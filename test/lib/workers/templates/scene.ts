/** A hub in a cluster with templates on, and helpers that read templates. */
import type { App } from "#lib/app.ts";
import { SILENT_LOG } from "#lib/base/log.ts";
import type { JobRun } from "#lib/scheduler/handler.ts";
import { retireTemplates } from "#lib/workers/templates/retire.ts";
import type { SiteTemplate } from "#lib/domains/templates/store.ts";
import type { FederationRow } from "#lib/domains/federations/store.ts";
import { readOperationNotes } from "#lib/jobs/operation.ts";
import { checkAndEnqueueAction } from "#lib/domains/spokes/actions.ts";
import type { Scheduler } from "#lib/scheduler/scheduler.ts";
import { isFinalJobState } from "#lib/jobs/job.ts";
import { selectRows } from "#test/support/rows.ts";
import { until } from "#test/support/until.ts";
import { openWorkScene, type WorkScene } from "#test/lib/workers/scene.ts";

export interface TemplateScene {
  scene: WorkScene;
  hub: FederationRow;
}

export async function openTemplateScene(context: TemplateScene): Promise<void> {
  context.scene = await openWorkScene(5, { TEMPLATES: "on" });
  context.hub = await context.scene.hub("math");
}

/** Opens a scene with a spoke and a ready template. Returns the replica that created them. */
export async function openSceneWithTemplate(context: TemplateScene): Promise<Scheduler> {
  await openTemplateScene(context);
  const replica = await context.scene.replica();
  await installSpoke(context, "first");
  await waitForTemplate(context.scene, "ready");
  return replica;
}

export async function listTemplates({ db }: WorkScene): Promise<SiteTemplate[]> {
  return await db.rows.selectFrom("templates").selectAll().orderBy("createdAt").execute();
}

/** Waits until the first template has this state and its sandbox is deleted. */
export async function waitForTemplate(scene: WorkScene, state: SiteTemplate["state"]): Promise<SiteTemplate> {
  return await until(async () => {
    const [template] = await listTemplates(scene);
    const jobs = await selectRows(scene.db, "jobs", { kind: "create-template" }, { columns: ["state"] });
    return template?.state === state && jobs.every((job) => isFinalJobState(job.state)) && template;
  }, 60_000);
}

/** Creates a spoke and waits for its installation. Throws if the installation fails. */
export async function installSpoke({ scene, hub }: TemplateScene, slug: string, size?: string): Promise<string> {
  const id = await scene.spoke(hub, slug, size);
  const { state, stateReason } = await scene.becomes(id, "active", "failed");
  if (state === "failed") throw new Error(stateReason ?? "failed");
  return id;
}

export async function retrySpoke(scene: WorkScene, id: string): Promise<void> {
  await scene.db.transact((tx) =>
    checkAndEnqueueAction(scene.app, tx, scene.actor, id, { action: "retry", parameters: {} })
  );
}

/** Runs the hourly retirement. */
export async function runRetirement(app: App): Promise<void> {
  const signal = new AbortController().signal, { db } = app;
  const run = {
    ...{ signal, log: SILENT_LOG, throwIfStopped: () => {}, showProgress: () => {}, timeLeft: () => 1500, job: {} },
    write: db.transact,
  } as unknown as JobRun;
  for (const step of Object.values(retireTemplates(app).steps)) await step(run);
}

/** Swaps the handles of the template's two snapshots. */
export async function swapSnapshots({ db }: Pick<WorkScene, "db">): Promise<void> {
  await db.sql(`update templates set volumes = jsonb_set(jsonb_set(volumes, '{0,handle}', volumes -> 1 -> 'handle'),
    '{1,handle}', volumes -> 0 -> 'handle')`);
}

/** Returns the notes of the spoke's operations about templates and install Jobs. */
export async function listSourceNotes(scene: WorkScene, id: string): Promise<string[]> {
  return (await scene.operations(id)).flatMap(readOperationNotes).filter((note) => /template|Job/.test(note));
}

/** Returns the names of objects of a kind. The prefix filters their namespaces, or the names of cluster-scoped objects. */
export function listObjectNames({ simulator }: WorkScene, kind: string, prefix = ""): string[] {
  return simulator.objects(kind).filter(({ metadata: { namespace, name } }) => (namespace ?? name).startsWith(prefix))
    .map(({ metadata: { name } }) => name).sort();
}
