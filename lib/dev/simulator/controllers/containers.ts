/** Containers: pulled, configured, started, watched while they run, ended, and restarted with growing patience. */
import { environmentOf } from "#lib/dev/simulator/environment.ts";
import { say } from "#lib/dev/simulator/events.ts";
import { pullFailure } from "#lib/dev/simulator/images.ts";
import type { ContainerLog } from "#lib/dev/simulator/logs.ts";
import { type Json, type KubeObject, timestamp } from "#lib/dev/simulator/object.ts";
import type { Run } from "#lib/dev/simulator/program.ts";
import { runProgram } from "#lib/dev/simulator/programs.ts";
import type { World } from "#lib/dev/simulator/world.ts";
import { changeObject } from "#lib/dev/simulator/writes.ts";
import { isLost } from "#lib/dev/simulator/controllers/nodes.ts";
import { type ContainerStatus, statusesOf, withStatuses } from "#lib/dev/simulator/controllers/pod-status.ts";

/** Which container of a pod. */
export interface Slot {
  readonly which: "initContainers" | "containers";
  readonly name: string;
}

interface Busy {
  cancel: () => void;
  run?: Run;
  log?: ContainerLog;
  /** Whether it has run long enough to serve. */
  warm: boolean;
}

const PIECES = 4; // writes in which a program's lines come
const LEAST_WAIT = 100; // ms between a waiting program's looks
const LONGEST_BACKOFF = 60_000; // ms

export interface Containers {
  specOf(pod: KubeObject, slot: Slot): Json;
  /** Starts it after so many milliseconds. */
  plan(pod: KubeObject, slot: Slot, ms: number): void;
  /** Starts it now, if image and environment allow. */
  begin(pod: KubeObject, slot: Slot): void;
  /** Goes on with a run that the status tells of and nobody carries out. */
  resume(pod: KubeObject, slot: Slot): void;
  restart(pod: KubeObject, slot: Slot, status: ContainerStatus): void;
  /** Looks whether a container that serves is ready. */
  refresh(pod: KubeObject, slot: Slot): void;
  isBusy(pod: KubeObject, slot: Slot): boolean;
  /** What the pod's running containers are doing. */
  runs(uid: string): Run[];
  forget(uid: string): void;
}

