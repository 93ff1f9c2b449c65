/** Applies JSON Patch (RFC 6902) and JSON Merge Patch (RFC 7386), also to the `scale` subresource. */
import { StatusError } from "#lib/dev/simulator/admission/status-error.ts";
import { isRecord, isSameJson, type Json, type StoredObject } from "#lib/dev/simulator/store/object.ts";
import type { Simulation } from "#lib/dev/simulator/simulation.ts";
import { replaceObject, type WriteOptions } from "#lib/dev/simulator/admission/writes.ts";

/** Returns the value after all operations. Throws 422 if an operation is invalid or a `test` operation fails. */
export function applyJsonPatch(value: Json, operations: readonly Json[]): Json {
  return operations.reduce((at: Json, operation) => applyOperation(at, operation), value);
}

/** Returns the value with the patch merged into it. A field that is null in the patch is removed. */
export function applyMergePatch(value: Json, patch: Json): Json {
  if (!isRecord(patch)) return patch;
  const merged: Record<string, Json> = isRecord(value) ? { ...value } : {};
  for (const [name, inner] of Object.entries(patch)) {
    if (inner === null) delete merged[name];
    else merged[name] = applyMergePatch(merged[name], inner);
  }
  return merged;
}

function applyOperation(root: Json, operation: Json): Json {
  const path = steps(operation?.path);
  switch (operation?.op) {
    case "add":
      return change(root, path, operation.value, "add");
    case "replace":
      return change(root, path, operation.value, "replace"); // a real API server also adds a missing field
    case "remove":
      return find(root, path) === undefined ? root : change(root, path, undefined, "remove"); // as on a real server
    case "test":
      if (!isSameJson(find(root, path), operation.value)) throw patchError();
      return root;
    case "move": {
      const from = steps(operation.from), value = read(root, from);
      return change(change(root, from, undefined, "remove"), path, value, "add");
    }
    case "copy":
      return change(root, path, read(root, steps(operation.from)), "add");
    default:
      throw patchError();
  }
}

function change(at: Json, path: readonly string[], value: Json, how: "add" | "replace" | "remove"): Json {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  if (Array.isArray(at)) {
    const index = step === "-" ? at.length : Number(step);
    if (!/^(-|0|[1-9][0-9]*)$/.test(step) || index > at.length || (rest.length > 0 && index === at.length)) {
      throw patchError();
    }
    if (rest.length > 0) return at.with(index, change(at[index], rest, value, how));
    if (how !== "add" && index === at.length) throw patchError();
    if (how === "remove") return at.toSpliced(index, 1);
    return how === "add" ? at.toSpliced(index, 0, value) : at.with(index, value);
  }
  if (!isRecord(at)) throw patchError();
  if (rest.length > 0) {
    if (!(step in at)) throw patchError();
    return { ...at, [step]: change(at[step], rest, value, how) };
  }
  if (how !== "remove") return { ...at, [step]: value };
  const { [step]: _, ...others } = at;
  return others;
}

function find(at: Json, path: readonly string[]): Json {
  return path.reduce((inner, step) => Array.isArray(inner) || isRecord(inner) ? (inner as Json)[step] : undefined, at);
}

function read(at: Json, path: readonly string[]): Json {
  const found = find(at, path);
  if (found === undefined) throw patchError();
  return found;
}

function steps(pointer: unknown): string[] {
  if (typeof pointer !== "string" || (pointer !== "" && !pointer.startsWith("/"))) throw patchError();
  return pointer.split("/").slice(1).map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** Returns the error for an invalid patch. Like the API server's error, it gives no details. */
function patchError(): StatusError {
  return new StatusError(422, "Invalid", "the server rejected our request due to an error in our request", {});
}

export function readScale(object: StoredObject): Json {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const labels = Object.entries(object.spec.selector?.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`);
  const replicas = object.spec.replicas;
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: replicas ? { replicas } : {},
    status: { replicas: object.status?.replicas ?? 0, selector: labels.join(",") },
  };
}

export function patchScale(world: Simulation, live: StoredObject, scale: Json, options: WriteOptions): Json {
  const spec = { ...live.spec, replicas: scale.spec?.replicas ?? 0 };
  const metadata = {
    ...live.metadata,
    resourceVersion: scale.metadata?.resourceVersion ?? live.metadata.resourceVersion,
  };
  return readScale(replaceObject(world, live, { ...live, metadata, spec }, { ...options, subresource: "scale" }));
}
