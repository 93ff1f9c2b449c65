/** Objects by kind and name, whatever their namespace: the verbs of the API, without any guard. */
import type { Api } from "#lib/drivers/cluster/wire/api.ts";
import {
  type Call,
  ClusterError,
  type KubeObject,
  type ObjectPage,
  type PageRequest,
  type PatchOperation,
  type Ref,
} from "#lib/drivers/cluster/cluster.ts";
import { type Kind, type Kinds, pathOf } from "#lib/drivers/cluster/wire/kinds.ts";
import { isObject, listOnePage, listPages } from "#lib/drivers/cluster/wire/pages.ts";
import { badAnswer, isUidMismatch } from "#lib/drivers/cluster/wire/status.ts";

interface Applied {
  readonly object: KubeObject;
  readonly warnings: readonly string[];
}

export interface Objects {
  get(ref: Ref, namespace: string | undefined, call: Call): Promise<KubeObject | null>;
  list(kind: Kind, namespace: string | undefined, selector: Selector, call: Call): Promise<KubeObject[]>;
  listPage(kind: Kind, page: PageRequest, call: Call): Promise<ObjectPage>;
  /** POST; null if there is one of that name. */
  create(object: KubeObject, namespace: string | undefined, call: Call): Promise<KubeObject | null>;
  apply(object: KubeObject, namespace: string | undefined, query: ApplyQuery, call: Call): Promise<Applied>;
  patch(
    ref: Ref,
    namespace: string | undefined,
    operations: readonly PatchOperation[],
    query: PatchQuery,
    call: Call,
  ): Promise<KubeObject>;
  /** Deletes the object with this uid; false if none exists (any more). */
  delete(ref: Ref, namespace: string | undefined, uid: string, call: Call): Promise<boolean>;
  /** Where the kind's objects are, for a watch. */
  collection(kind: Kind, namespace: string | undefined, call: Call): Promise<string>;
}

interface Selector {
  readonly labels?: string;
  readonly fields?: string;
}

export const MANAGER = "wheelwright";
export type ApplyQuery = Readonly<Record<string, string>>;
export const APPLY: ApplyQuery = { fieldManager: MANAGER, force: "true" };
export const DRY_RUN: ApplyQuery = { ...APPLY, dryRun: "All" };
type PatchQuery = Readonly<Record<string, string>>;
/** The maker of an object, told apart from those who patch it: lib/work/field-owner.ts says why. */
export const MAKER = "wheelwright-create";
export const FIELD_MANAGER: PatchQuery = { fieldManager: MANAGER };
export const DRY_PATCH: PatchQuery = { ...FIELD_MANAGER, dryRun: "All" };
/** Lists that are begun anew because the place to go on from has expired. */
const RESTARTS = 3;

export function openObjects(api: Api, kinds: Kinds): Objects {
  const path = async (kind: Kind, namespace: string | undefined, call: Call, name?: string): Promise<string> => {
    const resource = await kinds.resolve(kind, call);
    if (!resource.namespaced && namespace !== undefined) throw misplaced(kind, "belongs to no namespace");
    if (resource.namespaced && namespace === undefined && name !== undefined) {
      throw misplaced(kind, "belongs to a namespace");
    }
    return pathOf(kind.apiVersion, resource.plural, namespace, name);
  };

  return {
    get: async (ref, namespace, call) => {
      try {
        const at = await path(ref, namespace, call, ref.name);
        return objectOf((await api.call({ method: "GET", path: at, repeat: "safe" }, call)).body, "GET", at);
      } catch (error) {
        if (hasCode(error, "NotFound")) return null;
        throw error;
      }
    },
    list: async (kind, namespace, selector, call) => {
      const at = await path(kind, namespace, call);
      const query = queryOf(selector);
      for (let restarts = 0;; restarts++) {
        try {
          const { items } = await listPages(api, at, query, call);
          // Items of a list do not say what they are.
          return items.map((item) => ({ ...item, apiVersion: kind.apiVersion, kind: kind.kind }));
        } catch (error) {
          if (!(error instanceof ClusterError) || error.status !== 410 || restarts >= RESTARTS) throw error;
        }
      }
    },
    listPage: async (kind, { selector, limit, next }, call) => {
      const at = await path(kind, undefined, call);
      const query = { ...queryOf({ labels: selector }), limit: String(limit), ...(next ? { continue: next } : {}) };
      const page = await listOnePage(api, at, query, call);
      const items = page.items.map((item) => ({ ...item, apiVersion: kind.apiVersion, kind: kind.kind }));
      return { items, next: page.next || null };
    },
    create: async (object, namespace, call) => {
      const at = await path(object, namespace, call);
      try {
        // Repeating is safe: if an earlier try came through, the next one is told that the name is taken.
        const request = {
          method: "POST",
          path: at,
          name: object.metadata.name,
          query: { fieldManager: MAKER },
          body: object,
          repeat: "safe",
        } as const;
        return objectOf((await api.call(request, call)).body, "POST", at);
      } catch (error) {
        if (hasCode(error, "AlreadyExists")) return null;
        throw error;
      }
    },
    apply: async (object, namespace, query, call) => {
      const at = await path(object, namespace, call, object.metadata.name);
      const type = "application/apply-patch+yaml"; // JSON is YAML
      const { body, warnings } = await api.call(
        { method: "PATCH", path: at, query, body: object, type, repeat: "safe" },
        call,
      );
      return { object: objectOf(body, "PATCH", at), warnings };
    },
    patch: async (ref, namespace, operations, query, call) => {
      const at = await path(ref, namespace, call, ref.name);
      const type = "application/json-patch+json";
      const request = {
        method: "PATCH",
        path: at,
        query,
        body: operations,
        type,
        repeat: "unsent",
      } as const;
      return objectOf((await api.call(request, call)).body, "PATCH", at);
    },
    delete: async (ref, namespace, uid, call) => {
      const at = await path(ref, namespace, call, ref.name);
      const body = {
        apiVersion: "v1",
        kind: "DeleteOptions",
        preconditions: { uid },
        propagationPolicy: "Background",
      };
      try {
        await api.call({ method: "DELETE", path: at, body, repeat: "safe" }, call);
        return true;
      } catch (error) {
        if (hasCode(error, "NotFound")) return false;
        if (error instanceof ClusterError && error.status === 409 && isUidMismatch(error.message)) return false;
        throw error;
      }
    },
    collection: (kind, namespace, call) => path(kind, namespace, call),
  };
}

export function queryOf(selector: Selector): Record<string, string> {
  return {
    ...(selector.labels ? { labelSelector: selector.labels } : {}),
    ...(selector.fields ? { fieldSelector: selector.fields } : {}),
  };
}

function hasCode(error: unknown, code: string): error is ClusterError {
  return error instanceof ClusterError && error.code === code;
}

function objectOf(body: unknown, method: string, path: string): KubeObject {
  if (isObject(body)) return body;
  throw badAnswer(`${method} ${path} was answered with something that is no object of the cluster`, 200);
}

function misplaced(kind: Kind, how: string): ClusterError {
  return new ClusterError("BadRequest", `${kind.kind} ${how}`, { transient: false, blame: "operator" });
}
