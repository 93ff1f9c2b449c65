/** Parses quantities such as `250m`, and enforces a namespace's ResourceQuotas and LimitRanges. */
import { parseQuantity } from "#lib/drivers/cluster/diagnosis/quantity.ts";
import {
  type ApiKindRegistry,
  formatResourceName,
  type Json,
  type StoredObject,
} from "#lib/dev/simulator/store/object.ts";

/** Resource amounts in thousandths, keyed by resource name, for example `requests.cpu`. */
export type ResourceUsage = Record<string, number>;

const COUNTED = new Set(["pods", "services", "secrets", "configmaps", "persistentvolumeclaims", "resourcequotas"]);

/** Returns how much quota an object uses. A finished pod counts only toward `count/pods`. */
export function computeQuotaCost(kinds: ApiKindRegistry, object: StoredObject): ResourceUsage {
  const kind = kinds.of(object)!;
  const cost: ResourceUsage = { [`count/${formatResourceName(kind)}`]: 1000 };
  if (kind.kind === "Pod") {
    if (object.status?.phase === "Succeeded" || object.status?.phase === "Failed") return cost;
    return { ...cost, pods: 1000, ...podCost(object.spec) };
  }
  if (kind.group === "" && COUNTED.has(kind.plural)) cost[kind.plural] = 1000;
  if (kind.kind === "PersistentVolumeClaim") {
    const requestedStorage = parseMilliQuantityOrZero(object.spec?.resources?.requests?.storage);
    cost["requests.storage"] = Math.max(
      requestedStorage,
      parseMilliQuantityOrZero(object.status?.allocatedResources?.storage),
    );
    const storageClass = object.spec?.storageClassName;
    if (storageClass) {
      cost[`${storageClass}.storageclass.storage.k8s.io/requests.storage`] = cost["requests.storage"];
      cost[`${storageClass}.storageclass.storage.k8s.io/persistentvolumeclaims`] = 1000;
    }
  }
  if (kind.kind === "Service") {
    const ports = (object.spec?.ports ?? []).length * 1000;
    if (object.spec?.type === "LoadBalancer") {
      Object.assign(cost, { "services.loadbalancers": 1000, "services.nodeports": ports });
    }
    if (object.spec?.type === "NodePort") cost["services.nodeports"] = ports;
  }
  return cost;
}

/** Returns how much of each resource limited in `hard` is used by the objects in the namespace. */
export function sumQuotaUsage(kinds: ApiKindRegistry, hard: Json, contents: Iterable<StoredObject>): ResourceUsage {
  const used: ResourceUsage = Object.fromEntries(Object.keys(hard).map((name) => [name, 0]));
  for (const object of contents) {
    const cost = computeQuotaCost(kinds, object);
    for (const name of Object.keys(used)) used[name]! += cost[name] ?? 0;
  }
  return used;
}

export function formatQuotaUsage(cost: ResourceUsage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(cost).map(([name, value]) => [name, formatMilliQuantity(value, isByteResource(name))]),
  );
}

/**
 * Returns the reason why the quota rejects a write; null if the write fits. `used` is the namespace's current usage.
 * `cost` is the object's usage after the write, and `freed` is its usage before the write. Until the quota controller
 * has computed the quota's status, the quota rejects every object that counts toward it.
 */
export function findQuotaViolation(
  quota: StoredObject,
  used: ResourceUsage,
  cost: ResourceUsage,
  freed: ResourceUsage,
  spec: Json,
): string | null {
  const name = quota.metadata.name, hard = quota.spec?.hard ?? {};
  const bounded = Object.keys(hard).filter((each) => (cost[each] ?? 0) > (freed[each] ?? 0)).sort();
  const missing = spec ? listUnspecified(hard, spec) : [];
  if (missing.length > 0) return `failed quota: ${name}: must specify ${missing.join("; ")}`;
  if (bounded.length === 0) return null;
  if (bounded.some((each) => quota.status?.used?.[each] === undefined)) {
    return `status unknown for quota: ${name}, resources: ${bounded.join(",")}`;
  }
  // Uses the limit in the quota's status, which the quota controller updates shortly after a change to the spec.
  const limit = (each: string): string => quota.status?.hard?.[each] ?? hard[each];
  const over = bounded.filter((each) =>
    used[each]! + cost[each]! - (freed[each] ?? 0) > parseMilliQuantityOrZero(limit(each))
  );
  if (over.length === 0) return null;
  const list = (value: (each: string) => string) => over.map((each) => `${each}=${value(each)}`).join(",");
  const requested = list((each) => formatMilliQuantity(cost[each]! - (freed[each] ?? 0), isByteResource(each)));
  return `exceeded quota: ${name}, requested: ${requested}, used: ${
    list((each) => formatMilliQuantity(used[each]!, isByteResource(each)))
  }, ` +
    `limited: ${list(limit)}`;
}

/** Returns a message for each required limit or request that is missing, with the containers that lack it. */
function listUnspecified(hard: Json, spec: Json): string[] {
  const containers: Json[] = [...spec.initContainers ?? [], ...spec.containers ?? []];
  return Object.keys(hard).sort().flatMap((each) => {
    const [which, name] = each.split(".");
    if ((which !== "limits" && which !== "requests") || (name !== "cpu" && name !== "memory")) return [];
    const silent = containers.filter((container) => !container.resources?.[which]?.[name]).map((container) =>
      container.name
    );
    return silent.length > 0 ? [`${each} for: ${silent.join(",")}`] : [];
  });
}

