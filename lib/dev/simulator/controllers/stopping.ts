/** Stopping a pod: its containers are told to end, some hear it and some do not, then the pod is gone. */
import { say } from "#lib/dev/simulator/events.ts";
import type { Json, KubeObject } from "#lib/dev/simulator/object.ts";
import type { World } from "#lib/dev/simulator/world.ts";
import type { Kubelet } from "#lib/dev/simulator/controllers/kubelet.ts";
import { statusesOf, withStatuses } from "#lib/dev/simulator/controllers/pod-status.ts";
import { changeObject } from "#lib/dev/simulator/writes.ts";
import { SECOND } from "#lib/base/time.ts";

const LONGEST_GRACE = 10 * SECOND; // nobody waits for the real 30 s here

export function stopPod({ world, runs }: Kubelet, pod: KubeObject, stopping: Set<string>): void {
  const { uid, deletionGracePeriodSeconds = 0 } = pod.metadata;
  const running = [...statusesOf(pod, "initContainers"), ...statusesOf(pod, "containers")].filter((each) =>
    each.state.running
  );
  const forced = deletionGracePeriodSeconds === 0;
  if (stopping.has(uid) && !forced) return;
  if (!stopping.has(uid)) {
    for (const { name } of running) {
      const fieldPath = `spec.containers{${name}}`;
      say(world, pod, {
        type: "Normal",
        reason: "Killing",
        message: `Stopping container ${name}`,
        by: "kubelet",
        fieldPath,
      });
    }
  }
  stopping.add(uid);
  const deaf = runs(uid).some((run) => run.deaf === true);
  const wanted = running.length === 0 ? 0 : deaf ? world.delayMs * 2 : world.delayMs / 4;
  const grace = forced ? 0 : Math.min(wanted, deletionGracePeriodSeconds * SECOND, LONGEST_GRACE);
  world.timers.after(grace, () => remove(world, pod));
}

function remove(world: World, stopped: KubeObject): void {
  const kind = world.kinds.of("v1", "Pod")!;
  const pod = world.store.get(kind, stopped.metadata.namespace, stopped.metadata.name);
  if (!pod || pod.metadata.uid !== stopped.metadata.uid) return;
  if (!pod.metadata.finalizers?.length) return void world.store.remove(kind, pod);
  changeObject(world, kind, pod, "kubelet", (live) => { // its finalizers keep it, dead
    const dead = (status: Json) => ({
      ...status,
      ready: false,
      state: { terminated: { exitCode: 137, reason: "Error" } },
    });
    const [init, main] = [statusesOf(live, "initContainers"), statusesOf(live, "containers")];
    const ending = { ...live, spec: { ...live.spec, restartPolicy: "Never" } }; // it is not started again
    return { ...withStatuses(ending, init, main.map(dead), world.timers.now()), spec: live.spec };
  });
}
