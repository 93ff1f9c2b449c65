/** Deletes objects: checks preconditions, applies grace periods and finalizers, and sets the propagation policy. */
import {
  cause,
  collectCauses,
  createStatusDetails,
  type StatusCause,
  StatusError,
} from "#lib/dev/simulator/admission/status-error.ts";
import { rejectInvalidOptions, validateDryRun } from "#lib/dev/simulator/api/options.ts";
import {
  type ApiKind,
  formatKindName,
  formatTimestamp,
  isRecord,
  type Json,
  type StoredObject,
} from "#lib/dev/simulator/store/object.ts";
import type { Simulation } from "#lib/dev/simulator/simulation.ts";

export interface DeleteOptions {
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
  readonly propagation?: string | undefined;
  readonly graceSeconds?: number | undefined;
  readonly dryRun?: boolean;
}

/** Reads the delete options from the request body or, if the body is null, from the query. */
export function parseDeleteOptions(parameters: URLSearchParams, body: Json): DeleteOptions {
  const options = isRecord(body) ? body : {}, query = body === null ? parameters : new URLSearchParams();
  const { apiVersion = "v1", kind = "DeleteOptions" } = options;
  if (kind !== "DeleteOptions") {
    throw StatusError.badRequest(
      `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}`,
    );
  }
  rejectInvalidOptions("DeleteOptions", badOptions(options, query));
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

const POLICIES = ["Foreground", "Background", "Orphan", "nil"];

function badOptions({ orphanDependents, propagationPolicy, dryRun }: Json, query: URLSearchParams): StatusCause[] {
  const field = "propagationPolicy", policy = propagationPolicy ?? query.get(field) ?? undefined;
  const both = policy !== undefined && orphanDependents !== undefined;
  return collectCauses(
    both && cause.invalid(field, policy, "orphanDependents and deletionPropagation cannot be both set"),
    policy !== undefined && !POLICIES.slice(0, 3).includes(policy) && cause.unsupported(field, policy, POLICIES),
    validateDryRun(dryRun ?? query.getAll("dryRun")),
  );
}

const PROTECTED_NAMESPACES = new Set(["default", "kube-system", "kube-public"]);

/** Deletes an object and returns its last state. `gone` is false if finalizers or a grace period still keep it. */
export function deleteObject(
  world: Simulation,
  live: StoredObject,
  options: DeleteOptions,
): { object: StoredObject; gone: boolean } {
  const kind = world.kinds.of(live)!, meta = live.metadata;
  const { uid, resourceVersion } = options;
  if (kind.kind === "Namespace" && PROTECTED_NAMESPACES.has(meta.name)) {
    throw StatusError.forbidden(kind, meta.name, "this namespace may not be deleted");
  }
  if (uid && uid !== meta.uid) throw preconditionError(kind, live, "UID", uid);
  if (resourceVersion && resourceVersion !== meta.resourceVersion) {
    throw preconditionError(kind, live, "ResourceVersion", resourceVersion);
  }
  if (kind.kind === "Namespace") {
    return { object: terminateNamespace(world, live, options), gone: false };
  }
  const finalizers = finalizersFor(live, options);
  const grace = gracePeriodOf(live, options);
  if (grace === 0 && finalizers.length === 0) {
    return { object: options.dryRun ? live : world.store.remove(live), gone: true };
  }
  const now = world.timers.now();
  const earlier = meta.deletionTimestamp !== undefined && (meta.deletionGracePeriodSeconds ?? 0) <= grace;
  const { finalizers: _, ...rest } = meta;
  const marked: StoredObject = {
    ...live,
    metadata: {
      ...rest,
      ...(earlier ? {} : {
        deletionTimestamp: formatTimestamp(now + grace * 1000),
        deletionGracePeriodSeconds: grace,
        ...(meta.generation === undefined ? {} : { generation: meta.generation + 1 }),
      }),
      ...(finalizers.length > 0 ? { finalizers } : {}),
    },
  };
  const unchanged = earlier && finalizers.length === (meta.finalizers?.length ?? 0);
  return { object: options.dryRun || unchanged ? marked : world.store.save(marked), gone: false };
}

/** Returns the error for a failed precondition. Its wording is different for namespaces, as on a real API server. */
function preconditionError(
  kind: ApiKind,
  { metadata }: StoredObject,
  what: "UID" | "ResourceVersion",
  expected: string,
): StatusError {
  const actual = what === "UID" ? metadata.uid : metadata.resourceVersion;
  if (kind.kind === "Namespace") {
    const why = `Precondition failed: ${what} in precondition: ${expected}, ${what} in object meta: ${actual}`;
    return StatusError.conflict(kind, metadata.name, why);
  }
  const end = what === "UID" ? "deleted and then recreated" : "modified";
  const why = `the ${what} in the precondition (${expected}) does not match the ${what} in record (${actual}). ` +
    `The object might have been ${end}`;
  const message = `Operation cannot be fulfilled on ${formatKindName(kind)} ${JSON.stringify(metadata.name)}: ${why}`;
  return new StatusError(409, "Conflict", message, createStatusDetails(kind, metadata.name, kind.kind));
}

/** Returns the finalizers that the propagation policy needs. The default is Orphan for Jobs, otherwise Background. */
function finalizersFor(live: StoredObject, options: DeleteOptions): string[] {
  const policy = options.propagation ?? (live.kind === "Job" ? "Orphan" : "Background");
  const own = (live.metadata.finalizers ?? []).filter((name) => name !== "foregroundDeletion" && name !== "orphan");
  if (policy === "Foreground") return [...own, "foregroundDeletion"];
  return policy === "Orphan" ? [...own, "orphan"] : own;
}

function gracePeriodOf(live: StoredObject, options: DeleteOptions): number {
  if (live.kind !== "Pod" || live.spec.nodeName === undefined) return 0;
  if (live.status?.phase === "Succeeded" || live.status?.phase === "Failed") return 0;
  return options.graceSeconds ?? live.spec.terminationGracePeriodSeconds ?? 30;
}

function terminateNamespace(world: Simulation, live: StoredObject, options: DeleteOptions): StoredObject {
  if (live.metadata.deletionTimestamp !== undefined) return live;
  const ending: StoredObject = {
    ...live,
    metadata: { ...live.metadata, deletionTimestamp: world.timers.stamp() },
    status: { ...live.status, phase: "Terminating" },
  };
  return options.dryRun ? ending : world.store.save(ending);
}
