/** Sets up many spokes in a recording cluster, and changes their objects. */
import { SILENT_LOG } from "#lib/base/log.ts";
import type { App } from "#lib/app.ts";
import { SPOKE_LABEL } from "#lib/drivers/cluster/guard.ts";
import type { Json, StoredObject } from "#lib/dev/simulator/store/object.ts";
import { type KubeProxy, openKubeProxy } from "#test/lib/doctor/kube-proxy.ts";
import { type CopiedSpokes, openCopiedSpokes } from "#test/support/bench/copied-spokes.ts";
import { makeApp, openWorkScene, type WorkScene } from "#test/lib/workers/scene.ts";

export interface Context {
  scene: WorkScene;
  standing: CopiedSpokes;
  between: KubeProxy;
  app: App;
  closeApp: () => Promise<void>;
}

export const SPOKES = 60;
export const DEPLOYMENT = ["apps/v1", "Deployment", "moodle"] as const;

export async function openSweep(context: Context): Promise<void> {
  const scene = context.scene = await openWorkScene();
  const replica = await scene.replica();
  const model = await scene.spoke(await scene.hub("math"), "algebra");
  await scene.becomes(model, "active");
  await replica.close();
  context.standing = await openCopiedSpokes(scene, model, SPOKES);
  context.between = await openKubeProxy(context.standing.url);
  const { app, close } = await makeApp(scene.db, context.between.kubeconfig(), SILENT_LOG);
  Object.assign(context, { app, closeApp: close });
}

export async function closeSweep({ scene, standing, between, closeApp }: Context): Promise<void> {
  await closeApp();
  await between.close();
  await standing.close();
  await scene.close();
}

/** Changes or (for null) deletes a stored object without any admission. Returns a function that reverts the change. */
export async function alter(
  { scene, standing: { world } }: Context,
  id: string,
  [apiVersion, kind, name]: readonly [string, string, string?],
  change: ((object: Json) => Json) | null,
): Promise<() => void> {
  const { namespace } = await scene.row(id);
  const at = world.kinds.of({ apiVersion, kind })!.namespaced ? namespace : undefined;
  const before = world.store.get(kind, at, name ?? namespace)!;
  if (change) world.store.save(change(structuredClone(before)) as StoredObject);
  else world.store.remove(before);
  return () => void world.store.save(before);
}

export function unready(object: Json): Json {
  return { ...object, status: { ...object.status, availableReplicas: 0 } };
}

/** Returns the audited changes of the spoke's health, oldest first. */
export async function healthEvents({ scene }: Context, id: string): Promise<Json[]> {
  const text = "select metadata from audit_events where kind = 'spoke_health_changed' and spoke_id = $1 order by at";
  return (await scene.db.sql(text, [id])).map(({ metadata }) => metadata);
}

/** Reduces the number of active spokes. */
export async function keep({ scene, standing }: Context, count: number): Promise<void> {
  const { store } = standing.world, gone = standing.ids.slice(count);
  for (const object of store.everything()) {
    if (gone.includes(object.metadata.labels?.[SPOKE_LABEL] ?? "")) store.remove(object);
  }
  await scene.db.sql("update spokes set state = 'suspended' where id = any($1::text[])", [gone]);
}
