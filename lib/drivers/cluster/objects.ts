/** Reads and writes objects by kind and name, without checking that their namespace belongs to Wheelwright. */
import type { ClusterRequest, KubeApi } from "#lib/drivers/cluster/client/api.ts";
import {
  type ClusterCall,
  ClusterError,
  type KubeObject,
  type ObjectPage,
  type ObjectPageRequest,
  type ObjectRef,
  type PatchOperation,
  toObjectRef,
} from "#lib/drivers/cluster/cluster.ts";
import { buildApiPath, type KindRegistry, type KubeKind } from "#lib/drivers/cluster/client/kinds.ts";
import { isKubeObject, listOnePage, listPages } from "#lib/drivers/cluster/client/pages.ts";
import { createUnexpectedResponseError, isUidMismatchMessage } from "#lib/drivers/cluster/client/status.ts";
import type { WatchQuery } from "#lib/drivers/cluster/client/watch.ts";

interface ApiObjectReply {
  readonly object: KubeObject;
  readonly warnings: readonly string[];
}

export type WriteMode = "write" | "dry run";

/**
 * A client that reads and writes the objects in one namespace. Without a namespace, the client reads and writes
 * cluster-scoped objects, and its lists cover all namespaces.
 */
export interface ObjectClient {
  get(ref: ObjectRef, call: ClusterCall): Promise<KubeObject | null>;
  /** Lists the objects of this kind that match the label selector. An empty selector matches all objects. */
  list(kind: KubeKind, selector: string, call: ClusterCall): Promise<KubeObject[]>;
  listPage(kind: KubeKind, page: ObjectPageRequest, call: ClusterCall): Promise<ObjectPage>;
  /** Creates the object. Returns null if an object with the same name already exists. */
  create(object: KubeObject, call: ClusterCall): Promise<KubeObject | null>;
  apply(object: KubeObject, mode: WriteMode, call: ClusterCall): Promise<ApiObjectReply>;
  patch(
    ref: ObjectRef,
    operations: readonly PatchOperation[],
    mode: WriteMode,
    call: ClusterCall,
  ): Promise<KubeObject>;
  /** Deletes the object if it has this UID. Returns false if no such object exists. */
  delete(ref: ObjectRef, uid: string, call: ClusterCall): Promise<boolean>;
  /** Lists the objects, and returns them with a query that watches for later changes. */
  listWatchable(kind: KubeKind, selector: string, call: ClusterCall): Promise<WatchableList>;
  /** Returns a query that watches this kind from the object's version on. Without `object`, the watch lists first. */
  watchSince(kind: KubeKind, object: KubeObject | null, call: ClusterCall): Promise<WatchQuery>;
}

interface WatchableList {
  readonly items: KubeObject[];
  readonly watch: WatchQuery;
}

export const FIELD_MANAGER = "wheelwright";
/** The field manager for create requests. Apply and patch use `wheelwright` (see lib/steps/field-owner.ts). */
export const CREATE_FIELD_MANAGER = "wheelwright-create";
/** The maximum number of times that a list is restarted because its continue token has expired. */
const MAX_LIST_RESTARTS = 3;

