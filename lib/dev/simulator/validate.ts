/** What an object must be to be written: names, labels, and per kind what a manifest most easily gets wrong. */
import { type Kind } from "#lib/dev/simulator/kinds.ts";
import { isRecord, type Json, type KubeObject } from "#lib/dev/simulator/object.ts";
import { badContainers } from "#lib/dev/simulator/pod-validate.ts";
import { QUANTITY_RULE, readQuantity } from "#lib/dev/simulator/quantity.ts";
import { type Cause, invalid, required, unsupported, wrongValue } from "#lib/dev/simulator/refusal.ts";
import { badValues, LABEL, LABEL_RULE, SUBDOMAIN, SUBDOMAIN_RULE } from "#lib/dev/simulator/schema/values.ts";
import { selects } from "#lib/dev/simulator/selectors.ts";

const VALUE_RULE =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and " +
  "must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for " +
  "validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const KEY_RULE = "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an " +
  "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is " +
  "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const LABELLED = new Set(["Namespace", "Service", "StatefulSet"]);
const IN_LABELS = new Set(["Job"]); // their name becomes a pod's host name or label
const RESTARTS = ["Always", "OnFailure", "Never"];
const CRON_NAME = 52; // its Jobs' names add 11 characters

export function validate(kind: Kind, object: KubeObject): void {
  const causes = [...badMeta(kind, object), ...(RULES[kind.kind]?.(object) ?? []), ...badValues(kind.kind, object)];
  if (causes.length > 0) throw invalid(kind, object.metadata.name, causes);
}

export function badMeta(kind: Kind, object: KubeObject): Cause[] {
  const { name, labels = {}, annotations = {} } = object.metadata;
  const causes: Cause[] = [];
  const limit = LABELLED.has(kind.kind) || IN_LABELS.has(kind.kind) ? 63 : kind.kind === "CronJob" ? CRON_NAME : 253;
  const plain = LABELLED.has(kind.kind);
  if (name === "") causes.push(required("metadata.name", "name or generateName is required"));
  else if (name.length > limit) {
    causes.push(wrongValue("metadata.name", name, `must be no more than ${limit} characters`));
  } else if (!(plain ? LABEL : SUBDOMAIN).test(name)) {
    causes.push(wrongValue("metadata.name", name, plain ? LABEL_RULE : SUBDOMAIN_RULE));
  }
  causes.push(...badLabels("metadata.labels", labels));
  for (const key of Object.keys(annotations)) {
    if (badKey(key)) causes.push(wrongValue("metadata.annotations", key, KEY_RULE));
  }
  return causes;
}

export function badLabels(field: string, labels: Record<string, string>): Cause[] {
  return Object.entries(labels).flatMap(([key, value]) => [
    ...(badKey(key) ? [wrongValue(field, key, KEY_RULE)] : []),
    ...(value.length > 63 ? [wrongValue(field, value, "must be no more than 63 characters")] : []),
    ...(/^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/.test(value) ? [] : [wrongValue(field, value, VALUE_RULE)]),
  ]);
}

const SECURITY = "pod-security.kubernetes.io/";
const LEVELS = ["privileged", "baseline", "restricted"];

