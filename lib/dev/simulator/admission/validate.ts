/** Validates objects before they are written: first names and labels, then rules that involve several fields. */
import { cause, collectCauses, type StatusCause, StatusError } from "#lib/dev/simulator/admission/status-error.ts";
import {
  isLabelValue,
  LABEL_KEY_MESSAGE,
  LABEL_VALUE_MESSAGE,
  validateConfigMap,
  validateLabelKey,
  validateMetadata,
  validateSecret,
} from "#lib/dev/simulator/admission/rules/data.ts";
import { validateContainer, validatePodScheduling, validateVolumes } from "#lib/dev/simulator/admission/rules/pods.ts";
import { matchesSelector } from "#lib/dev/simulator/admission/selectors.ts";
import { type ApiKind, isRecord, type Json, type StoredObject } from "#lib/dev/simulator/store/object.ts";
import { parseMilliQuantity, QUANTITY_FORMAT_MESSAGE } from "#lib/dev/simulator/admission/quota.ts";
import { validateIngress, validateNetworkPolicy, validateService } from "#lib/dev/simulator/admission/rules/network.ts";
import { validateLimitRange, validatePvc, validateResourceQuota } from "#lib/dev/simulator/admission/rules/quotas.ts";
import {
  validateCronJob,
  validateDeployment,
  validateJob,
  validateStatefulSet,
} from "#lib/dev/simulator/admission/rules/workloads.ts";
import {
  DNS_LABEL_MESSAGE,
  DNS_LABEL_PATTERN,
  DNS_SUBDOMAIN_MESSAGE,
  DNS_SUBDOMAIN_PATTERN,
  validateFieldValues,
} from "#lib/dev/simulator/admission/schema/values.ts";

const LABELLED = new Set(["Namespace", "Service", "StatefulSet"]);
/** The maximum name length for each kind. It is shorter for a CronJob, whose Jobs' names have 11 more characters. */
const MAX_NAME_LENGTHS: Readonly<Record<string, number>> = {
  Namespace: 63,
  Service: 63,
  StatefulSet: 63,
  Job: 63,
  CronJob: 52,
};
const RESTART_POLICIES = ["Always", "OnFailure", "Never"];

export function validateObject(kind: ApiKind, object: StoredObject): void {
  requireNoCauses(
    kind,
    object,
    collectCauses(validateMeta(object), RULES[kind.kind]?.(object), validateFieldValues(kind.kind, object)),
  );
  requireNoCauses(
    kind,
    object,
    collectCauses(validateMetadata(object), !kind.custom && FURTHER_RULES[kind.kind]?.(object)),
  );
}

function requireNoCauses(kind: ApiKind, object: StoredObject, causes: readonly StatusCause[]): void {
  if (causes.length > 0) throw StatusError.invalid(kind, object.metadata.name, causes);
}

function validateMeta({ kind, metadata: { name, labels = {}, annotations = {} } }: StoredObject): StatusCause[] {
  const most = MAX_NAME_LENGTHS[kind] ?? 253, field = "metadata.name";
  const [form, rule] = LABELLED.has(kind)
    ? [DNS_LABEL_PATTERN, DNS_LABEL_MESSAGE]
    : [DNS_SUBDOMAIN_PATTERN, DNS_SUBDOMAIN_MESSAGE];
  return collectCauses(
    name === ""
      ? cause.required(field, "name or generateName is required")
      : name.length > most
      ? cause.invalid(field, name, `must be no more than ${most} characters`)
      : !form.test(name) && cause.invalid(field, name, rule),
    validateLabels("metadata.labels", labels),
    Object.keys(annotations).flatMap((key) => validateKey("metadata.annotations", key)),
  );
}

function validateLabels(field: string, labels: Record<string, string>): StatusCause[] {
  return Object.entries(labels).flatMap(([key, value]) =>
    collectCauses(
      validateKey(field, key),
      value.length > 63 && cause.invalid(field, value, "must be no more than 63 characters"),
      !isLabelValue(value) && cause.invalid(field, value, LABEL_VALUE_MESSAGE),
    )
  );
}

