/** Validates objects before they are written: first names and labels, then rules that involve several fields. */
import { parseMilliQuantity, QUANTITY_FORMAT_MESSAGE } from "#lib/dev/simulator/admission/quota.ts";
import {
  DNS_LABEL_MESSAGE,
  DNS_LABEL_PATTERN,
  DNS_SUBDOMAIN_MESSAGE,
  DNS_SUBDOMAIN_PATTERN,
  validateConfigMap,
  validateMetadata,
  validateSecret,
} from "#lib/dev/simulator/admission/rules/data.ts";
import { validateIngress, validateNetworkPolicy, validateService } from "#lib/dev/simulator/admission/rules/network.ts";
import { validatePodTemplate, validateSinglePod } from "#lib/dev/simulator/admission/rules/pods.ts";
import { validateLimitRange, validatePvc, validateResourceQuota } from "#lib/dev/simulator/admission/rules/quotas.ts";
import {
  validateCronJob,
  validateDeployment,
  validateJob,
  validateStatefulSet,
} from "#lib/dev/simulator/admission/rules/workloads.ts";
import { validateFieldValues } from "#lib/dev/simulator/admission/schema/values.ts";
import { matchesSelector } from "#lib/dev/simulator/admission/selectors.ts";
import { cause, collectCauses, type StatusCause, StatusError } from "#lib/dev/simulator/admission/status-error.ts";
import { type ApiKind, isRecord, type Json, type StoredObject } from "#lib/dev/simulator/store/object.ts";

const LABELLED = new Set(["Namespace", "Service", "StatefulSet"]);
/** The maximum name length for each kind. It is shorter for a CronJob, whose Jobs' names have 11 more characters. */
const MAX_NAME_LENGTHS: Readonly<Record<string, number>> = {
  Namespace: 63,
  Service: 63,
  StatefulSet: 63,
  Job: 63,
  CronJob: 52,
};

export function validateObject(kind: ApiKind, object: StoredObject): void {
  const causes = collectCauses(
    validateName(object),
    validateMetadata(object),
    RULES[kind.kind]?.(object),
    validateFieldValues(kind.kind, object),
  );
  if (causes.length > 0) throw StatusError.invalid(kind, object.metadata.name, causes);
}

function validateName({ kind, metadata: { name } }: StoredObject): StatusCause[] {
  const most = MAX_NAME_LENGTHS[kind] ?? 253, field = "metadata.name";
  const [form, rule] = LABELLED.has(kind)
    ? [DNS_LABEL_PATTERN, DNS_LABEL_MESSAGE]
    : [DNS_SUBDOMAIN_PATTERN, DNS_SUBDOMAIN_MESSAGE];
  if (name === "") return [cause.required(field, "name or generateName is required")];
  if (name.length > most) return [cause.invalid(field, name, `must be no more than ${most} characters`)];
  return form.test(name) ? [] : [cause.invalid(field, name, rule)];
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
  ConfigMap: validateConfigMap,
  Secret: validateSecret,
  Service: validateService,
  PersistentVolumeClaim: ({ spec }) =>
    collectCauses(validatePvc("spec", spec), validateQuantities("spec.resources.requests", spec.resources?.requests)),
  ResourceQuota: (object) =>
    collectCauses(validateQuantities("spec.hard", object.spec.hard), validateResourceQuota(object)),
  LimitRange: validateLimitRange,
  Pod: validateSinglePod,
  Deployment: (object) => collectCauses(validateWorkload(object), validateDeployment(object)),
  ReplicaSet: validateWorkload,
  StatefulSet: (object) => collectCauses(validateWorkload(object), validateStatefulSet(object)),
  Job: (object) =>
    collectCauses(
      validatePodTemplate("spec.template", object.spec.template, ["OnFailure", "Never"]),
      validateJob(object),
    ),
  CronJob: (object) =>
    collectCauses(
      validateCronJob(object),
      validatePodTemplate("spec.jobTemplate.spec.template", object.spec.jobTemplate?.spec?.template, [
        "OnFailure",
        "Never",
      ]),
    ),
  Ingress: validateIngress,
  NetworkPolicy: validateNetworkPolicy,
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

function validateQuantities(field: string, quantities: Record<string, string> | undefined): StatusCause[] {
  return Object.entries(quantities ?? {}).filter(([, text]) => parseMilliQuantity(text) === null)
    .map(([name, text]) => cause.invalid(`${field}[${name}]`, text, QUANTITY_FORMAT_MESSAGE));
}
