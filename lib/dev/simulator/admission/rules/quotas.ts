/** Checks ResourceQuotas, LimitRanges and PVCs, for example their limits and scopes. */
import { parseMilliQuantityOrZero } from "#lib/dev/simulator/admission/quota.ts";
import { cause, collectCauses, type StatusCause } from "#lib/dev/simulator/admission/status-error.ts";
import type { Json } from "#lib/dev/simulator/store/object.ts";

const SCOPES = "Terminating NotTerminating BestEffort NotBestEffort PriorityClass CrossNamespacePodAffinity".split(" ");
const CONFLICTING_SCOPES = [["Terminating", "NotTerminating"], ["BestEffort", "NotBestEffort"]];
const COMPUTE = ["cpu", "memory", "ephemeral-storage"];
const OBJECTS = ("configmaps persistentvolumeclaims pods replicationcontrollers resourcequotas secrets services " +
  "services.loadbalancers services.nodeports").split(" ");
const STANDARD = new Set([
  ...COMPUTE,
  ...OBJECTS,
  ...COMPUTE.flatMap((name) => [`requests.${name}`, `limits.${name}`]),
  "requests.storage",
]);

export function validateResourceQuota({ spec }: Json): StatusCause[] {
  const hard: Record<string, string> = spec?.hard ?? {};
  return collectCauses(
    Object.entries(hard).flatMap(([name, value]) => validateQuotaBound(`spec.hard[${name}]`, name, value)),
    validateScopes("spec.scopes", spec?.scopes ?? [], Object.keys(hard)),
  );
}

function validateScopes(field: string, scopes: readonly string[], resources: readonly string[]): StatusCause[] {
  if (scopes.length === 0) return [];
  if (!scopes.every((scope) => SCOPES.includes(scope))) return [cause.invalid(field, scopes, "unsupported scope")];
  const fits = (name: string) =>
    scopes.includes("BestEffort") ? name === "pods" : !/storage$|^(?!pods$)[a-z]+s(\.|$)/.test(name);
  return collectCauses(
    CONFLICTING_SCOPES.some((pair) => pair.every((scope) => scopes.includes(scope))) &&
      cause.invalid(field, scopes, "conflicting scopes"),
    !resources.every(fits) && cause.invalid(field, scopes, "unsupported scope applied to resource"),
  );
}

function validateQuotaBound(field: string, name: string, value: string): StatusCause[] {
  if (!STANDARD.has(name) && !name.includes("/")) {
    const whys = ["must be a standard resource type or fully qualified", "must be a standard resource for quota"];
    return cause.invalidAll(field, name, whys);
  }
  if (parseMilliQuantityOrZero(value) < 0) return [cause.invalid(field, value, "must be greater than or equal to 0")];
  const isCount = OBJECTS.includes(name) || name.startsWith("count/");
  return collectCauses(
    isCount && parseMilliQuantityOrZero(value) % 1000 !== 0 && cause.invalid(field, value, "must be an integer"),
  );
}

export function validateLimitRange({ spec }: Json): StatusCause[] {
  return (spec?.limits ?? []).flatMap((item: Json, i: number) => validateLimit(`spec.limits[${i}]`, item));
}

/** The limit in column 1 must not exceed the one in column 2. Errors name column 3 and quote the value of column 4. */
const ORDERED = [
  ["min", "max", "min", "min"],
  ["min", "defaultRequest", "defaultRequest", "defaultRequest"],
  ["defaultRequest", "max", "defaultRequest", "defaultRequest"],
  ["defaultRequest", "default", "defaultRequest", "defaultRequest"],
  ["min", "default", "default", "min"],
  ["default", "max", "default", "max"],
] as const;

const LIMIT_NAMES = { min: "min", max: "max", default: "default", defaultRequest: "default request" };

function validateLimit(field: string, item: Json): StatusCause[] {
  if (item.type === "Pod") {
    return ["default", "defaultRequest"].filter((name) => item[name])
      .map((name) => cause.forbidden(`${field}.${name}`, "may not be specified when `type` is 'Pod'"));
  }
  const names = new Set(["min", "max", "default", "defaultRequest"].flatMap((which) => Object.keys(item[which] ?? {})));
  return [...names].flatMap((name) =>
    ORDERED.flatMap(([less, more, reportedField, valueField]) => {
      const [least, most]: (string | undefined)[] = [item[less]?.[name], item[more]?.[name]];
      if (
        least === undefined || most === undefined || parseMilliQuantityOrZero(least) <= parseMilliQuantityOrZero(most)
      ) return [];
      const larger = less === "defaultRequest" && more === "default" ? "default limit" : LIMIT_NAMES[more];
      const why = `${LIMIT_NAMES[less]} value ${least} is greater than ${larger} value ${most}`;
      return [cause.invalid(`${field}.${reportedField}[${name}]`, item[valueField][name], why)];
    })
  );
}

export function validatePvc(field: string, spec: Json): StatusCause[] {
  const storage = spec?.resources?.requests?.storage, modes: string[] = spec?.accessModes ?? [];
  return collectCauses(
    modes.length === 0 && cause.required(`${field}.accessModes`, "at least 1 access mode is required"),
    modes.includes("ReadWriteOncePod") && modes.length > 1 &&
      cause.forbidden(`${field}.accessModes`, "may not use ReadWriteOncePod with other access modes"),
    storage === undefined ? cause.required(`${field}.resources[storage]`) : parseMilliQuantityOrZero(storage) <= 0 &&
      cause.invalid(`${field}.resources[storage]`, storage, "must be greater than zero"),
  );
}