const RULES: Record<string, (object: KubeObject) => Cause[]> = {
  Namespace: ({ metadata }) =>
    ["enforce", "audit", "warn"].flatMap((mode) => {
      const labels = metadata.labels ?? {}, key = SECURITY + mode, field = (name: string) => `metadata.labels[${name}]`;
      const level = labels[key], version = labels[`${key}-version`];
      return [
        ...(level === undefined || LEVELS.includes(level)
          ? []
          : [wrongValue(field(key), level, `must be one of ${LEVELS.join(", ")}`)]),
        ...(version === undefined || /^(latest|v1\.(0|[1-9]\d*))$/.test(version)
          ? []
          : [wrongValue(field(`${key}-version`), version, 'must be "latest" or "v1.x"')]),
      ];
    }),
  Service: (object) => {
    const ports: Json[] = object.spec.ports ?? [];
    const unnamed = ports.length > 1
      ? ports.flatMap((port, i) => port.name ? [] : [required(`spec.ports[${i}].name`)])
      : [];
    const headless = object.spec.clusterIP === "None" || object.spec.type === "ExternalName";
    return [...(ports.length === 0 && !headless ? [required("spec.ports")] : []), ...unnamed];
  },
  PersistentVolumeClaim: (object) => {
    const asked = object.spec.resources?.requests?.storage;
    return [
      ...((object.spec.accessModes ?? []).length === 0
        ? [required("spec.accessModes", "at least 1 access mode is required")]
        : []),
      ...(asked === undefined ? [required("spec.resources[storage]")] : []),
      ...badQuantities("spec.resources.requests", object.spec.resources?.requests),
    ];
  },
  ResourceQuota: (object) => badQuantities("spec.hard", object.spec.hard),
  Pod: (object) => badContainers("spec", object.spec),
  Deployment: (object) => badWorkload(object, ["Always"]),
  ReplicaSet: (object) => badWorkload(object, ["Always"]),
  StatefulSet: (object) => badWorkload(object, ["Always"]),
  Job: (object) => badTemplate("spec.template", object.spec.template, ["OnFailure", "Never"]),
  CronJob: (object) => [
    ...badSchedule(object.spec.schedule ?? ""),
    ...badTemplate("spec.jobTemplate.spec.template", object.spec.jobTemplate?.spec?.template, ["OnFailure", "Never"]),
  ],
  Ingress: (object) => {
    const rules: Json[] = object.spec?.rules ?? [];
    const none = rules.length === 0 && !object.spec?.defaultBackend;
    return [
      ...(none ? [wrongValue("spec", [], "either `defaultBackend` or `rules` must be specified")] : []),
      ...rules.flatMap((rule, i) => [
        ...(rule.host === undefined || SUBDOMAIN.test(rule.host.replace(/^\*\./, ""))
          ? []
          : [wrongValue(`spec.rules[${i}].host`, rule.host, SUBDOMAIN_RULE)]),
        ...(rule.http?.paths ?? []).flatMap((path: Json, j: number) =>
          path.pathType ? [] : [required(`spec.rules[${i}].http.paths[${j}].pathType`, "pathType must be specified")]
        ),
      ]),
    ];
  },
  VolumeSnapshot: (object) => {
    const { source, volumeSnapshotClassName } = object.spec ?? {};
    if (volumeSnapshotClassName === "") {
      const why = "volumeSnapshotClassName must not be the empty string when set";
      return [wrongValue("spec.volumeSnapshotClassName", "", why)];
    }
    if (isRecord(source)) return Object.keys(source).length === 1 ? [] : [oneSource()];
    const unchecked = "some validation rules were not checked because the object was invalid; correct the existing " +
      "errors to complete validation";
    return [required("spec.source"), {
      reason: "FieldValueInvalid",
      message: `Invalid value: "null": ${unchecked}`,
      field: "<nil>",
    }];
  },
};

/** The rule of a CRD shows no value. */
function oneSource(): Cause {
  const why = "exactly one of volumeSnapshotContentName and persistentVolumeClaimName must be set";
  return { reason: "FieldValueInvalid", message: `Invalid value: ${why}`, field: "spec.source" };
}

function badWorkload(object: KubeObject, policies: readonly string[]): Cause[] {
  const { selector, template } = object.spec;
  if (!selector) return [required("spec.selector")];
  const labels = template?.metadata?.labels ?? {};
  const mismatch = selects(selector, labels)
    ? []
    : [wrongValue("spec.template.metadata.labels", labels, "`selector` does not match template `labels`")];
  return [
    ...mismatch,
    ...badTemplate("spec.template", withClaims(template, object.spec.volumeClaimTemplates), policies),
  ];
}

/** A StatefulSet's pods get a volume for each of its claim templates. */
function withClaims(template: Json, claims: Json[] = []): Json {
  const volumes = [...template?.spec?.volumes ?? [], ...claims.map((claim) => ({ name: claim.metadata?.name }))];
  return { ...template, spec: { ...template?.spec, volumes } };
}

function badTemplate(
  field: string,
  template: Json,
  policies: readonly string[],
  claims: readonly Json[] = [],
): Cause[] {
  const policy = template?.spec?.restartPolicy ?? "";
  return [
    ...badLabels(`${field}.labels`, template?.metadata?.labels ?? {}),
    ...badContainers(`${field}.spec`, template?.spec ?? {}, claims),
    ...badRestart(`${field}.spec.restartPolicy`, policy, policies),
  ];
}

/** A Job that says nothing would restart its pods always, and is asked to say something. */
function badRestart(field: string, policy: string, policies: readonly string[]): Cause[] {
  if (policies.includes(policy)) return [];
  const words = policies.map((each) => JSON.stringify(each)).join(", ");
  return policy === "Always" || policy === ""
    ? [required(field, `valid values: ${words}`)]
    : [unsupported(field, policy, RESTARTS), unsupported(field, policy, policies)];
}

function badSchedule(schedule: string): Cause[] {
  const fields = schedule.trim().split(/\s+/);
  if (fields.length === 5 || schedule.startsWith("@")) return [];
  const why = `expected exactly 5 fields, found ${fields.length}: [${fields.join(" ")}]`;
  return [wrongValue("spec.schedule", schedule, why)];
}

export function badQuantities(field: string, quantities: Record<string, string> | undefined): Cause[] {
  return Object.entries(quantities ?? {}).filter(([, text]) => readQuantity(text) === null)
    .map(([name, text]) => wrongValue(`${field}[${name}]`, text, QUANTITY_RULE));
}

function badKey(key: string): boolean {
  const [name, prefix, more] = key.split("/").reverse();
  return more !== undefined || name!.length > 63 || !/^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/.test(name!) ||
    (prefix !== undefined && !SUBDOMAIN.test(prefix));
}