function validateKey(field: string, key: string): StatusCause[] {
  return collectCauses(validateLabelKey(key).length > 0 && cause.invalid(field, key, LABEL_KEY_MESSAGE));
}

const SECURITY = "pod-security.kubernetes.io/";
const LEVELS = ["privileged", "baseline", "restricted"];

const RULES: Record<string, (object: StoredObject) => StatusCause[]> = {
  Namespace: ({ metadata: { labels = {} } }) =>
    ["enforce", "audit", "warn"].flatMap((mode) => {
      const key = SECURITY + mode, level = labels[key], version = labels[`${key}-version`];
      return collectCauses(
        level !== undefined && !LEVELS.includes(level) &&
          cause.invalid(`metadata.labels[${key}]`, level, `must be one of ${LEVELS.join(", ")}`),
        version !== undefined && !/^(latest|v1\.(0|[1-9]\d*))$/.test(version) &&
          cause.invalid(`metadata.labels[${key}-version]`, version, 'must be "latest" or "v1.x"'),
      );
    }),
  Service: ({ spec }) => {
    const ports: Json[] = spec.ports ?? [], headless = spec.clusterIP === "None" || spec.type === "ExternalName";
    const unnamed = ports.length > 1 ? ports.flatMap((port, i) => port.name ? [] : [i]) : [];
    return collectCauses(
      ports.length === 0 && !headless && cause.required("spec.ports"),
      unnamed.map((i) => cause.required(`spec.ports[${i}].name`)),
    );
  },
  PersistentVolumeClaim: ({ spec: { accessModes = [], resources } }) =>
    collectCauses(
      accessModes.length === 0 && cause.required("spec.accessModes", "at least 1 access mode is required"),
      resources?.requests?.storage === undefined && cause.required("spec.resources[storage]"),
      validateQuantities("spec.resources.requests", resources?.requests),
    ),
  ResourceQuota: (object) => validateQuantities("spec.hard", object.spec.hard),
  Pod: (object) => validatePod("spec", object.spec),
  Deployment: validateWorkload,
  ReplicaSet: validateWorkload,
  StatefulSet: validateWorkload,
  Job: ({ spec }) => validatePodTemplate("spec.template", spec.template, ["OnFailure", "Never"]),
  CronJob: ({ spec: { schedule, jobTemplate } }) =>
    collectCauses(
      validateScheduleFields(schedule ?? ""),
      validatePodTemplate("spec.jobTemplate.spec.template", jobTemplate?.spec?.template, ["OnFailure", "Never"]),
    ),
  Ingress: ({ spec }) => {
    const rules: Json[] = spec?.rules ?? [], field = "spec.rules";
    const none = rules.length === 0 && !spec?.defaultBackend;
    return collectCauses(
      none && cause.invalid("spec", [], "either `defaultBackend` or `rules` must be specified"),
      rules.flatMap(({ host, http }, i) =>
        collectCauses(
          host !== undefined && !DNS_SUBDOMAIN_PATTERN.test(host.replace(/^\*\./, "")) &&
            cause.invalid(`${field}[${i}].host`, host, DNS_SUBDOMAIN_MESSAGE),
          (http?.paths ?? []).flatMap(({ pathType }: Json, j: number) =>
            collectCauses(
              !pathType && cause.required(`${field}[${i}].http.paths[${j}].pathType`, "pathType must be specified"),
            )
          ),
        )
      ),
    );
  },
  VolumeSnapshot: (object) => {
    const { source, volumeSnapshotClassName } = object.spec ?? {}, field = "spec.source";
    if (volumeSnapshotClassName === "") {
      const why = "volumeSnapshotClassName must not be the empty string when set";
      return [cause.invalid("spec.volumeSnapshotClassName", "", why)];
    }
    const one = "exactly one of volumeSnapshotContentName and persistentVolumeClaimName must be set";
    if (isRecord(source)) return collectCauses(Object.keys(source).length !== 1 && cause.invalidFormatted(field, one));
    const unchecked = "some validation rules were not checked because the object was invalid; correct the existing " +
      "errors to complete validation";
    return [cause.required(field), cause.invalidFormatted("<nil>", `"null": ${unchecked}`)];
  },
};

