/**
 * Controllers: each looks after the objects of one kind, woken by changes, and by time when it asked for that.
 *
 * They share one queue: an object waits in it once per controller however often it changed, and a long queue is worked
 * off in small turns, so that requests are answered in between.
 */
import { ownersOf } from "#lib/dev/simulator/controllers/objects.ts";
import type { StoredObject } from "#lib/dev/simulator/store/object.ts";
import { Refusal } from "#lib/dev/simulator/admission/refusal.ts";
import type { StoreChange } from "#lib/dev/simulator/store/store.ts";
import type { World } from "#lib/dev/simulator/world.ts";

export interface Controller {
  readonly kind: string;
  /** The kind of what it makes: when one of those changes, its owner is looked at. */
  readonly owns?: string;
  /** Further objects of this kind that a change of something else concerns. */
  readonly also?: (change: StoreChange) => Iterable<StoredObject>;
  /** One of its objects is gone. */
  readonly gone?: (object: StoredObject) => void;
  /** Brings things one step nearer to what the object says. Milliseconds until it wants to look again, or nothing. */
  readonly reconcile?: (object: StoredObject, memory: Memory) => number | void;
  /** The same, for an object that is being deleted. */
  readonly end?: (object: StoredObject, memory: Memory) => number | void;
}

/** What is remembered of an object while it stands: delays that are under way, and failures in a row. */
export interface Memory {
  /** Milliseconds that are left of a delay, which begins when it is asked for first; 0 once it has passed. */
  left(object: StoredObject, ms: number, stage?: string): number;
  /** Forgets a delay: who asks next begins it anew. */
  reset(object: StoredObject, stage?: string): void;
  /** Milliseconds until what has failed is tried again: longer after each failure in a row. Nothing for a success. */
  backoff(object: StoredObject, failed: boolean): number | void;
}

const TURN = 40; // objects worked off before requests get their turn
const RETRY = 500; // ms after a refusal that a controller did not expect
const FAILURES = "failures"; // no delay's name

/** Gives back what wakes all objects of a kind. */
export function runControllers(world: World, controllers: readonly Controller[]): (kind: string) => void {
  const waiting = new Map<string, { controller: Controller; object: StoredObject }>();
  const alarms = new Map<string, () => void>();
  const { memory, forget } = openMemory(world);
  let planned = false;

  const keyOf = (controller: Controller, object: StoredObject) =>
    `${controllers.indexOf(controller)}/${object.metadata.uid}`;
  const plan = (): void => {
    if (planned) return;
    planned = true;
    world.timers.after(0, turn);
  };
  const enqueue = (controller: Controller, object: StoredObject): void => {
    waiting.set(keyOf(controller, object), { controller, object });
    plan();
  };
  const silence = (key: string): void => {
    alarms.get(key)?.();
    alarms.delete(key);
  };
  const turn = (): void => {
    planned = false;
    for (const [key, { controller, object }] of [...waiting].slice(0, TURN)) {
      waiting.delete(key);
      visit(key, controller, object);
    }
    if (waiting.size > 0) plan();
  };
  const visit = (key: string, controller: Controller, { metadata }: StoredObject): void => {
    silence(key);
    const { kind, reconcile, end } = controller;
    const live = world.store.get(kind, metadata.namespace, metadata.name);
    if (!live || live.metadata.uid !== metadata.uid) return;
    let again: number | void;
    try {
      again = (live.metadata.deletionTimestamp === undefined ? reconcile : end)?.(live, memory);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      world.log.debug("A controller was refused", { kind, name: metadata.name, error: error.message });
      again = RETRY;
    }
    if (again !== undefined) alarms.set(key, world.timers.after(again, () => enqueue(controller, live)));
  };

  world.store.subscribe((change) => {
    const { type, object } = change;
    for (const controller of controllers) {
      if (object.kind === controller.kind && type !== "DELETED") enqueue(controller, object);
      if (object.kind === controller.kind && type === "DELETED") {
        const key = keyOf(controller, object);
        silence(key);
        waiting.delete(key);
        controller.gone?.(object);
      }
      const owners = object.kind === controller.owns ? ownersOf(world, controller.kind, object) : [];
      for (const each of [...owners, ...controller.also?.(change) ?? []]) enqueue(controller, each);
    }
    if (type === "DELETED") forget(object);
  });
  const wake = (kind: string): void => {
    for (const controller of controllers.filter((each) => each.kind === kind)) {
      for (const object of world.store.list(kind)) enqueue(controller, object);
    }
  };
  for (const kind of new Set(controllers.map((controller) => controller.kind))) wake(kind);
  return wake;
}

function openMemory(world: World): { memory: Memory; forget: (object: StoredObject) => void } {
  const known = new Map<string, Map<string, number>>();
  const notesOf = ({ metadata: { uid } }: StoredObject): Map<string, number> => {
    const notes = known.get(uid) ?? new Map<string, number>();
    known.set(uid, notes);
    return notes;
  };
  const memory: Memory = {
    left(object, ms, stage = "") {
      const notes = notesOf(object), now = world.timers.now(), end = notes.get(stage) ?? now + ms;
      notes.set(stage, end);
      return Math.max(0, end - now);
    },
    reset: (object, stage = "") => void notesOf(object).delete(stage),
    backoff(object, failed) {
      const notes = notesOf(object), count = failed ? (notes.get(FAILURES) ?? 0) + 1 : 0;
      notes.set(FAILURES, count);
      return failed ? Math.min(60_000, 1000 * 2 ** Math.min(count, 6)) : undefined;
    },
  };
  return { memory, forget: ({ metadata }) => void known.delete(metadata.uid) };
}
