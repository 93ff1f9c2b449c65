/** Checks ResourceQuotas, LimitRanges and PVCs. */
import { amount } from "#lib/dev/simulator/admission/quantity.ts";
import {
  all,
  type Cause,
  duplicate,
  forbiddenField,
  repeated,
  wrong,
  wrongValue,
} from "#lib/dev/simulator/admission/status-error.ts";
import type { Json } from "#lib/dev/simulator/store/object.ts";

const SCOPES = "Terminating NotTerminating BestEffort NotBestEffort PriorityClass CrossNamespacePodAffinity".split(" ");
const APART = [["Terminating", "NotTerminating"], ["BestEffort", "NotBestEffort"]];
const COMPUTE = ["cpu", "memory", "ephemeral-storage"];
const OBJECTS = ("configmaps persistentvolumeclaims pods replicationcontrollers resourcequotas secrets services " +
  "services.loadbalancers services.nodeports").split(" ");
const STANDARD = new Set([
  ...COMPUTE,
  ...OBJECTS,
  ...COMPUTE.flatMap((name) => [`requests.${name}`, `limits.${name}`]),
  "requests.storage",
]);

export function badQuota({ spec }: Json): Cause[] {
  const hard: Record<string, string> = spec?.hard ?? {};
  return all(
    Object.entries(hard).flatMap(([name, value]) => badBound(`spec.hard[${name}]`, name, value)),
    badScopes(spec?.scopes ?? [], Object.keys(hard)),
  );
}

function badBound(field: string, name: string, value: string): Cause[] {
  if (!STANDARD.has(name) && !name.includes("/")) {
    const whys = ["must be a standard resource type or fully qualified", "must be a standard resource for quota"];
    return wrong(field, name, whys);
  }
  if (amount(value) < 0) return [wrongValue(field, value, "must be greater than or equal to 0")];
  const whole = OBJECTS.includes(name) || name.startsWith("count/");
  return all(whole && amount(value) % 1000 !== 0 && wrongValue(field, value, "must be an integer"));
}

function badScopes(scopes: readonly string[], bounded: readonly string[]): Cause[] {
  const field = "spec.scopes";
  if (!scopes.every((scope) => SCOPES.includes(scope))) return [wrongValue(field, scopes, "unsupported scope")];
  const apart = APART.some((pair) => pair.every((scope) => scopes.includes(scope)));
  const own = (name: string) =>
    scopes.includes("BestEffort") ? name === "pods" : !/storage$|^(?!pods$)[a-z]+s(\.|$)/.test(name);
  return all(
    apart && wrongValue(field, scopes, "conflicting scopes"),
    scopes.length > 0 && !bounded.every(own) &&
      wrongValue(field, scopes, "unsupported scope applied to resource"),
  );
}

export function badLimits({ spec }: Json): Cause[] {
  const limits: Json[] = spec?.limits ?? [];
  return all(
    repeated(limits, ({ type }) => type).map(({ item, at }) => duplicate(`spec.limits[${at}].type`, item.type)),
    limits.flatMap((item, i) => badLimit(`spec.limits[${i}]`, item)),
  );
}

/**
 * Each entry lists a limit, the limit that it may not exceed, the field that the error names, and the field whose value
 * the error shows.
 */
const ORDERED = [
  ["min", "max", "min", "min"],
  ["min", "defaultRequest", "defaultRequest", "defaultRequest"],
  ["defaultRequest", "max", "defaultRequest", "defaultRequest"],
  ["defaultRequest", "default", "defaultRequest", "defaultRequest"],
  ["min", "default", "default", "min"],
  ["default", "max", "default", "max"],
] as const;

/** The name of each limit in messages. */
const CALLED = { min: "min", max: "max", default: "default", defaultRequest: "default request" };

function badLimit(field: string, item: Json): Cause[] {
  if (item.type === "Pod") {
    return ["default", "defaultRequest"].filter((name) => item[name])
      .map((name) => forbiddenField(`${field}.${name}`, "may not be specified when `type` is 'Pod'"));
  }
  const names = new Set(["min", "max", "default", "defaultRequest"].flatMap((which) => Object.keys(item[which] ?? {})));
  return [...names].flatMap((name) =>
    ORDERED.flatMap(([less, more, told, shown]) => {
      const [least, most]: (string | undefined)[] = [item[less]?.[name], item[more]?.[name]];
      if (least === undefined || most === undefined || amount(least) <= amount(most)) return [];
      const larger = less === "defaultRequest" && more === "default" ? "default limit" : CALLED[more];
      const why = `${CALLED[less]} value ${least} is greater than ${larger} value ${most}`;
      return [wrongValue(`${field}.${told}[${name}]`, item[shown][name], why)];
    })
  );
}

export function badClaim(field: string, spec: Json): Cause[] {
  const asked = spec?.resources?.requests?.storage, modes: string[] = spec?.accessModes ?? [];
  return all(
    modes.includes("ReadWriteOncePod") && modes.length > 1 &&
      forbiddenField(`${field}.accessModes`, "may not use ReadWriteOncePod with other access modes"),
    asked !== undefined && amount(asked) <= 0 &&
      wrongValue(`${field}.resources[storage]`, asked, "must be greater than zero"),
  );
}
