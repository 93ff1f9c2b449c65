/** Rejects changes to immutable fields, with the API server's error messages. */
import { cause, collectCauses, type StatusCause, StatusError } from "#lib/dev/simulator/admission/status-error.ts";
import { type ApiKind, isSameJson, type Json, type StoredObject } from "#lib/dev/simulator/store/object.ts";
import { parseMilliQuantityOrZero } from "#lib/dev/simulator/admission/quota.ts";

const STATEFUL_RULE = "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', " +
  "'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";
const STATEFUL_FREE = [...STATEFUL_RULE.matchAll(/'(\w+)'/g)].map(([, name]) => name);
const POD_RULE =
  "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`," +
  "`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations)," +
  "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)\n";
const CLAIM_RULE =
  "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";

export function rejectImmutableChanges(kind: ApiKind, live: StoredObject, next: StoredObject): void {
  const causes = RULES[kind.kind]?.(live, next) ?? [];
  if (causes.length > 0) throw StatusError.invalid(kind, live.metadata.name, causes);
}

const RULES: Record<string, (live: StoredObject, next: StoredObject) => StatusCause[]> = {
  Deployment: checkFixedSelector,
  ReplicaSet: checkFixedSelector,
  StatefulSet(live, next) {
    const fixed = ({ spec }: StoredObject) => Object.entries(spec).filter(([name]) => !STATEFUL_FREE.includes(name));
    const alike = isSameJson(Object.fromEntries(fixed(live)), Object.fromEntries(fixed(next)));
    return collectCauses(!alike && cause.forbidden("spec", STATEFUL_RULE));
  },
  Job: (live, next) =>
    collectCauses(
      checkFixedSelector(live, next),
      checkFixedField(live, next, "spec.completions"),
      !isSameJson(live.spec.template, next.spec.template) && !canChangeTemplate(live) &&
        immutable("spec.template", `core.PodTemplateSpec${JSON.stringify(next.spec.template)}`),
      checkFixedField(live, next, "spec.completionMode"),
    ),
  PersistentVolumeClaim(live, next) {
    const fixed = (object: StoredObject) => ({
      ...object.spec,
      resources: undefined,
      volumeAttributesClassName: undefined,
      volumeName: live.spec.volumeName ? object.spec.volumeName : undefined, // the volume binder may set it once
    });
    const requestedStorage = (object: StoredObject): string | undefined => object.spec.resources?.requests?.storage;
    const resized = !isSameJson(requestedStorage(live), requestedStorage(next));
    if (!isSameJson(fixed(live), fixed(next)) || resized && live.status?.phase !== "Bound") {
      return [cause.forbidden("spec", `${CLAIM_RULE}\n${difference(live, next)}`)];
    }
    // During an expansion, the storage request may be reduced, but it must stay above the current capacity.
    const less = resized &&
      parseMilliQuantityOrZero(requestedStorage(next)) < parseMilliQuantityOrZero(requestedStorage(live)) &&
      parseMilliQuantityOrZero(requestedStorage(next)) <= parseMilliQuantityOrZero(live.status.capacity?.storage);
    return collectCauses(
      less && cause.forbidden("spec.resources.requests.storage", "field can not be less than status.capacity"),
    );
  },
  Pod(live, next) {
    const fixed = ({ spec }: StoredObject) => ({
      ...spec,
      activeDeadlineSeconds: undefined,
      tolerations: undefined,
      nodeName: live.spec.nodeName ? spec.nodeName : undefined, // the scheduler may set this field once
      containers: withoutImages(spec.containers),
      initContainers: withoutImages(spec.initContainers),
    });
    return collectCauses(!isSameJson(fixed(live), fixed(next)) && cause.forbidden("spec", POD_RULE));
  },
  Service(live, next) {
    const [old, fresh] = [live.spec.clusterIP, next.spec.clusterIP];
    const moved = old !== undefined && old !== fresh && next.spec.type !== "ExternalName";
    const formatted = `[]string{${JSON.stringify(fresh)}}: may not change once set`;
    return collectCauses(moved && cause.invalidFormatted("spec.clusterIPs[0]", formatted));
  },
  Secret: (live, next) =>
    live.type === next.type ? checkImmutableData(live, next) : [immutable("type", JSON.stringify(next.type))],
  ConfigMap: checkImmutableData,
  StorageClass: (live, next) =>
    ["parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"].flatMap((field) =>
      checkFixedField(live, next, field)
    ),
  IngressClass: (live, next) => checkFixedField(live, next, "spec.controller"),
  RoleBinding: checkFixedRole,
  ClusterRoleBinding: checkFixedRole,
  VolumeSnapshot(live, next) {
    const [old, fresh] = [live.spec?.source ?? {}, next.spec?.source ?? {}];
    const changed = ["persistentVolumeClaimName", "volumeSnapshotContentName"]
      .filter((name) => old[name] !== undefined && old[name] !== fresh[name]);
    return changed.map((name) =>
      fresh[name] === undefined
        ? cause.invalidFormatted("spec.source", `${name} is required once set`)
        : cause.invalid(`spec.source.${name}`, fresh[name], `${name} is immutable`)
    );
  },
};