/** Returns a pod's resource usage: the total of its containers or, if larger, that of its largest init container. */
function podCost(spec: Json): ResourceUsage {
  const cost: ResourceUsage = {};
  for (const which of ["requests", "limits"]) {
    for (const name of ["cpu", "memory", "ephemeral-storage"]) {
      const of = (container: Json) => parseMilliQuantityOrZero(container.resources?.[which]?.[name]);
      const sum = (spec.containers ?? []).reduce((total: number, container: Json) => total + of(container), 0);
      const total = Math.max(sum, ...(spec.initContainers ?? []).map(of));
      if (total > 0) cost[`${which}.${name}`] = total;
    }
  }
  if (cost["requests.cpu"]) cost.cpu = cost["requests.cpu"];
  if (cost["requests.memory"]) cost.memory = cost["requests.memory"];
  return cost;
}

/** Returns the pod spec with the default requests and limits from the namespace's LimitRanges. */
export function applyLimitRanges(spec: Json, ranges: readonly Json[]): Json {
  const items = itemsOf(ranges, "Container");
  if (items.length === 0) return spec;
  const fill = (container: Json): Json => {
    const { limits = {}, requests = {}, ...rest } = container.resources ?? {};
    const filled = items.reduce((at, item) => ({
      limits: { ...item.default, ...at.limits },
      requests: { ...item.defaultRequest, ...at.requests },
    }), { limits, requests: { ...limits, ...requests } });
    return { ...container, resources: { ...rest, ...filled } };
  };
  return {
    ...spec,
    containers: spec.containers.map(fill),
    ...(spec.initContainers ? { initContainers: spec.initContainers.map(fill) } : {}),
  };
}

/** Returns an error for each container limit or request that violates a LimitRange. */
export function findPodLimitViolations(spec: Json, ranges: readonly Json[]): string[] {
  const containers = [...spec.initContainers ?? [], ...spec.containers ?? []];
  return itemsOf(ranges, "Container").flatMap((item) =>
    containers.flatMap(({ resources = {} }: Json) => [
      ...Object.entries<string>(item.max ?? {}).flatMap(([name, most]) => {
        const limit = resources.limits?.[name];
        if (limit === undefined) return [`maximum ${name} usage per Container is ${most}.  No limit is specified`];
        return parseMilliQuantityOrZero(limit) > parseMilliQuantityOrZero(most)
          ? [`maximum ${name} usage per Container is ${most}, but limit is ${limit}`]
          : [];
      }),
      ...Object.entries<string>(item.min ?? {}).flatMap(([name, least]) => {
        const request = resources.requests?.[name];
        if (request === undefined) return [`minimum ${name} usage per Container is ${least}.  No request is specified`];
        return parseMilliQuantityOrZero(request) < parseMilliQuantityOrZero(least)
          ? [`minimum ${name} usage per Container is ${least}, but request is ${request}`]
          : [];
      }),
    ])
  );
}

/** Returns an error for each LimitRange that the PVC's storage request violates. */
export function findPvcLimitViolations(spec: Json, ranges: readonly Json[]): string[] {
  const requestedStorage: string | undefined = spec.resources?.requests?.storage;
  return itemsOf(ranges, "PersistentVolumeClaim").flatMap((item) => [
    ...(item.max?.storage && parseMilliQuantityOrZero(requestedStorage) > parseMilliQuantityOrZero(item.max.storage)
      ? [`maximum storage usage per PersistentVolumeClaim is ${item.max.storage}, but request is ${requestedStorage}`]
      : []),
    ...(item.min?.storage && parseMilliQuantityOrZero(requestedStorage) < parseMilliQuantityOrZero(item.min.storage)
      ? [`minimum storage usage per PersistentVolumeClaim is ${item.min.storage}, but request is ${requestedStorage}`]
      : []),
  ]);
}

function itemsOf(ranges: readonly Json[], type: string): Json[] {
  return ranges.flatMap((range) => range.spec?.limits ?? []).filter((item: Json) => item.type === type);
}

export const QUANTITY_FORMAT_MESSAGE =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

/** Parses a quantity. Returns it in thousandths, so that sums are exact, or null if the text is invalid. */
export function parseMilliQuantity(text: string): number | null {
  const thousandths = Math.round(parseQuantity(text) * 1000);
  return Number.isNaN(thousandths) ? null : thousandths;
}

/** Converts a valid quantity to thousandths. Returns 0 if the text is undefined. */
export function parseMilliQuantityOrZero(text: string | undefined): number {
  return text === undefined ? 0 : parseMilliQuantity(text) ?? 0;
}

/** Formats a quantity without rounding. If `binary` is set, uses a suffix such as `Mi` to shorten it, if possible. */
export function formatMilliQuantity(thousandths: number, binary: boolean): string {
  if (thousandths % 1000 !== 0) return `${thousandths}m`;
  const wholeUnits = thousandths / 1000;
  if (binary && wholeUnits !== 0) {
    for (const [suffix, size] of [["Ti", 1024 ** 4], ["Gi", 1024 ** 3], ["Mi", 1024 ** 2], ["Ki", 1024]] as const) {
      if (wholeUnits % size === 0) return `${wholeUnits / size}${suffix}`;
    }
  }
  return String(wholeUnits);
}

export function isByteResource(resource: string): boolean {
  return /memory|storage/.test(resource);
}