export function openObjectClient(api: KubeApi, kinds: KindRegistry, namespace?: string): ObjectClient {
  const path = async (kind: KubeKind, call: ClusterCall, name?: string): Promise<string> => {
    const resource = await kinds.resolve(kind, call);
    if (!resource.namespaced && namespace !== undefined) throw scopeError(kind, "is not a namespaced kind");
    if (resource.namespaced && namespace === undefined && name !== undefined) {
      throw scopeError(kind, "is a namespaced kind");
    }
    return buildApiPath(kind.apiVersion, resource.plural, namespace, name);
  };

  const send = async (request: ClusterRequest, call: ClusterCall): Promise<ApiObjectReply> => {
    const { body: object, warnings } = await api.call(request, call);
    if (isKubeObject(object)) return { object, warnings };
    const { method, path } = request;
    throw createUnexpectedResponseError(`${method} ${path} did not return a Kubernetes object`, 200);
  };

  const listWatchable: ObjectClient["listWatchable"] = async (kind, selector, call) => {
    const at = await path(kind, call), query = buildLabelSelectorQuery(selector);
    for (let restarts = 0;; restarts++) {
      try {
        const { items, version } = await listPages(api, at, query, call);
        return { items: withKind(kind, items), watch: { path: at, query, version: version || undefined } };
      } catch (error) {
        if (!(error instanceof ClusterError) || error.status !== 410 || restarts >= MAX_LIST_RESTARTS) throw error;
      }
    }
  };

  return {
    get: async (ref, call) => {
      try {
        return (await send({ method: "GET", path: await path(ref, call, ref.name), repeat: "safe" }, call)).object;
      } catch (error) {
        if (hasCode(error, "NotFound")) return null;
        throw error;
      }
    },
    listWatchable,
    list: async (kind, selector, call) => (await listWatchable(kind, selector, call)).items,
    listPage: async (kind, { selector, limit, next }, call) => {
      const query = { ...buildLabelSelectorQuery(selector), limit: String(limit), ...(next ? { continue: next } : {}) };
      const page = await listOnePage(api, await path(kind, call), query, call);
      return { items: withKind(kind, page.items), next: page.next || null, version: page.version };
    },
    create: async (object, call) => {
      const at = await path(object, call), query = { fieldManager: CREATE_FIELD_MANAGER }, { name } = object.metadata;
      try {
        // A retry is safe: if an earlier attempt created the object, the server responds with AlreadyExists.
        return (await send({ method: "POST", path: at, name, query, body: object, repeat: "safe" }, call)).object;
      } catch (error) {
        if (hasCode(error, "AlreadyExists")) return null;
        throw error;
      }
    },
    apply: async (object, mode, call) => {
      const at = await path(object, call, object.metadata.name), query = { ...writeQuery(mode), force: "true" };
      const type = "application/apply-patch+yaml"; // JSON is valid YAML
      return await send({ method: "PATCH", path: at, query, body: object, type, repeat: "safe" }, call);
    },
    patch: async (ref, operations, mode, call) => {
      const at = await path(ref, call, ref.name), query = writeQuery(mode), type = "application/json-patch+json";
      return (await send({ method: "PATCH", path: at, query, body: operations, type, repeat: "unsent" }, call)).object;
    },
    delete: async (ref, uid, call) => {
      const at = await path(ref, call, ref.name);
      const options = { preconditions: { uid }, propagationPolicy: "Background" };
      const body = { apiVersion: "v1", kind: "DeleteOptions", ...options };
      try {
        await api.call({ method: "DELETE", path: at, body, repeat: "safe" }, call);
        return true;
      } catch (error) {
        if (hasCode(error, "NotFound")) return false;
        if (error instanceof ClusterError && error.status === 409 && isUidMismatchMessage(error.message)) return false;
        throw error;
      }
    },
    watchSince: async (kind, object, call) => ({
      path: await path(kind, call),
      version: object?.metadata.resourceVersion,
    }),
  };
}

/** Creates the object, or returns the existing object with the same name unchanged. */
export async function createOrGetObject(
  objects: ObjectClient,
  object: KubeObject,
  call: ClusterCall,
): Promise<KubeObject> {
  const created = await objects.create(object, call);
  if (created) return created;
  const existing = await objects.get(toObjectRef(object), call);
  if (existing && !existing.metadata.deletionTimestamp) return existing;
  const message = `${object.kind} ${object.metadata.name} is being deleted`;
  throw new ClusterError("Conflict", message, { transient: true, status: 409 });
}

function writeQuery(mode: WriteMode): Record<string, string> {
  return { fieldManager: FIELD_MANAGER, ...(mode === "dry run" ? { dryRun: "All" } : {}) };
}

/** Adds `apiVersion` and `kind`, which the API server omits from the items in a list. */
function withKind({ apiVersion, kind }: KubeKind, items: readonly KubeObject[]): KubeObject[] {
  return items.map((item) => ({ ...item, apiVersion, kind }));
}

export function buildLabelSelectorQuery(selector: string): Record<string, string> {
  return selector === "" ? {} : { labelSelector: selector };
}

function hasCode(error: unknown, code: string): error is ClusterError {
  return error instanceof ClusterError && error.code === code;
}

function scopeError(kind: KubeKind, how: string): ClusterError {
  return new ClusterError("BadRequest", `${kind.kind} ${how}`, { transient: false, blame: "operator" });
}