export function openContainers(world: World): Containers {
  const pods = world.kinds.of("v1", "Pod")!;
  const busy = new Map<string, Map<string, Busy>>();

  const find = (pod: KubeObject, slot: Slot): Busy | undefined => busy.get(pod.metadata.uid)?.get(slot.name);
  const hold = (pod: KubeObject, slot: Slot, entry: Busy): Busy => {
    find(pod, slot)?.cancel();
    const own = busy.get(pod.metadata.uid) ?? new Map<string, Busy>();
    busy.set(pod.metadata.uid, own.set(slot.name, entry));
    return entry;
  };
  const release = (pod: KubeObject, slot: Slot): void => void busy.get(pod.metadata.uid)?.delete(slot.name);
  const specOf = (pod: KubeObject, slot: Slot): Json =>
    pod.spec[slot.which].find((each: Json) => each.name === slot.name);

  const set = (
    pod: KubeObject,
    slot: Slot,
    change: (status: ContainerStatus) => Partial<ContainerStatus>,
  ): KubeObject | undefined =>
    changeObject(world, pods, pod, "kubelet", (live) => {
      const apply = (which: Slot["which"]) =>
        statusesOf(live, which).map((status) =>
          which === slot.which && status.name === slot.name ? { ...status, ...change(status) } : status
        );
      return withStatuses(live, apply("initContainers"), apply("containers"), world.timers.now());
    });
  const tell = (pod: KubeObject, slot: Slot, type: "Normal" | "Warning", reason: string, message: string): void =>
    say(world, pod, { type, reason, message, by: "kubelet", fieldPath: `spec.${slot.which}{${slot.name}}` });

  const plan = (pod: KubeObject, slot: Slot, ms: number): void => {
    hold(pod, slot, { cancel: world.timers.after(ms, () => begin(pod, slot)), warm: false });
    set(pod, slot, (status) => status); // so that the status names the containers that wait
  };

  function begin(planned: KubeObject, slot: Slot): void {
    const pod = world.store.get(pods, planned.metadata.namespace, planned.metadata.name);
    if (!pod || pod.metadata.uid !== planned.metadata.uid || pod.metadata.deletionTimestamp !== undefined) return;
    if (isLost(world, pod.spec.nodeName)) return release(pod, slot);
    const container = specOf(pod, slot);
    const unpullable = pullFailure(container.image, world.faults);
    if (unpullable) return pullLater(pod, slot, container.image, unpullable);
    const environment = environmentOf(world, pod, container);
    if (environment.missing !== undefined) {
      tell(pod, slot, "Warning", "Failed", `Error: ${environment.missing}`);
      set(
        pod,
        slot,
        () => ({ state: { waiting: { reason: "CreateContainerConfigError", message: environment.missing } } }),
      );
      hold(pod, slot, { cancel: world.timers.after(patience(0), () => begin(pod, slot)), warm: false });
      return;
    }
    tell(pod, slot, "Normal", "Pulled", `Container image "${container.image}" already present on machine`);
    tell(pod, slot, "Normal", "Created", `Created container: ${slot.name}`);
    tell(pod, slot, "Normal", "Started", `Started container ${slot.name}`);
    const run = runProgram({ world, pod, container, env: environment.values, resumed: false });
    set(pod, slot, (status) => ({
      state: { running: { startedAt: timestamp(world.timers.now()) } },
      started: false,
      ready: false,
      image: container.image.includes("/") ? container.image : `docker.io/library/${container.image}`,
      imageID: "sha256:simulated",
      containerID: `containerd://${pod.metadata.uid}-${slot.name}-${status.restartCount}`,
      ...(container.resources.requests ? { allocatedResources: container.resources.requests } : {}),
      ...(container.resources.requests ? { resources: container.resources } : {}),
      ...(container.volumeMounts ? { volumeMounts: container.volumeMounts.map(mounted) } : {}),
    }));
    carryOut(pod, slot, run, world.logs.start(pod.metadata.uid, slot.name));
  }

  function carryOut(pod: KubeObject, slot: Slot, run: Run, log: ContainerLog): void {
    const entry = hold(pod, slot, { cancel: () => {}, run, log, warm: false });
    const length = slot.which === "initContainers" ? world.delayMs / 10 : world.delayMs / 2;
    if (run.waits) {
      world.logs.write(log, world.timers.now(), run.lines);
      entry.cancel = world.timers.after(Math.max(LEAST_WAIT, length), () => resume(pod, slot));
      return;
    }
    if (run.exit === null) {
      world.logs.write(log, world.timers.now(), run.lines);
      entry.cancel = world.timers.after(length, () => {
        entry.warm = true;
        run.done?.();
        refresh(pod, slot);
      });
      return;
    }
    const pieces = world.delayMs === 0 ? 1 : PIECES;
    const share = Math.ceil(run.lines.length / pieces);
    const step = (i: number): void => {
      world.logs.write(log, world.timers.now(), run.lines.slice(i * share, (i + 1) * share));
      if (i + 1 < pieces) entry.cancel = world.timers.after(length / pieces, () => step(i + 1));
      else entry.cancel = world.timers.after(length / pieces, () => end(pod, slot, run, log));
    };
    step(0);
  }

  function end(pod: KubeObject, slot: Slot, run: Run, log: ContainerLog): void {
    release(pod, slot);
    const live = world.store.get(pods, pod.metadata.namespace, pod.metadata.name);
    if (!live || live.metadata.uid !== pod.metadata.uid || isLost(world, live.spec.nodeName)) return;
    if (live.metadata.deletionTimestamp === undefined) run.done?.(); // else it was killed before it came to that
    const at = timestamp(world.timers.now());
    set(pod, slot, (status) => ({
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

  function pullLater(pod: KubeObject, slot: Slot, image: string, why: string): void {
    tell(pod, slot, "Normal", "Pulling", `Pulling image "${image}"`);
    tell(pod, slot, "Warning", "Failed", `Failed to pull image "${image}": ${why}`);
    tell(pod, slot, "Warning", "Failed", "Error: ErrImagePull");
    set(pod, slot, () => ({ state: { waiting: { reason: "ErrImagePull", message: why } } }));
    const back = (tries: number): void => {
      tell(pod, slot, "Normal", "BackOff", `Back-off pulling image "${image}"`);
      tell(pod, slot, "Warning", "Failed", "Error: ImagePullBackOff");
      const message = `Back-off pulling image "${image}": ErrImagePull: ${why}`;
      set(pod, slot, () => ({ state: { waiting: { reason: "ImagePullBackOff", message } } }));
      hold(pod, slot, { cancel: world.timers.after(patience(tries), () => back(tries + 1)), warm: false });
    };
    hold(pod, slot, { cancel: world.timers.after(Math.max(10, world.delayMs / 4), () => back(0)), warm: false });
  }

  /** The first restart is at once, the later ones with growing patience. */
  function restart(pod: KubeObject, slot: Slot, status: ContainerStatus): void {
    if (find(pod, slot)) return;
    const tries = status.restartCount;
    const where = `${pod.metadata.name}_${pod.metadata.namespace}(${pod.metadata.uid})`;
    const seconds = Math.min(300, 10 * 2 ** Math.max(0, tries - 1));
    const waiting = tries === 0 ? { reason: "PodInitializing" } : {
      reason: "CrashLoopBackOff",
      message: `back-off ${seconds}s restarting failed container=${slot.name} pod=${where}`,
    };
    hold(pod, slot, {
      cancel: world.timers.after(tries === 0 ? 0 : patience(tries), () => begin(pod, slot)),
      warm: false,
    });
    if (tries > 0) {
      tell(pod, slot, "Warning", "BackOff", `Back-off restarting failed container ${slot.name} in pod ${where}`);
    }
    set(pod, slot, () => ({ lastState: status.state, state: { waiting }, restartCount: tries + 1 }));
  }

  /** Whether a container that serves is ready, as its probe would find it. */
  function refresh(pod: KubeObject, slot: Slot): void {
    const entry = find(pod, slot);
    if (!entry?.run || entry.run.exit !== null || slot.which !== "containers") return;
    const broken = world.faults.of("unready", pod.metadata.namespace, pod.metadata.name);
    const healthy = entry.warm && broken === null;
    if (entry.warm && broken) {
      const message = broken.message ?? "Readiness probe failed: the simulated cluster was told so";
      tell(pod, slot, "Warning", "Unhealthy", message);
    }
    set(pod, slot, () => ({ started: entry.warm, ready: healthy }));
  }

  function resume(pod: KubeObject, slot: Slot): void {
    const container = specOf(pod, slot), environment = environmentOf(world, pod, container);
    const run = runProgram({ world, pod, container, env: environment.values, resumed: true });
    const log = world.logs.find(pod.metadata.uid, slot.name, false) ?? world.logs.start(pod.metadata.uid, slot.name);
    carryOut(pod, slot, run, log);
  }

  const patience = (tries: number): number =>
    Math.min(LONGEST_BACKOFF, Math.max(LEAST_WAIT, world.delayMs) * 2 ** Math.min(tries, 10));

  return {
    specOf,
    plan,
    begin,
    resume,
    restart,
    refresh,
    isBusy: (pod: KubeObject, slot: Slot): boolean => find(pod, slot) !== undefined,
    /** What each running container is doing. */
    runs: (uid: string): Run[] => [...busy.get(uid)?.values() ?? []].flatMap((entry) => entry.run ?? []),
    forget(uid: string): void {
      for (const entry of busy.get(uid)?.values() ?? []) entry.cancel();
      busy.delete(uid);
    },
  };
}

/** A mount as a status shows it. */
function mounted({ name, mountPath, readOnly }: Json): Json {
  return { name, mountPath, ...(readOnly ? { readOnly, recursiveReadOnly: "Disabled" } : {}) };
}