function checkImmutableData(live: StoredObject, next: StoredObject): StatusCause[] {
  const why = "field is immutable when `immutable` is set", is = live.immutable === true;
  return collectCauses(
    is && next.immutable !== true && cause.forbidden("immutable", why),
    is && !isSameJson(live.data, next.data) && cause.forbidden("data", why),
  );
}

function checkFixedField(live: StoredObject, next: StoredObject, field: string): StatusCause[] {
  const read = (object: StoredObject): Json => field.split(".").reduce((at: Json, name) => at?.[name], object);
  return collectCauses(!isSameJson(read(live), read(next)) && immutable(field, JSON.stringify(read(next) ?? null)));
}

function checkFixedRole(live: StoredObject, next: StoredObject): StatusCause[] {
  const { apiGroup, kind, name } = next.roleRef ?? {};
  const formatted = JSON.stringify({ APIGroup: apiGroup, Kind: kind, Name: name });
  return collectCauses(
    !isSameJson(live.roleRef, next.roleRef) && cause.invalidFormatted("roleRef", `${formatted}: cannot change roleRef`),
  );
}

function checkFixedSelector({ spec: old }: StoredObject, { spec: { selector } }: StoredObject): StatusCause[] {
  return collectCauses(!isSameJson(old.selector, selector) && immutable("spec.selector", goSelector(selector)));
}

/** Whether the Job's pod template may still be changed: only if the Job is suspended and has never started. */
function canChangeTemplate(job: StoredObject): boolean {
  return job.spec.suspend === true && job.status?.startTime === undefined;
}

function immutable(field: string, formatted: string): StatusCause {
  return cause.invalidFormatted(field, `${formatted}: field is immutable`);
}

/** Formats a label selector as the API server prints it in errors: in Go's notation for structs. */
function goSelector(selector: Json): string {
  const labels = Object.entries(selector?.matchLabels ?? {}).map(([name, value]) =>
    `${JSON.stringify(name)}:${JSON.stringify(value)}`
  );
  const matches = `map[string]string{${labels.join(", ")}}`;
  return `v1.LabelSelector{MatchLabels:${matches}, MatchExpressions:[]v1.LabelSelectorRequirement(nil)}`;
}

function difference(live: StoredObject, next: StoredObject): string {
  const names = new Set([...Object.keys(live.spec), ...Object.keys(next.spec)]);
  const lines = [...names].filter((name) => !isSameJson(live.spec[name], next.spec[name])).flatMap((name) => [
    `- \t${name}: ${JSON.stringify(live.spec[name])},`,
    `+ \t${name}: ${JSON.stringify(next.spec[name])},`,
  ]);
  return `  core.PersistentVolumeClaimSpec{\n${lines.join("\n")}\n  }\n`;
}

function withoutImages(containers: Json): Json {
  return containers?.map((container: Json) => ({ ...container, image: undefined }));
}
