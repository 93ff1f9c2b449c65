/** A hub in a cluster where templates are kept, and what the tests ask of them. */
import type { App } from "#lib/app.ts";
import { silentLog } from "#lib/base/log.ts";
import type { Run } from "#lib/scheduler/handler.ts";
import { retireTemplates } from "#lib/workers/templates/retire.ts";
import type { SiteTemplate } from "#lib/domains/templates/store.ts";
import type { FederationRow } from "#lib/domains/federations/store.ts";
import { notesOf } from "#lib/jobs/operation.ts";
import { acceptAction } from "#lib/domains/spokes/actions.ts";
import type { Scheduler } from "#lib/scheduler/scheduler.ts";
import { until } from "#test/support/until.ts";
import { openWorkScene, type WorkScene } from "#test/lib/workers/scene.ts";

export interface TemplateScene {
  scene: WorkScene;
  hub: FederationRow;
}

export async function openTemplates(context: TemplateScene): Promise<void> {
  context.scene = await openWorkScene(5, { TEMPLATES: "on" });
  context.hub = await context.scene.hub("math");
}

/** The same with a spoke, and with the template that it wished for, which is ready; and the replica that has done it. */
export async function openReady(context: TemplateScene): Promise<Scheduler> {
  await openTemplates(context);
  const replica = await context.scene.replica();
  await installed(context, "first");
  await templateIs(context.scene, "ready");
  return replica;
}

export async function templates({ db }: WorkScene): Promise<SiteTemplate[]> {
  return await db.rows.selectFrom("templates").selectAll().orderBy("createdAt").execute();
}

/** The only template, once it is in this state. */
export async function templateIs(scene: WorkScene, state: SiteTemplate["state"]): Promise<SiteTemplate> {
  return await until(async () => {
    const [template] = await templates(scene);
    return template?.state === state && template;
  }, 60_000);
}

/** An installed spoke; a failure of the installation is the test's. */
export async function installed({ scene, hub }: TemplateScene, slug: string, size?: string): Promise<string> {
  const id = await scene.spoke(hub, slug, size);
  const { state, stateReason } = await scene.becomes(id, "active", "failed");
  if (state === "failed") throw new Error(stateReason ?? "failed");
  return id;
}

export async function retry(scene: WorkScene, id: string): Promise<void> {
  await scene.db.transact((tx) => acceptAction(scene.app, tx, scene.actor, id, { action: "retry", parameters: {} }));
}

/** As it runs every hour, now. */
export async function retire(app: App): Promise<void> {
  const signal = new AbortController().signal, { db } = app;
  const run = {
    ...{ signal, log: silentLog, throwIfStopped: () => {}, showProgress: () => {}, timeLeft: () => 1500, job: {} },
    write: db.transact,
  } as unknown as Run;
  for (const step of Object.values(retireTemplates(app).steps)) await step(run);
}

/** From now on the template's snapshots are each what the other should be. */
export async function swapSnapshots({ db }: Pick<WorkScene, "db">): Promise<void> {
  await db.sql(`update templates set volumes = jsonb_set(jsonb_set(volumes, '{0,handle}', volumes -> 1 -> 'handle'),
    '{1,handle}', volumes -> 0 -> 'handle')`);
}

/** What the operations of the spoke have noted of where its data is from. */
export async function ways(scene: WorkScene, id: string): Promise<string[]> {
  return (await scene.operations(id)).flatMap(notesOf).filter((note) => /template|Job/.test(note));
}

/** Names of what stands of a kind in namespaces of this prefix, or at all of what stands in none. */
export function standing({ simulator }: WorkScene, kind: string, prefix = ""): string[] {
  return simulator.objects(kind).filter(({ metadata: { namespace, name } }) => (namespace ?? name).startsWith(prefix))
    .map(({ metadata: { name } }) => name).sort();
}
