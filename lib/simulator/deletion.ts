/** Deleting: preconditions, grace, finalizers, and what becomes of the dependents. */
import { type Kind } from "#lib/simulator/kinds.ts";
import { isRecord, type Json, type KubeObject, timestamp } from "#lib/simulator/object.ts";
import { conflict } from "#lib/simulator/refusal.ts";
import type { World } from "#lib/simulator/world.ts";

export interface DeleteOptions {
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
  readonly propagation?: string | undefined;
  readonly graceSeconds?: number | undefined;
  readonly dryRun?: boolean;
}

/** From the query and the body, which says the same things. */
export function readDeleteOptions(query: URLSearchParams, body: Json): DeleteOptions {
  const options = isRecord(body) ? body : {};
  const grace = options.gracePeriodSeconds ?? query.get("gracePeriodSeconds");
  const orphan = options.orphanDependents === true ? "Orphan" : undefined;
  return {
    uid: options.preconditions?.uid,
    resourceVersion: options.preconditions?.resourceVersion,
    propagation: options.propagationPolicy ?? query.get("propagationPolicy") ?? orphan,
    graceSeconds: grace === null || grace === undefined ? undefined : Number(grace),
    dryRun: (options.dryRun ?? query.getAll("dryRun")).includes("All"),
  };
}

/** What stands there afterwards, or `gone`: the object left at once. */
export function deleteObject(
  world: World,
  kind: Kind,
  live: KubeObject,
  options: DeleteOptions,
): { object: KubeObject; gone: boolean } {
  const meta = live.metadata;
  const failed = (what: string, wanted: string, found: string) =>
    conflict(
      kind,
      meta.name,
      `Precondition failed: ${what} in precondition: ${wanted}, ${what} in object meta: ${found}`,
    );
  if (options.uid && options.uid !== meta.uid) throw failed("UID", options.uid, meta.uid);
  if (options.resourceVersion && options.resourceVersion !== meta.resourceVersion) {
    throw failed("ResourceVersion", options.resourceVersion, meta.resourceVersion);
  }
  if (kind.kind === "Namespace" && kind.group === "") {
    return { object: endNamespace(world, kind, live, options), gone: false };
  }
  const finalizers = withPropagation(kind, live, options);
  const grace = graceOf(kind, live, options);
  if (grace === 0 && finalizers.length === 0) {
    return { object: options.dryRun ? live : world.store.remove(kind, live), gone: true };
  }
  const now = world.timers.now();
  const earlier = meta.deletionTimestamp !== undefined && (meta.deletionGracePeriodSeconds ?? 0) <= grace;
  const { finalizers: _, ...rest } = meta;
  const marked: KubeObject = {
    ...live,
    metadata: {
      ...rest,
      ...(earlier ? {} : {
        deletionTimestamp: timestamp(now + grace * 1000),
        deletionGracePeriodSeconds: grace,
        ...(meta.generation === undefined ? {} : { generation: meta.generation + 1 }),
      }),
      ...(finalizers.length > 0 ? { finalizers } : {}),
    },
  };
  const unchanged = earlier && finalizers.length === (meta.finalizers?.length ?? 0);
  return { object: options.dryRun || unchanged ? marked : world.store.save(kind, marked), gone: false };
}

/** Custom kinds and most others let the garbage collector follow; deleting a Job orphans its pods unless told otherwise. */
function withPropagation(kind: Kind, live: KubeObject, options: DeleteOptions): string[] {
  const policy = options.propagation ?? (kind.kind === "Job" ? "Orphan" : "Background");
  const own = (live.metadata.finalizers ?? []).filter((name) => name !== "foregroundDeletion" && name !== "orphan");
  if (policy === "Foreground") return [...own, "foregroundDeletion"];
  return policy === "Orphan" ? [...own, "orphan"] : own;
}

function graceOf(kind: Kind, live: KubeObject, options: DeleteOptions): number {
  if (kind.kind !== "Pod" || live.spec.nodeName === undefined) return 0;
  if (live.status?.phase === "Succeeded" || live.status?.phase === "Failed") return 0;
  return options.graceSeconds ?? live.spec.terminationGracePeriodSeconds ?? 30;
}

function endNamespace(world: World, kind: Kind, live: KubeObject, options: DeleteOptions): KubeObject {
  if (live.metadata.deletionTimestamp !== undefined) return live;
  const ending: KubeObject = {
    ...live,
    metadata: { ...live.metadata, deletionTimestamp: timestamp(world.timers.now()) },
    status: { ...live.status, phase: "Terminating" },
  };
  return options.dryRun ? ending : world.store.save(kind, ending);
}
