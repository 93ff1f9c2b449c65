/**
 * Runs the controllers. Each controller reconciles the objects of one kind, after a change or after a delay that it
 * requested. All controllers share a single queue, which is processed in small batches.
 */
import { listOwners } from "#lib/dev/simulator/controllers/objects.ts";
import type { StoredObject } from "#lib/dev/simulator/store/object.ts";
import { StatusError } from "#lib/dev/simulator/admission/status-error.ts";
import type { StoredObjectChange } from "#lib/dev/simulator/store/store.ts";
import type { Simulation } from "#lib/dev/simulator/simulation.ts";

export interface Controller {
  readonly kind: string;
  /** The kind of object that this controller creates. A change to such an object causes its owner to be reconciled. */
  readonly owns?: string;
  /** Returns other objects of this controller's kind that must be reconciled after the change. */
  readonly also?: (change: StoredObjectChange) => Iterable<StoredObject>;
  /** Called after an object of this controller's kind has been removed. */
  readonly removed?: (object: StoredObject) => void;
  /** Moves the cluster one step toward the object's spec. Returns the milliseconds until the next call, if any. */
  readonly reconcile?: (object: StoredObject, memory: ReconcileState) => number | void;
  /** Like `reconcile`, but called for an object that is being deleted. */
  readonly end?: (object: StoredObject, memory: ReconcileState) => number | void;
}

/** The delays and the number of failures for each object. They are forgotten when the object is removed. */
export type ReconcileState = ReturnType<typeof createMemory>;

const BATCH_SIZE = 40; // objects per batch; requests are handled between batches
const RETRY = 500; // ms until a retry, after the API server unexpectedly rejected a request
const FAILURES = "failures"; // stores the number of failures; no delay may have this name

/** Starts the controllers. Returns a function that queues all objects of a kind for reconciliation. */
export function runControllers(world: Simulation, controllers: readonly Controller[]): (kind: string) => void {
  const waiting = new Map<string, { controller: Controller; object: StoredObject }>();
  const alarms = new Map<string, () => void>();
  const memory = createMemory(world);
  let isScheduled = false;

  const keyOf = (controller: Controller, object: StoredObject) =>
    `${controllers.indexOf(controller)}/${object.metadata.uid}`;
  const scheduleBatch = (): void => {
    if (isScheduled) return;
    isScheduled = true;
    world.timers.after(0, runBatch);
  };
  const enqueue = (controller: Controller, object: StoredObject): void => {
    waiting.set(keyOf(controller, object), { controller, object });
    scheduleBatch();
  };
  const cancelAlarm = (key: string): void => {
    alarms.get(key)?.();
    alarms.delete(key);
  };
  const runBatch = (): void => {
    isScheduled = false;
    for (const [key, { controller, object }] of [...waiting].slice(0, BATCH_SIZE)) {
      waiting.delete(key);
      reconcileOne(key, controller, object);
    }
    if (waiting.size > 0) scheduleBatch();
  };
  const reconcileOne = (key: string, controller: Controller, { metadata }: StoredObject): void => {
    cancelAlarm(key);
    const { kind, reconcile, end } = controller;
    const live = world.store.get(kind, metadata.namespace, metadata.name);
    if (!live || live.metadata.uid !== metadata.uid) return;
    let delay: number | void;
    try {
      delay = (live.metadata.deletionTimestamp === undefined ? reconcile : end)?.(live, memory);
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      world.log.debug("The simulated API server rejected a controller's request", {
        kind,
        name: metadata.name,
        error: error.message,
      });
      delay = RETRY;
    }
    if (delay !== undefined) alarms.set(key, world.timers.after(delay, () => enqueue(controller, live)));
  };

  world.store.subscribe((change) => {
    const { type, object } = change;
    for (const controller of controllers) {
      if (object.kind === controller.kind && type !== "DELETED") enqueue(controller, object);
      if (object.kind === controller.kind && type === "DELETED") {
        const key = keyOf(controller, object);
        cancelAlarm(key);
        waiting.delete(key);
        controller.removed?.(object);
      }
      const owners = object.kind === controller.owns ? listOwners(world, controller.kind, object) : [];
      for (const each of [...owners, ...controller.also?.(change) ?? []]) enqueue(controller, each);
    }
    if (type === "DELETED") memory.forget(object);
  });
  const enqueueAll = (kind: string): void => {
    for (const controller of controllers.filter((each) => each.kind === kind)) {
      for (const object of world.store.list(kind)) enqueue(controller, object);
    }
  };
  for (const kind of new Set(controllers.map((controller) => controller.kind))) enqueueAll(kind);
  return enqueueAll;
}

function createMemory(world: Simulation) {
  const timesByUid = new Map<string, Map<string, number>>();
  const timesOf = ({ metadata: { uid } }: StoredObject): Map<string, number> => {
    const times = timesByUid.get(uid) ?? new Map<string, number>();
    timesByUid.set(uid, times);
    return times;
  };
  return {
    /** Returns the milliseconds that remain of a delay, or 0 once it has passed. The first call starts the delay. */
    left(object: StoredObject, ms: number, stage = ""): number {
      const times = timesOf(object), now = world.timers.now(), end = times.get(stage) ?? now + ms;
      times.set(stage, end);
      return Math.max(0, end - now);
    },
    /** Resets a delay, so that the next call to `left` starts it again. */
    reset: (object: StoredObject, stage = ""): void => void timesOf(object).delete(stage),
    /** Returns the milliseconds until a retry, more after each consecutive failure; undefined if nothing failed. */
    backoff(object: StoredObject, failed: boolean): number | void {
      const times = timesOf(object), count = failed ? (times.get(FAILURES) ?? 0) + 1 : 0;
      times.set(FAILURES, count);
      return failed ? Math.min(60_000, 1000 * 2 ** Math.min(count, 6)) : undefined;
    },
    forget: ({ metadata }: StoredObject): void => void timesByUid.delete(metadata.uid),
  };
}