const FURTHER_RULES: Readonly<Record<string, (object: Json) => StatusCause[]>> = {
  ConfigMap: validateConfigMap,
  CronJob: validateCronJob,
  Deployment: validateDeployment,
  Ingress: validateIngress,
  Job: validateJob,
  LimitRange: validateLimitRange,
  NetworkPolicy: validateNetworkPolicy,
  PersistentVolumeClaim: ({ spec }) => validatePvc("spec", spec),
  Pod: ({ spec: { restartPolicy: policy = "Always" } }) =>
    collectCauses(
      !RESTART_POLICIES.includes(policy) && cause.unsupported("spec.restartPolicy", policy, RESTART_POLICIES),
    ),
  ResourceQuota: validateResourceQuota,
  Secret: validateSecret,
  Service: validateService,
  StatefulSet: validateStatefulSet,
};

/** Returns the errors in a workload. The pods of a StatefulSet can also use its PVC templates as volumes. */
function validateWorkload(
  { spec: { selector, template, volumeClaimTemplates: claims = [] } }: StoredObject,
): StatusCause[] {
  if (!selector) return [cause.required("spec.selector")];
  const labels = template?.metadata?.labels ?? {}, field = "spec.template";
  const volumes = [...template?.spec?.volumes ?? [], ...claims.map(({ metadata }: Json) => ({ name: metadata?.name }))];
  return collectCauses(
    !matchesSelector(selector, labels) &&
      cause.invalid(`${field}.metadata.labels`, labels, "`selector` does not match template `labels`"),
    validatePodTemplate(field, { ...template, spec: { ...template?.spec, volumes } }, ["Always"]),
  );
}

function validatePodTemplate(field: string, template: Json, policies: readonly string[]): StatusCause[] {
  return collectCauses(
    validateLabels(`${field}.labels`, template?.metadata?.labels ?? {}),
    validatePod(`${field}.spec`, template?.spec ?? {}),
    validateRestartPolicy(`${field}.spec.restartPolicy`, template?.spec?.restartPolicy ?? "", policies),
  );
}

function validatePod(field: string, spec: Json): StatusCause[] {
  const { volumes = [], containers = [], initContainers = [] } = spec;
  const names = new Set<string>(volumes.map(({ name }: Json) => name)), seen = new Set<string>();
  const bad = (which: string, list: Json[]) =>
    list.flatMap((container, i) => validateContainer(`${field}.${which}[${i}]`, container, names, seen));
  return collectCauses(
    validateVolumes(`${field}.volumes`, volumes),
    containers.length === 0 && cause.required(`${field}.containers`),
    bad("containers", containers),
    bad("initContainers", initContainers),
    validatePodScheduling(field, spec),
  );
}

/** Returns the errors in a restart policy. Jobs must set one, because they do not allow the default policy `Always`. */
function validateRestartPolicy(field: string, policy: string, policies: readonly string[]): StatusCause[] {
  if (policies.includes(policy)) return [];
  const words = policies.map((each) => JSON.stringify(each)).join(", ");
  return policy === "Always" || policy === ""
    ? [cause.required(field, `valid values: ${words}`)]
    : [cause.unsupported(field, policy, RESTART_POLICIES), cause.unsupported(field, policy, policies)];
}

function validateScheduleFields(schedule: string): StatusCause[] {
  const fields = schedule.trim().split(/\s+/);
  if (fields.length === 5 || schedule.startsWith("@")) return [];
  const why = `expected exactly 5 fields, found ${fields.length}: [${fields.join(" ")}]`;
  return [cause.invalid("spec.schedule", schedule, why)];
}

function validateQuantities(field: string, quantities: Record<string, string> | undefined): StatusCause[] {
  return Object.entries(quantities ?? {}).filter(([, text]) => parseMilliQuantity(text) === null)
    .map(([name, text]) => cause.invalid(`${field}[${name}]`, text, QUANTITY_FORMAT_MESSAGE));
}
