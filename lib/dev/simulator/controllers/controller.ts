/**
 * Controllers: each looks after the objects of one kind, woken by changes, and by time when it asked for that.
 *
 * They share one queue: an object waits in it once per controller however often it changed, and a long queue is worked
 * off in small turns, so that requests are answered in between.
 */
import type { Kind } from "#lib/dev/simulator/kinds.ts";
import type { Json, KubeObject } from "#lib/dev/simulator/object.ts";
import { Refusal } from "#lib/dev/simulator/refusal.ts";
import type { Change } from "#lib/dev/simulator/store.ts";
import type { World } from "#lib/dev/simulator/world.ts";

export interface Controller {
  readonly kind: Kind;
  /** Objects of this kind that a change of something else concerns. */
  readonly also?: (change: Change) => Iterable<KubeObject>;
  /** One of its objects is gone. */
  readonly gone?: (object: KubeObject) => void;
  /** Brings things one step nearer to what the object says. Milliseconds until it wants to look again, or nothing. */
  readonly reconcile: (object: KubeObject) => number | void;
}

const TURN = 40; // objects worked off before requests get their turn
const RETRY = 500; // ms after a refusal that a controller did not expect

export function runControllers(world: World, controllers: readonly Controller[]): { wake: (kind: Kind) => void } {
  const waiting = new Map<string, { controller: Controller; object: KubeObject }>();
  const alarms = new Map<string, () => void>();
  let planned = false;

  const keyOf = (controller: Controller, object: KubeObject) =>
    `${controllers.indexOf(controller)}/${object.metadata.uid}`;
  const plan = (): void => {
    if (planned) return;
    planned = true;
    world.timers.after(0, turn);
  };
  const enqueue = (controller: Controller, object: KubeObject): void => {
    waiting.set(keyOf(controller, object), { controller, object });
    plan();
  };
  const turn = (): void => {
    planned = false;
    for (const [key, { controller, object }] of [...waiting].slice(0, TURN)) {
      waiting.delete(key);
      visit(key, controller, object);
    }
    if (waiting.size > 0) plan();
  };
  const visit = (key: string, controller: Controller, { metadata }: KubeObject): void => {
    alarms.get(key)?.();
    alarms.delete(key);
    const live = world.store.get(controller.kind, metadata.namespace, metadata.name);
    if (!live || live.metadata.uid !== metadata.uid) return;
    let again: number | void;
    try {
      again = controller.reconcile(live);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      world.log.debug("A controller was refused", {
        kind: controller.kind.kind,
        name: metadata.name,
        error: error.message,
      });
      again = RETRY;
    }
    if (again !== undefined) alarms.set(key, world.timers.after(again, () => enqueue(controller, live)));
  };

  world.store.subscribe((change) => {
    for (const controller of controllers) {
      if (change.kind === controller.kind) {
        if (change.type !== "DELETED") enqueue(controller, change.object);
        else {
          const key = keyOf(controller, change.object);
          alarms.get(key)?.();
          alarms.delete(key);
          waiting.delete(key);
          controller.gone?.(change.object);
        }
      }
      for (const object of controller.also?.(change) ?? []) enqueue(controller, object);
    }
  });
  const wake = (kind: Kind): void => {
    for (const controller of controllers) {
      if (controller.kind === kind) { for (const object of world.store.list(kind)) enqueue(controller, object); }
    }
  };
  for (const kind of new Set(controllers.map((controller) => controller.kind))) wake(kind);
  return { wake };
}

/** The objects of this kind in the namespace that own the changed one. */
export function ownersOf(world: World, kind: Kind, change: Change): KubeObject[] {
  const references = change.object.metadata.ownerReferences ?? [];
  return references.filter((owner) => owner.kind === kind.kind && owner.apiVersion === kind.apiVersion).flatMap(
    (owner) => {
      const object = world.store.get(kind, change.object.metadata.namespace, owner.name);
      return object && object.metadata.uid === owner.uid ? [object] : [];
    },
  );
}

/** The objects of a kind that this one controls. */
export function ownedBy(world: World, kind: Kind, owner: KubeObject): KubeObject[] {
  return world.store.list(kind, owner.metadata.namespace)
    .filter((object) => object.metadata.ownerReferences?.some((each) => each.uid === owner.metadata.uid));
}

/** How a dependent names its controller. */
export function ownerReference(owner: KubeObject): NonNullable<KubeObject["metadata"]["ownerReferences"]>[number] {
  const { apiVersion, kind, metadata: { name, uid } } = owner;
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}

/** The conditions with these set; a condition that keeps its status keeps the time of its last transition. */
export function withConditions(
  present: readonly Condition[] | undefined,
  at: string,
  ...wanted: readonly Statement[]
): Condition[] {
  const conditions = [...present ?? []];
  for (const condition of wanted) {
    const i = conditions.findIndex((each) => each.type === condition.type);
    const since = i >= 0 && conditions[i]!.status === condition.status ? conditions[i]!.lastTransitionTime : at;
    const next = { ...condition, lastTransitionTime: since };
    if (i >= 0) conditions[i] = next;
    else conditions.push(next);
  }
  return conditions;
}

/** What a condition says, before it is known since when. */
export interface Statement {
  readonly type: string;
  readonly status: string;
  readonly [field: string]: Json;
}

export interface Condition extends Statement {
  readonly lastTransitionTime: string;
}
