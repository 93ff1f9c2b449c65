/** Containers that run: started, watched while they do, ready to serve, and ended. */
import { environmentOf } from "#lib/dev/simulator/environment.ts";
import type { ContainerLog } from "#lib/dev/simulator/logs.ts";
import { type Json, timestamp } from "#lib/dev/simulator/object.ts";
import type { Context, Run } from "#lib/dev/simulator/program.ts";
import { runProgram } from "#lib/dev/simulator/programs.ts";
import { type Kubelet, liveSlot, setStatus, type Slot, specOf, tell } from "#lib/dev/simulator/controllers/kubelet.ts";
import { isLost } from "#lib/dev/simulator/controllers/nodes.ts";

const PIECES = 4; // writes in which a program's lines come
export const LEAST_WAIT = 100; // ms between a waiting program's looks

export function start(kubelet: Kubelet, slot: Slot, container: Json, env: Context["env"]): void {
  const { world } = kubelet, { pod } = slot, { image, resources } = container;
  tell(world, slot, "Normal", "Pulled", `Container image "${image}" already present on machine`);
  tell(world, slot, "Normal", "Created", `Created container: ${slot.name}`);
  tell(world, slot, "Normal", "Started", `Started container ${slot.name}`);
  const run = runProgram({ world, pod, container, env, resumed: false });
  setStatus(world, slot, (status) => ({
    state: { running: { startedAt: timestamp(world.timers.now()) } },
    started: false,
    ready: false,
    image: image.includes("/") ? image : `docker.io/library/${image}`,
    imageID: "sha256:simulated",
    containerID: `containerd://${pod.metadata.uid}-${slot.name}-${status.restartCount}`,
    ...(resources.requests ? { allocatedResources: resources.requests, resources } : {}),
    ...(container.volumeMounts ? { volumeMounts: container.volumeMounts.map(mounted) } : {}),
  }));
  carryOut(kubelet, slot, run, world.logs.start(pod.metadata.uid, slot.name));
}

/** Goes on with a run that the status tells of and nobody carries out. */
export function resume(kubelet: Kubelet, slot: Slot): void {
  const { world } = kubelet, { pod, name } = slot, { uid } = pod.metadata, container = specOf(slot);
  const run = runProgram({ world, pod, container, env: environmentOf(world, pod, container).values, resumed: true });
  carryOut(kubelet, slot, run, world.logs.find(uid, name, false) ?? world.logs.start(uid, name));
}

function carryOut(kubelet: Kubelet, slot: Slot, run: Run, log: ContainerLog): void {
  const { world: { delayMs, logs, timers } } = kubelet;
  const entry = kubelet.hold(slot, run);
  const length = slot.which === "initContainers" ? delayMs / 10 : delayMs / 2;
  if (run.waits) {
    logs.write(log, timers.now(), run.lines);
    entry.cancel = timers.after(Math.max(LEAST_WAIT, length), () => resume(kubelet, slot));
    return;
  }
  if (run.exit === null) {
    logs.write(log, timers.now(), run.lines);
    entry.cancel = timers.after(length, () => {
      entry.warm = true;
      run.done?.();
      refresh(kubelet, slot);
    });
    return;
  }
  const pieces = delayMs === 0 ? 1 : PIECES;
  const share = Math.ceil(run.lines.length / pieces);
  const step = (i: number): void => {
    logs.write(log, timers.now(), run.lines.slice(i * share, (i + 1) * share));
    const next = i + 1 < pieces ? () => step(i + 1) : () => end(kubelet, slot, run, log);
    entry.cancel = timers.after(length / pieces, next);
  };
  step(0);
}

function end(kubelet: Kubelet, slot: Slot, run: Run, log: ContainerLog): void {
  const { world } = kubelet;
  kubelet.release(slot);
  const live = liveSlot(world, slot);
  if (!live || isLost(world, live.pod.spec.nodeName)) return;
  if (live.pod.metadata.deletionTimestamp === undefined) run.done?.(); // else it was killed before it came to that
  const at = timestamp(world.timers.now());
  setStatus(world, slot, (status) => ({
    state: {
      terminated: {
        exitCode: run.exit,
        reason: run.reason ?? (run.exit === 0 ? "Completed" : "Error"),
        startedAt: status.state.running?.startedAt ?? at,
        finishedAt: at,
        containerID: status.containerID,
      },
    },
    started: false,
    ready: false,
  }));
  world.logs.end(log);
}

/** Looks whether a container that serves is ready, as its probe would find it. */
export function refresh({ world, find }: Kubelet, slot: Slot): void {
  const entry = find(slot);
  if (!entry?.run || entry.run.exit !== null || slot.which !== "containers") return;
  const broken = world.faults.of("unready", slot.pod.metadata.namespace, slot.pod.metadata.name);
  if (entry.warm && broken) {
    const message = broken.message ?? "Readiness probe failed: the simulated cluster was told so";
    tell(world, slot, "Warning", "Unhealthy", message);
  }
  setStatus(world, slot, () => ({ started: entry.warm, ready: entry.warm && broken === null }));
}

/** A mount as a status shows it. */
function mounted({ name, mountPath, readOnly }: Json): Json {
  return { name, mountPath, ...(readOnly ? { readOnly, recursiveReadOnly: "Disabled" } : {}) };
}
