/**
 * Validates objects before they are written. It first checks names, labels and the most common mistakes of each kind.
 * If these are right, it checks the rules that involve several values. schema/values.ts checks single values.
 */
import {
  all,
  type Cause,
  invalid,
  invalidAs,
  required,
  unsupported,
  wrongValue,
} from "#lib/dev/simulator/admission/status-error.ts";
import { badConfigMap, badMetadata, badSecret } from "#lib/dev/simulator/admission/rules/data.ts";
import { badContainer, badPlace, badVolumes } from "#lib/dev/simulator/admission/rules/pods.ts";
import { selects } from "#lib/dev/simulator/admission/selectors.ts";
import type { ApiKind } from "#lib/dev/simulator/store/kinds.ts";
import { isRecord, type Json, type StoredObject } from "#lib/dev/simulator/store/object.ts";
import { QUANTITY_RULE, readQuantity } from "#lib/dev/simulator/admission/quantity.ts";
import { badLabelKey, isLabelValue, KEY_RULE, VALUE_RULE } from "#lib/dev/simulator/admission/rules/names.ts";
import { badIngress, badNetworkPolicy, badService } from "#lib/dev/simulator/admission/rules/network.ts";
import { badClaim, badLimits, badQuota } from "#lib/dev/simulator/admission/rules/quotas.ts";
import { badCronJob, badDeployment, badJob, badStatefulSet } from "#lib/dev/simulator/admission/rules/workloads.ts";
import { badValues, LABEL, LABEL_RULE, SUBDOMAIN, SUBDOMAIN_RULE } from "#lib/dev/simulator/admission/schema/values.ts";

const LABELLED = new Set(["Namespace", "Service", "StatefulSet"]);
/**
 * The maximum length of a name, by kind. A Job's name becomes its pods' host name and label. A CronJob's Jobs add 11
 * characters.
 */
const LONGEST: Readonly<Record<string, number>> = { Namespace: 63, Service: 63, StatefulSet: 63, Job: 63, CronJob: 52 };
const RESTARTS = ["Always", "OnFailure", "Never"];

export function validate(kind: ApiKind, object: StoredObject): void {
  refuse(kind, object, all(badMeta(object), RULES[kind.kind]?.(object), badValues(kind.kind, object)));
  refuse(kind, object, all(badMetadata(object), !kind.custom && FURTHER[kind.kind]?.(object)));
}

function refuse(kind: ApiKind, object: StoredObject, causes: readonly Cause[]): void {
  if (causes.length > 0) throw invalid(kind, object.metadata.name, causes);
}

function badMeta({ kind, metadata: { name, labels = {}, annotations = {} } }: StoredObject): Cause[] {
  const most = LONGEST[kind] ?? 253, field = "metadata.name";
  const [form, rule] = LABELLED.has(kind) ? [LABEL, LABEL_RULE] : [SUBDOMAIN, SUBDOMAIN_RULE];
  return all(
    name === ""
      ? required(field, "name or generateName is required")
      : name.length > most
      ? wrongValue(field, name, `must be no more than ${most} characters`)
      : !form.test(name) && wrongValue(field, name, rule),
    badLabels("metadata.labels", labels),
    Object.keys(annotations).flatMap((key) => badKey("metadata.annotations", key)),
  );
}

function badLabels(field: string, labels: Record<string, string>): Cause[] {
  return Object.entries(labels).flatMap(([key, value]) =>
    all(
      badKey(field, key),
      value.length > 63 && wrongValue(field, value, "must be no more than 63 characters"),
      !isLabelValue(value) && wrongValue(field, value, VALUE_RULE),
    )
  );
}

function badKey(field: string, key: string): Cause[] {
  return all(badLabelKey(key).length > 0 && wrongValue(field, key, KEY_RULE));
}

const SECURITY = "pod-security.kubernetes.io/";
const LEVELS = ["privileged", "baseline", "restricted"];

