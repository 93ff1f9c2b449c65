/** Jobs in the hands of holders that die: each at a write that none has died at before. */
import { beginTemplate } from "#lib/domains/templates/store.ts";
import type { App, Clusters } from "#lib/app.ts";
import { newId } from "#lib/base/ids.ts";
import { silentLog } from "#lib/base/log.ts";
import type { Cluster, KubeObject, Ref, Space } from "#lib/drivers/cluster/cluster.ts";
import { templateInputs, templateKey } from "#lib/moodle/template.ts";
import type { Handler, Run } from "#lib/scheduler/handler.ts";
import type { TemplatePayload } from "#lib/workers/templates/create.ts";
import type { TemplateScene } from "#test/lib/workers/templates/scene.ts";
import { call, Killed } from "#test/lib/workers/volumes/scene.ts";

/** What a spoke of the hub would wish for; no operation waits for room. */
export async function wish(context: TemplateScene, slug = "algebra"): Promise<TemplatePayload> {
  const { scene: { app, db, ...scene } } = context;
  const { cluster, blueprintInputs: inputs } = await scene.row(await idle(context, slug));
  const clusterUid = await (await app.clusters.open(cluster)).identity(call());
  const key = templateKey({ cluster, clusterUid }, inputs, app.blueprint.revision);
  const template = (await db.transact((tx) => beginTemplate(tx, key)))!;
  const sizes = app.catalog.choices("size")!.map((name) => app.catalog.resourcesOf(name));
  return { cluster, template, inputs: templateInputs(inputs, { id: template, sizes, release: app.config.releaseId }) };
}

/** A new spoke whose installation nobody begins with. */
export async function idle({ scene, hub }: TemplateScene, slug: string, size?: string): Promise<string> {
  const id = await scene.spoke(hub, slug, size);
  await scene.db.sql("update jobs set state = 'cancelled', finished_at = now() where state = 'queued' and visible");
  return id;
}

export interface DyingJob {
  readonly make: (app: App) => Handler;
  readonly payload?: object;
  readonly spokeId?: string;
}

/** Notes in the job's progress, and how often it was taken over until it had ended. */
export async function runDying(
  { scene }: TemplateScene,
  { make, payload = {}, spokeId }: DyingJob,
  when: "before" | "after",
): Promise<{ readonly deaths: number; readonly notes: unknown }> {
  const died = new Set<string>(), progress: Record<string, unknown> = {}, done = new Set<string>();
  const id = newId("op");
  for (let holders = 1;; holders++) {
    let step = "";
    const dying = async <T>(what: string, write: () => Promise<T>): Promise<T> => {
      const key = `${step} ${what}`, first = !died.has(key);
      died.add(key);
      if (first && when === "before") throw new Killed();
      const answer = await write();
      if (first) throw new Killed();
      return answer;
    };
    const app = { ...scene.app, clusters: dyingClusters(scene.app.clusters, dying) };
    const handler = make(app), { kind } = handler.kind;
    const run = {
      ...call(),
      job: { id, kind, spokeId, fence: String(holders), payload, progress, attempt: 1, failure: null },
      log: silentLog,
      throwIfStopped: () => {},
      showProgress: () => {},
      timeLeft: () => 20_000,
      write: (change: never) => dying(`row ${String(change)}`, () => scene.db.transact(change)),
      saveProgress: (values: object) => dying(`note ${Object.keys(values)}`, () => keep(progress, values)),
    } as unknown as Run;
    try {
      for (step of handler.kind.steps.map(({ name }) => name)) {
        if (!done.has(step)) await handler.steps[step]!(run);
        done.add(step);
      }
      return { deaths: holders - 1, notes: progress.notes };
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
    }
  }
}

function keep(progress: Record<string, unknown>, values: object): Promise<void> {
  return Promise.resolve(void Object.assign(progress, values));
}

type Dying = <T>(what: string, write: () => Promise<T>) => Promise<T>;

function dyingClusters(clusters: Clusters, dying: Dying): Clusters {
  const around = <T extends object>(target: T, names: readonly string[]): T =>
    new Proxy(target, {
      get(object, name) {
        const method = Reflect.get(object, name) as (...given: unknown[]) => Promise<unknown>;
        if (name === "space") return (...given: [string, string]) => around(spaceOf(object, given), IN_SPACE);
        if (!names.includes(String(name))) return method;
        return (...given: unknown[]) =>
          dying(`${String(name)} ${nameOf(given[0])}`, () => method.apply(object, given) as Promise<unknown>);
      },
    });
  return { ...clusters, open: async (name) => around(await clusters.open(name), OUTSIDE) };
}

const OUTSIDE = ["createNamespace", "createGlobal", "deleteGlobal", "patchGlobal"];
const IN_SPACE = ["create", "patch", "apply", "delete", "run", "remove"];

function spaceOf(cluster: object, [namespace, uid]: [string, string]): Space {
  return (cluster as Cluster).space(namespace, uid);
}

/** A Job's name has the holder's fence in it. */
function nameOf(given: unknown): string {
  const [first] = [given].flat() as Partial<KubeObject & Ref>[];
  return `${first?.kind} ${first?.metadata?.name ?? first?.name}`.replace(/-\d+$/, "");
}
