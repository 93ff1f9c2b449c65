/** LimitRanges: resources that containers get when they name none, and the most that one may name. */
import type { Json } from "#lib/dev/simulator/object.ts";
import { amount } from "#lib/dev/simulator/quantity.ts";

/** The pod's spec with the defaults of the namespace's LimitRanges. */
export function withLimits(spec: Json, ranges: readonly Json[]): Json {
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

/** Why the pod's containers are too large or too small; empty if they are not. */
export function podLimitBreaches(spec: Json, ranges: readonly Json[]): string[] {
  const containers = [...spec.initContainers ?? [], ...spec.containers ?? []];
  return itemsOf(ranges, "Container").flatMap((item) =>
    containers.flatMap(({ resources = {} }: Json) => [
      ...Object.entries<string>(item.max ?? {}).flatMap(([name, most]) => {
        const limit = resources.limits?.[name];
        if (limit === undefined) return [`maximum ${name} usage per Container is ${most}.  No limit is specified`];
        return amount(limit) > amount(most)
          ? [`maximum ${name} usage per Container is ${most}, but limit is ${limit}`]
          : [];
      }),
      ...Object.entries<string>(item.min ?? {}).flatMap(([name, least]) => {
        const request = resources.requests?.[name];
        if (request === undefined) return [`minimum ${name} usage per Container is ${least}.  No request is specified`];
        return amount(request) < amount(least)
          ? [`minimum ${name} usage per Container is ${least}, but request is ${request}`]
          : [];
      }),
    ])
  );
}

/** The same for a claim's storage. */
export function claimLimitBreaches(spec: Json, ranges: readonly Json[]): string[] {
  const asked: string | undefined = spec.resources?.requests?.storage;
  return itemsOf(ranges, "PersistentVolumeClaim").flatMap((item) => [
    ...(item.max?.storage && amount(asked) > amount(item.max.storage)
      ? [`maximum storage usage per PersistentVolumeClaim is ${item.max.storage}, but request is ${asked}`]
      : []),
    ...(item.min?.storage && amount(asked) < amount(item.min.storage)
      ? [`minimum storage usage per PersistentVolumeClaim is ${item.min.storage}, but request is ${asked}`]
      : []),
  ]);
}

function itemsOf(ranges: readonly Json[], type: string): Json[] {
  return ranges.flatMap((range) => range.spec?.limits ?? []).filter((item: Json) => item.type === type);
}
