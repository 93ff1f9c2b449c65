/** Creates and changes objects for requests and controllers. A dry run does everything except store the object. */
import { rejectPrivilegeEscalation, type SimulatedUser } from "#lib/dev/simulator/access/rbac.ts";
import { enforceAdmissionPolicies } from "#lib/dev/simulator/access/policies.ts";
import {
  applyAdmissionDefaults,
  enforceNamespacePolicies,
  requireActiveNamespace,
} from "#lib/dev/simulator/admission/admission.ts";
import { applyKindDefaults } from "#lib/dev/simulator/admission/defaults.ts";
import { rejectImmutableChanges } from "#lib/dev/simulator/admission/immutable.ts";
import {
  type FieldManager,
  isManagedFieldsEntryFor,
  trackFieldUpdate,
} from "#lib/dev/simulator/admission/managed-fields.ts";
import {
  createStatusDetails,
  OBJECT_MODIFIED_MESSAGE,
  StatusError,
} from "#lib/dev/simulator/admission/status-error.ts";
import { validateNewFinalizers } from "#lib/dev/simulator/admission/rules/data.ts";
import { validateObject } from "#lib/dev/simulator/admission/validate.ts";
import {
  type ApiKind,
  createRandomSuffix,
  formatResourceName,
  isSameJson,
  type Json,
  type ManagedFields,
  type StoredObject,
} from "#lib/dev/simulator/store/object.ts";
import type { Simulation } from "#lib/dev/simulator/simulation.ts";

export interface WriteOptions {
  /** The user who sent the request. Undefined for a controller, whose permissions are not checked. */
  readonly user?: SimulatedUser;
  readonly manager: string;
  readonly dryRun?: boolean;
  readonly subresource?: "status" | "scale";
  readonly warn?: (text: string) => void;
  /** The object's new managedFields, set for server-side apply only. Other writes compute them from the change. */
  readonly managed?: ManagedFields[] | undefined;
  readonly applied?: true;
}

export function createObject(
  world: Simulation,
  kind: ApiKind,
  namespace: string | undefined,
  body: Json,
  options: WriteOptions,
): StoredObject {
  const requestMetadata = body.metadata ?? {};
  const name = requestMetadata.name ||
    (requestMetadata.generateName ? requestMetadata.generateName.slice(0, 58) + createRandomSuffix() : "");
  if (namespace !== undefined && requestMetadata.namespace !== undefined && requestMetadata.namespace !== namespace) {
    throw StatusError.badRequest(
      "the namespace of the provided object does not match the namespace sent on the request",
    );
  }
  if (namespace !== undefined) requireActiveNamespace(world, kind, namespace, name);
  if (requestMetadata.resourceVersion && !options.applied) {
    throw new StatusError(500, undefined, "resourceVersion should not be set on objects to be created");
  }
  const at = world.timers.stamp();
  const { status, ...rest } = body;
  const { managedFields: _, deletionTimestamp: __, deletionGracePeriodSeconds: ___, ...meta } = requestMetadata;
  const created: StoredObject = {
    ...rest,
    ...(status !== undefined && !kind.status ? { status } : {}),
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    metadata: {
      ...meta,
      name,
      ...(namespace === undefined ? {} : { namespace }),
      uid: crypto.randomUUID(),
      resourceVersion: "",
      ...(kind.generation ? { generation: 1 } : {}),
      creationTimestamp: at,
    },
  };
  const full = withTemplateLabels(
    applyKindDefaults(applyAdmissionDefaults(world, applyKindDefaults(created, null)), null),
  );
  validateObject(kind, full);
  if (options.user) enforcePolicies(world, options.user, full, null);
  enforceNamespacePolicies(world, full, null, options.warn ?? (() => {}));
  const existing = world.store.get(kind.kind, namespace, name);
  if (existing) throw existsError(kind, existing);
  const writer: FieldManager = { manager: options.manager, operation: "Update", subresource: undefined };
  const { status: _status, ...owned } = withTemplateLabels(applyKindDefaults(created, null));
  const tracked = trackFieldUpdate(null, owned as StoredObject, world.schema.of(kind.kind), writer, at);
  const object = withManagedFields(full, options.applied ? options.managed : tracked);
  return options.dryRun ? object : world.store.save(object);
}

