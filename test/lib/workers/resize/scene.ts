/** A spoke to resize, with helpers. */
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import type { SimulatorFault } from "#lib/dev/simulator/faults.ts";
import { checkAndEnqueueAction } from "#lib/domains/spokes/actions.ts";
import type { SpokeActionName } from "#lib/operations/table.ts";
import { openWorkScene, type WorkScene } from "#test/lib/workers/scene.ts";

export interface ResizeScene extends WorkScene {
  readonly id: string;
  readonly namespace: string;
  ask(action: SpokeActionName, parameters?: object): Promise<void>;
  /** Requests the resize, and waits for its end. */
  resize(size: string): Promise<Awaited<ReturnType<WorkScene["ended"]>>>;
  /** Returns the current object of the spoke. */
  standing(kind: string, name: string): KubeObject;
  /** Claims' requests, quota and so on, for comparison. */
  sizes(): Record<string, unknown>;
  /** Breaks something in the spoke's namespace alone. */
  breakIt(breakage: SimulatorFault): string;
}

/** Opens the scene with a running replica, or without one, so that the test starts its own. */
export async function openResizeScene({ replica = "running" }: { replica?: "running" | "stopped" } = {}): Promise<
  ResizeScene
> {
  const scene = await openWorkScene();
  const id = await scene.spoke(await scene.hub("math"), "algebra");
  const scheduler = await scene.replica();
  const { namespace } = await scene.becomes(id, "active", "failed");
  if (replica === "stopped") await scheduler.close();
  const existing = (kind: string, name: string): KubeObject =>
    scene.simulator.objects(kind).find(({ metadata }) => metadata.namespace === namespace && metadata.name === name)!;
  const ask = async (action: SpokeActionName, parameters: object = {}) => {
    await scene.db.transact((tx) => checkAndEnqueueAction(scene.app, tx, scene.actor, id, { action, parameters }));
  };
  return {
    ...scene,
    id,
    namespace,
    ask,
    standing: existing,
    async resize(size) {
      await ask("resize", { size });
      return await scene.ended(id, "resize");
    },
    sizes() {
      const claim = (name: string) => {
        const { spec, status } = existing("PersistentVolumeClaim", name);
        return [spec.resources.requests.storage, status.capacity.storage];
      };
      const limits = (kind: string, name: string, template: (spec: KubeObject["spec"]) => KubeObject["spec"]) =>
        template(existing(kind, name)["spec"]).spec.containers[0].resources.limits;
      const { hard } = existing("ResourceQuota", "spoke")["spec"];
      const [container, largest] = existing("LimitRange", "spoke")["spec"].limits;
      return {
        files: claim("files"),
        database: claim("data-db-0"),
        app: limits("Deployment", "moodle", (spec) => spec.template),
        db: limits("StatefulSet", "db", (spec) => spec.template),
        cron: limits("CronJob", "moodle-cron", (spec) => spec.jobTemplate.spec.template),
        workers: existing("ConfigMap", "fpm-size")["data"]["zz-size.conf"].match(/\d+/)[0],
        quota: [hard["limits.cpu"], hard["limits.memory"], hard["requests.storage"]],
        largest: [container.max.cpu, largest.max.storage],
      };
    },
    breakIt: (breakage) => scene.simulator.faults.add(breakage),
  };
}
