/** What bounds a namespace and what takes room in it: quotas, limits, claims. */
import type { Json } from "#lib/dev/simulator/object.ts";
import { amount } from "#lib/dev/simulator/quantity.ts";
import { type Cause, forbiddenField, wrongValue } from "#lib/dev/simulator/refusal.ts";
import { duplicate, repeated } from "#lib/dev/simulator/rules/causes.ts";

const SCOPES = [
  "Terminating",
  "NotTerminating",
  "BestEffort",
  "NotBestEffort",
  "PriorityClass",
  "CrossNamespacePodAffinity",
];
const APART = [["Terminating", "NotTerminating"], ["BestEffort", "NotBestEffort"]];
const COMPUTE = ["cpu", "memory", "ephemeral-storage"];
const OBJECTS = [
  "configmaps",
  "persistentvolumeclaims",
  "pods",
  "replicationcontrollers",
  "resourcequotas",
  "secrets",
  "services",
  "services.loadbalancers",
  "services.nodeports",
];
const STANDARD = new Set([
  ...COMPUTE,
  ...OBJECTS,
  ...COMPUTE.flatMap((name) => [`requests.${name}`, `limits.${name}`]),
  "requests.storage",
]);

export function badQuota({ spec }: Json): Cause[] {
  const hard: Record<string, string> = spec?.hard ?? {}, scopes: string[] = spec?.scopes ?? [];
  return [
    ...Object.entries(hard).flatMap(([name, value]) => badBound(`spec.hard[${name}]`, name, value)),
    ...badScopes(scopes, Object.keys(hard)),
  ];
}

function badBound(field: string, name: string, value: string): Cause[] {
  if (!STANDARD.has(name) && !name.includes("/")) {
    return [
      wrongValue(field, name, "must be a standard resource type or fully qualified"),
      wrongValue(field, name, "must be a standard resource for quota"),
    ];
  }
  if (amount(value) < 0) return [wrongValue(field, value, "must be greater than or equal to 0")];
  const whole = OBJECTS.includes(name) || name.startsWith("count/");
  return whole && amount(value) % 1000 !== 0 ? [wrongValue(field, value, "must be an integer")] : [];
}

function badScopes(scopes: readonly string[], bounded: readonly string[]): Cause[] {
  const field = "spec.scopes";
  if (!scopes.every((scope) => SCOPES.includes(scope))) return [wrongValue(field, scopes, "unsupported scope")];
  const apart = APART.some((pair) => pair.every((scope) => scopes.includes(scope)));
  const own = (name: string) =>
    scopes.includes("BestEffort") ? name === "pods" : !/storage$|^(?!pods$)[a-z]+s(\.|$)/.test(name);
  return [
    ...(apart ? [wrongValue(field, scopes, "conflicting scopes")] : []),
    ...(scopes.length > 0 && !bounded.every(own)
      ? [wrongValue(field, scopes, "unsupported scope applied to resource")]
      : []),
  ];
}

export function badLimits({ spec }: Json): Cause[] {
  const limits: Json[] = spec?.limits ?? [];
  return [
    ...repeated(limits, ({ type }) => type).map(({ item, at }) => duplicate(`spec.limits[${at}].type`, item.type)),
    ...limits.flatMap((item, i) => badLimit(`spec.limits[${i}]`, item)),
  ];
}

function badLimit(field: string, item: Json): Cause[] {
  if (item.type === "Pod") {
    return ["default", "defaultRequest"].filter((name) => item[name])
      .map((name) => forbiddenField(`${field}.${name}`, "may not be specified when `type` is 'Pod'"));
  }
  const names = new Set(["min", "max", "default", "defaultRequest"].flatMap((which) => Object.keys(item[which] ?? {})));
  return [...names].flatMap((name) => {
    const read = (which: string): string | undefined => item[which]?.[name];
    const [least, most, usual, asked] = [read("min"), read("max"), read("default"), read("defaultRequest")];
    const over = (a: string | undefined, b: string | undefined): boolean =>
      a !== undefined && b !== undefined && amount(a) > amount(b);
    const at = (which: string) => `${field}.${which}[${name}]`;
    return [
      ...(over(least, most)
        ? [wrongValue(at("min"), least, `min value ${least} is greater than max value ${most}`)]
        : []),
      ...(over(least, asked)
        ? [wrongValue(at("defaultRequest"), asked, `min value ${least} is greater than default request value ${asked}`)]
        : []),
      ...(over(asked, most)
        ? [wrongValue(at("defaultRequest"), asked, `default request value ${asked} is greater than max value ${most}`)]
        : []),
      ...(over(asked, usual)
        ? [
          wrongValue(
            at("defaultRequest"),
            asked,
            `default request value ${asked} is greater than default limit value ${usual}`,
          ),
        ]
        : []),
      ...(over(least, usual)
        ? [wrongValue(at("default"), least, `min value ${least} is greater than default value ${usual}`)]
        : []),
      ...(over(usual, most)
        ? [wrongValue(at("default"), most, `default value ${usual} is greater than max value ${most}`)]
        : []),
    ];
  });
}

export function badClaim(field: string, spec: Json): Cause[] {
  const asked = spec?.resources?.requests?.storage, modes: string[] = spec?.accessModes ?? [];
  return [
    ...(modes.includes("ReadWriteOncePod") && modes.length > 1
      ? [forbiddenField(`${field}.accessModes`, "may not use ReadWriteOncePod with other access modes")]
      : []),
    ...(asked !== undefined && amount(asked) <= 0
      ? [wrongValue(`${field}.resources[storage]`, asked, "must be greater than zero")]
      : []),
  ];
}