const RULES: Record<string, (object: StoredObject) => Cause[]> = {
  Namespace: ({ metadata: { labels = {} } }) =>
    ["enforce", "audit", "warn"].flatMap((mode) => {
      const key = SECURITY + mode, level = labels[key], version = labels[`${key}-version`];
      return all(
        level !== undefined && !LEVELS.includes(level) &&
          wrongValue(`metadata.labels[${key}]`, level, `must be one of ${LEVELS.join(", ")}`),
        version !== undefined && !/^(latest|v1\.(0|[1-9]\d*))$/.test(version) &&
          wrongValue(`metadata.labels[${key}-version]`, version, 'must be "latest" or "v1.x"'),
      );
    }),
  Service: ({ spec }) => {
    const ports: Json[] = spec.ports ?? [], headless = spec.clusterIP === "None" || spec.type === "ExternalName";
    const unnamed = ports.length > 1 ? ports.flatMap((port, i) => port.name ? [] : [i]) : [];
    return all(
      ports.length === 0 && !headless && required("spec.ports"),
      unnamed.map((i) => required(`spec.ports[${i}].name`)),
    );
  },
  PersistentVolumeClaim: ({ spec: { accessModes = [], resources } }) =>
    all(
      accessModes.length === 0 && required("spec.accessModes", "at least 1 access mode is required"),
      resources?.requests?.storage === undefined && required("spec.resources[storage]"),
      badQuantities("spec.resources.requests", resources?.requests),
    ),
  ResourceQuota: (object) => badQuantities("spec.hard", object.spec.hard),
  Pod: (object) => badPod("spec", object.spec),
  Deployment: badWorkload,
  ReplicaSet: badWorkload,
  StatefulSet: badWorkload,
  Job: ({ spec }) => badTemplate("spec.template", spec.template, ["OnFailure", "Never"]),
  CronJob: ({ spec: { schedule, jobTemplate } }) =>
    all(
      badSchedule(schedule ?? ""),
      badTemplate("spec.jobTemplate.spec.template", jobTemplate?.spec?.template, ["OnFailure", "Never"]),
    ),
  Ingress: ({ spec }) => {
    const rules: Json[] = spec?.rules ?? [], field = "spec.rules";
    const none = rules.length === 0 && !spec?.defaultBackend;
    return all(
      none && wrongValue("spec", [], "either `defaultBackend` or `rules` must be specified"),
      rules.flatMap(({ host, http }, i) =>
        all(
          host !== undefined && !SUBDOMAIN.test(host.replace(/^\*\./, "")) &&
            wrongValue(`${field}[${i}].host`, host, SUBDOMAIN_RULE),
          (http?.paths ?? []).flatMap(({ pathType }: Json, j: number) =>
            all(!pathType && required(`${field}[${i}].http.paths[${j}].pathType`, "pathType must be specified"))
          ),
        )
      ),
    );
  },
  VolumeSnapshot: (object) => {
    const { source, volumeSnapshotClassName } = object.spec ?? {}, field = "spec.source";
    if (volumeSnapshotClassName === "") {
      const why = "volumeSnapshotClassName must not be the empty string when set";
      return [wrongValue("spec.volumeSnapshotClassName", "", why)];
    }
    const one = "exactly one of volumeSnapshotContentName and persistentVolumeClaimName must be set";
    if (isRecord(source)) return all(Object.keys(source).length !== 1 && invalidAs(field, one));
    const unchecked = "some validation rules were not checked because the object was invalid; correct the existing " +
      "errors to complete validation";
    return [required(field), invalidAs("<nil>", `"null": ${unchecked}`)];
  },
};

const FURTHER: Readonly<Record<string, (object: Json) => Cause[]>> = {
  ConfigMap: badConfigMap,
  CronJob: badCronJob,
  Deployment: badDeployment,
  Ingress: badIngress,
  Job: badJob,
  LimitRange: badLimits,
  NetworkPolicy: badNetworkPolicy,
  PersistentVolumeClaim: ({ spec }) => badClaim("spec", spec),
  Pod: ({ spec: { restartPolicy: policy = "Always" } }) =>
    all(!RESTARTS.includes(policy) && unsupported("spec.restartPolicy", policy, RESTARTS)),
  ResourceQuota: badQuota,
  Secret: badSecret,
  Service: badService,
  StatefulSet: badStatefulSet,
};

/** Returns the causes for an invalid workload. Each claim template of a StatefulSet counts as a volume of its pods. */
function badWorkload({ spec: { selector, template, volumeClaimTemplates: claims = [] } }: StoredObject): Cause[] {
  if (!selector) return [required("spec.selector")];
  const labels = template?.metadata?.labels ?? {}, field = "spec.template";
  const volumes = [...template?.spec?.volumes ?? [], ...claims.map(({ metadata }: Json) => ({ name: metadata?.name }))];
  return all(
    !selects(selector, labels) &&
      wrongValue(`${field}.metadata.labels`, labels, "`selector` does not match template `labels`"),
    badTemplate(field, { ...template, spec: { ...template?.spec, volumes } }, ["Always"]),
  );
}

function badTemplate(field: string, template: Json, policies: readonly string[]): Cause[] {
  return all(
    badLabels(`${field}.labels`, template?.metadata?.labels ?? {}),
    badPod(`${field}.spec`, template?.spec ?? {}),
    badRestart(`${field}.spec.restartPolicy`, template?.spec?.restartPolicy ?? "", policies),
  );
}

function badPod(field: string, spec: Json): Cause[] {
  const { volumes = [], containers = [], initContainers = [] } = spec;
  const names = new Set<string>(volumes.map(({ name }: Json) => name)), seen = new Set<string>();
  const bad = (which: string, list: Json[]) =>
    list.flatMap((container, i) => badContainer(`${field}.${which}[${i}]`, container, names, seen));
  return all(
    badVolumes(`${field}.volumes`, volumes),
    containers.length === 0 && required(`${field}.containers`),
    bad("containers", containers),
    bad("initContainers", initContainers),
    badPlace(field, spec),
  );
}

/**
 * Returns the causes for an invalid restart policy. A Job must set a policy, because it does not allow the default
 * `Always`.
 */
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

function badQuantities(field: string, quantities: Record<string, string> | undefined): Cause[] {
  return Object.entries(quantities ?? {}).filter(([, text]) => readQuantity(text) === null)
    .map(([name, text]) => wrongValue(`${field}[${name}]`, text, QUANTITY_RULE));
}