export function replaceObject(world: Simulation, live: StoredObject, next: Json, options: WriteOptions): StoredObject {
  const kind = world.kinds.of(live)!;
  const version = next.metadata?.resourceVersion;
  if (version && !/^\d+$/.test(version)) {
    throw new StatusError(500, undefined, `strconv.ParseUint: parsing ${JSON.stringify(version)}: invalid syntax`);
  }
  if (next.metadata?.uid && next.metadata.uid !== live.metadata.uid) {
    const { namespace, name, uid } = live.metadata;
    const key = ["/registry", kind.plural, ...(namespace === undefined ? [] : [namespace]), name].join("/");
    const why = `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ` +
      `Precondition failed: UID in precondition: ${next.metadata.uid}, UID in object meta: ${uid}`;
    throw StatusError.conflict(kind, live.metadata.name, why);
  }
  if (version && version !== live.metadata.resourceVersion) {
    throw StatusError.conflict(kind, live.metadata.name, OBJECT_MODIFIED_MESSAGE);
  }
  const at = world.timers.stamp();
  const filled = applyKindDefaults(mergeWrite(kind, live, next, options.subresource), live);
  const changed = kind.generation && !isSameJson(specOf(filled), specOf(live));
  const generation = (live.metadata.generation ?? 1) + (changed ? 1 : 0);
  const full = kind.generation ? { ...filled, metadata: { ...filled.metadata, generation } } : filled;
  validateObject(kind, full);
  const gained = validateNewFinalizers(live, next);
  if (gained.length > 0) throw StatusError.invalid(kind, live.metadata.name, gained);
  rejectImmutableChanges(kind, live, full);
  const writer: FieldManager = { manager: options.manager, operation: "Update", subresource: options.subresource };
  const tracked = options.applied
    ? options.managed
    : trackFieldUpdate(live, full, world.schema.of(kind.kind), writer, at);
  const omitsReplicas = options.subresource === "scale" && full.spec.replicas === 0; // a Scale omits zero replicas
  const object = withManagedFields(
    full,
    omitsReplicas ? tracked?.filter((entry) => !isManagedFieldsEntryFor(entry, writer)) : tracked,
  );
  if (options.user && options.subresource === undefined) enforcePolicies(world, options.user, object, live);
  if (options.subresource !== "status") enforceNamespacePolicies(world, object, live, options.warn ?? (() => {}));
  const finished = object.metadata.deletionTimestamp !== undefined && !object.metadata.finalizers?.length &&
    live.metadata.finalizers !== undefined;
  if (options.dryRun || (isSameJson(object, live) && !finished)) return object;
  return finished ? { ...world.store.remove(object), metadata: object.metadata } : world.store.save(object);
}

/**
 * Changes an object for a controller, if the object still exists. `change` returns the new object, or null to leave the
 * object unchanged. The write counts as a status update if the kind has a status. An object without changes is
 * not stored.
 */
export function changeObject(
  world: Simulation,
  object: StoredObject,
  manager: string,
  change: (live: StoredObject) => Json | null,
): StoredObject | undefined {
  const kind = world.kinds.of(object)!;
  const live = world.store.get(object.kind, object.metadata.namespace, object.metadata.name);
  if (!live || live.metadata.uid !== object.metadata.uid) return undefined;
  const next = change(live);
  if (next === null || next === live || isSameJson(next, live)) return live;
  const writer: FieldManager = { manager, operation: "Update", subresource: kind.status ? "status" : undefined };
  const managed = trackFieldUpdate(live, next, world.schema.of(kind.kind), writer, world.timers.stamp());
  const written = withManagedFields(next, managed);
  const finished = written.metadata.deletionTimestamp !== undefined && !written.metadata.finalizers?.length &&
    (live.metadata.finalizers?.length ?? 0) > 0;
  return finished ? world.store.remove(written) : world.store.save(written);
}

/** Throws if the object would grant more permissions than the user has, or if an admission policy denies the object. */
function enforcePolicies(
  world: Simulation,
  user: SimulatedUser,
  object: StoredObject,
  live: StoredObject | null,
): void {
  if (!live || !isSameJson(object, live)) rejectPrivilegeEscalation(world, user, object);
  enforceAdmissionPolicies(world, { user, operation: live ? "UPDATE" : "CREATE", object, oldObject: live });
}

function existsError(kind: ApiKind, { metadata: { name, deletionTimestamp } }: StoredObject): StatusError {
  const prefix = deletionTimestamp === undefined ? "" : "object is being deleted: ";
  const message = `${prefix}${formatResourceName(kind)} "${name}" already exists`;
  return new StatusError(409, "AlreadyExists", message, createStatusDetails(kind, name));
}

/** Merges a write into the stored object. Only writes to the `status` subresource change the status. */
function mergeWrite(kind: ApiKind, live: StoredObject, next: Json, subresource: string | undefined): StoredObject {
  if (subresource === "status") {
    return { ...live, ...(next.status === undefined ? {} : { status: next.status }) };
  }
  const { status: _, ...rest } = next;
  const old = live.metadata;
  return {
    ...rest,
    ...(kind.status
      ? (live.status === undefined ? {} : { status: live.status })
      : next.status
      ? { status: next.status }
      : {}),
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    metadata: {
      ...next.metadata,
      name: old.name,
      ...(old.namespace === undefined ? {} : { namespace: old.namespace }),
      ...(old.generateName === undefined ? {} : { generateName: old.generateName }),
      uid: old.uid,
      resourceVersion: old.resourceVersion,
      creationTimestamp: old.creationTimestamp,
      ...(old.deletionTimestamp === undefined ? {} : {
        deletionTimestamp: old.deletionTimestamp,
        deletionGracePeriodSeconds: old.deletionGracePeriodSeconds,
        finalizers: (next.metadata?.finalizers ?? []).filter((each: string) => old.finalizers?.includes(each)),
      }),
    },
  };
}

function withManagedFields(object: StoredObject, managedFields: ManagedFields[] | undefined): StoredObject {
  const { managedFields: _, ...metadata } = object.metadata;
  for (const name of ["labels", "annotations", "finalizers", "ownerReferences"] as const) {
    const value = metadata[name];
    if (value && Object.keys(value).length === 0) delete metadata[name];
  }
  return { ...object, metadata: managedFields ? { ...metadata, managedFields } : metadata };
}

/** Copies the pod template's labels to a Job that has no labels. */
function withTemplateLabels(object: StoredObject): StoredObject {
  if (object.kind !== "Job" || Object.keys(object.metadata.labels ?? {}).length > 0) return object;
  return { ...object, metadata: { ...object.metadata, labels: object.spec.template.metadata.labels } };
}

function specOf(object: StoredObject): Json {
  const { metadata: _, status: __, ...rest } = object;
  return rest;
}
