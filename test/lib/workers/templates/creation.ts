/** Runs jobs that are killed at each write once. */
import { startTemplate } from "#lib/domains/templates/store.ts";
import type { App, ClusterProvider } from "#lib/app.ts";
import { createId } from "#lib/base/ids.ts";
import { SILENT_LOG } from "#lib/base/log.ts";
import type { Cluster, ClusterNamespace, KubeObject, ObjectRef } from "#lib/drivers/cluster/cluster.ts";
import { buildTemplateInputs, buildTemplateKey } from "#lib/moodle/template.ts";
import type { JobHandler, JobRun } from "#lib/scheduler/handler.ts";
import type { TemplatePayload } from "#lib/workers/templates/create.ts";
import type { TemplateScene } from "#test/lib/workers/templates/scene.ts";
import { createCall, Killed } from "#test/lib/recovery/volumes/scene.ts";

/** Begins a template for a spoke of the hub. Returns the payload of the job. */
export async function beginTemplateFor(context: TemplateScene, slug = "algebra"): Promise<TemplatePayload> {
  const { scene: { app, db, ...scene } } = context;
  const { cluster, blueprintInputs: inputs } = await scene.row(await createIdleSpoke(context, slug));
  const clusterUid = await (await app.clusters.open(cluster)).identity(createCall());
  const key = buildTemplateKey({ cluster, clusterUid }, inputs, app.blueprint.revision);
  const template = (await db.transact((tx) => startTemplate(tx, key)))!;
  const sizes = app.catalog.choices("size")!.map((name) => app.catalog.resourcesOf(name));
  return {
    cluster,
    template,
    inputs: buildTemplateInputs(inputs, { id: template, sizes, release: app.config.releaseId }),
  };
}

/** Creates a spoke and cancels its installation. */
export async function createIdleSpoke({ scene, hub }: TemplateScene, slug: string, size?: string): Promise<string> {
  const id = await scene.spoke(hub, slug, size);
  await scene.db.sql("update jobs set state = 'cancelled', finished_at = now() where state = 'queued' and visible");
  return id;
}

export interface KilledJob {
  readonly createHandler: (app: App) => JobHandler;
  readonly payload?: object;
  readonly spokeId?: string;
}

/** Runs the job until it ends. Returns its notes and the number of kills. */
export async function runWithKills(
  { scene }: TemplateScene,
  { createHandler, payload = {}, spokeId }: KilledJob,
  when: "before" | "after",
): Promise<{ readonly kills: number; readonly notes: unknown }> {
  const killedWrites = new Set<string>(), progress: Record<string, unknown> = {}, finishedSteps = new Set<string>();
  const id = createId("op");
  for (let holders = 1;; holders++) {
    let step = "";
    const killWrite = async <T>(what: string, write: () => Promise<T>): Promise<T> => {
      const key = `${step} ${what}`, first = !killedWrites.has(key);
      killedWrites.add(key);
      if (first && when === "before") throw new Killed();
      const answer = await write();
      if (first) throw new Killed();
      return answer;
    };
    const app = { ...scene.app, clusters: killingClusters(scene.app.clusters, killWrite) };
    const handler = createHandler(app), { kind } = handler.kind;
    const run = {
      ...createCall(),
      job: { id, kind, spokeId, fence: String(holders), payload, progress, attempt: 1, failure: null },
      log: SILENT_LOG,
      throwIfStopped: () => {},
      showProgress: () => {},
      timeLeft: () => 20_000,
      write: (change: never) => killWrite(`row ${String(change)}`, () => scene.db.transact(change)),
      saveProgress: (values: object) => killWrite(`note ${Object.keys(values)}`, () => storeProgress(progress, values)),
    } as unknown as JobRun;
    try {
      for (step of handler.kind.steps.map(({ name }) => name)) {
        if (!finishedSteps.has(step)) await handler.steps[step]!(run);
        finishedSteps.add(step);
      }
      return { kills: holders - 1, notes: progress.notes };
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
    }
  }
}

function storeProgress(progress: Record<string, unknown>, values: object): Promise<void> {
  return Promise.resolve(void Object.assign(progress, values));
}

type KillWrite = <T>(what: string, write: () => Promise<T>) => Promise<T>;

function killingClusters(clusters: ClusterProvider, killWrite: KillWrite): ClusterProvider {
  const wrapWrites = <T extends object>(target: T, names: readonly string[]): T =>
    new Proxy(target, {
      get(object, name) {
        const method = Reflect.get(object, name) as (...args: unknown[]) => Promise<unknown>;
        if (name === "space") return (...args: [string, string]) => wrapWrites(spaceOf(object, args), NAMESPACE_WRITES);
        if (!names.includes(String(name))) return method;
        return (...args: unknown[]) =>
          killWrite(`${String(name)} ${nameOf(args[0])}`, () => method.apply(object, args) as Promise<unknown>);
      },
    });
  return { ...clusters, open: async (name) => wrapWrites(await clusters.open(name), CLUSTER_WRITES) };
}

const CLUSTER_WRITES = ["createNamespace", "createGlobal", "deleteGlobal", "patchGlobal"];
const NAMESPACE_WRITES = ["create", "patch", "apply", "delete", "run", "remove"];

function spaceOf(cluster: object, [namespace, uid]: [string, string]): ClusterNamespace {
  return (cluster as Cluster).space(namespace, uid);
}

/** Returns the kind and name of an object, without the fence that is part of a Job's name. */
function nameOf(args: unknown): string {
  const [first] = [args].flat() as Partial<KubeObject & ObjectRef>[];
  return `${first?.kind} ${first?.metadata?.name ?? first?.name}`.replace(/-\d+$/, "");
}
