/** Rejects changes of immutable fields, with the API server's messages. */
import {
  all,
  type Cause,
  forbiddenField,
  invalid,
  invalidAs,
  wrongValue,
} from "#lib/dev/simulator/admission/status-error.ts";
import type { ApiKind } from "#lib/dev/simulator/store/kinds.ts";
import { type Json, same, type StoredObject } from "#lib/dev/simulator/store/object.ts";
import { amount } from "#lib/dev/simulator/admission/quantity.ts";

const STATEFUL_RULE = "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', " +
  "'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";
const STATEFUL_FREE = [...STATEFUL_RULE.matchAll(/'(\w+)'/g)].map(([, name]) => name);
const POD_RULE =
  "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`," +
  "`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations)," +
  "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)\n";
const CLAIM_RULE =
  "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";

export function refuseChanges(kind: ApiKind, live: StoredObject, next: StoredObject): void {
  const causes = RULES[kind.kind]?.(live, next) ?? [];
  if (causes.length > 0) throw invalid(kind, live.metadata.name, causes);
}

const RULES: Record<string, (live: StoredObject, next: StoredObject) => Cause[]> = {
  Deployment: fixedSelector,
  ReplicaSet: fixedSelector,
  StatefulSet(live, next) {
    const fixed = ({ spec }: StoredObject) => Object.entries(spec).filter(([name]) => !STATEFUL_FREE.includes(name));
    const alike = same(Object.fromEntries(fixed(live)), Object.fromEntries(fixed(next)));
    return all(!alike && forbiddenField("spec", STATEFUL_RULE));
  },
  Job: (live, next) =>
    all(
      fixedSelector(live, next),
      fixed(live, next, "spec.completions"),
      !same(live.spec.template, next.spec.template) && !mayRetune(live) &&
        immutable("spec.template", `core.PodTemplateSpec${JSON.stringify(next.spec.template)}`),
      fixed(live, next, "spec.completionMode"),
    ),
  PersistentVolumeClaim(live, next) {
    const fixed = (object: StoredObject) => ({
      ...object.spec,
      resources: undefined,
      volumeAttributesClassName: undefined,
      volumeName: live.spec.volumeName ? object.spec.volumeName : undefined, // the volume binder sets it once
    });
    const asked = (object: StoredObject): string | undefined => object.spec.resources?.requests?.storage;
    const resized = !same(asked(live), asked(next));
    if (!same(fixed(live), fixed(next)) || resized && live.status?.phase !== "Bound") {
      return [forbiddenField("spec", `${CLAIM_RULE}\n${difference(live, next)}`)];
    }
    // A request that is not yet fulfilled may be reduced, but not to the current capacity or below.
    const less = resized && amount(asked(next)) < amount(asked(live)) &&
      amount(asked(next)) <= amount(live.status.capacity?.storage);
    return all(less && forbiddenField("spec.resources.requests.storage", "field can not be less than status.capacity"));
  },
  Pod(live, next) {
    const fixed = ({ spec }: StoredObject) => ({
      ...spec,
      activeDeadlineSeconds: undefined,
      tolerations: undefined,
      nodeName: live.spec.nodeName ? spec.nodeName : undefined, // the scheduler sets it once
      containers: withoutImages(spec.containers),
      initContainers: withoutImages(spec.initContainers),
    });
    return all(!same(fixed(live), fixed(next)) && forbiddenField("spec", POD_RULE));
  },
  Service(live, next) {
    const [old, fresh] = [live.spec.clusterIP, next.spec.clusterIP];
    const moved = old !== undefined && old !== fresh && next.spec.type !== "ExternalName";
    const shown = `[]string{${JSON.stringify(fresh)}}: may not change once set`;
    return all(moved && invalidAs("spec.clusterIPs[0]", shown));
  },
  Secret: (live, next) => live.type === next.type ? sealed(live, next) : [immutable("type", JSON.stringify(next.type))],
  ConfigMap: sealed,
  StorageClass: (live, next) =>
    ["parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"].flatMap((field) => fixed(live, next, field)),
  IngressClass: (live, next) => fixed(live, next, "spec.controller"),
  RoleBinding: fixedRole,
  ClusterRoleBinding: fixedRole,
  VolumeSnapshot(live, next) {
    const [old, fresh] = [live.spec?.source ?? {}, next.spec?.source ?? {}];
    const changed = ["persistentVolumeClaimName", "volumeSnapshotContentName"]
      .filter((name) => old[name] !== undefined && old[name] !== fresh[name]);
    return changed.map((name) =>
      fresh[name] === undefined
        ? invalidAs("spec.source", `${name} is required once set`)
        : wrongValue(`spec.source.${name}`, fresh[name], `${name} is immutable`)
    );
  },
};

function sealed(live: StoredObject, next: StoredObject): Cause[] {
  const why = "field is immutable when `immutable` is set", is = live.immutable === true;
  return all(
    is && next.immutable !== true && forbiddenField("immutable", why),
    is && !same(live.data, next.data) && forbiddenField("data", why),
  );
}

function fixed(live: StoredObject, next: StoredObject, field: string): Cause[] {
  const read = (object: StoredObject): Json => field.split(".").reduce((at: Json, name) => at?.[name], object);
  return all(!same(read(live), read(next)) && immutable(field, JSON.stringify(read(next) ?? null)));
}

function fixedRole(live: StoredObject, next: StoredObject): Cause[] {
  const { apiGroup, kind, name } = next.roleRef ?? {};
  const shown = JSON.stringify({ APIGroup: apiGroup, Kind: kind, Name: name });
  return all(!same(live.roleRef, next.roleRef) && invalidAs("roleRef", `${shown}: cannot change roleRef`));
}

function fixedSelector({ spec: old }: StoredObject, { spec: { selector } }: StoredObject): Cause[] {
  return all(!same(old.selector, selector) && immutable("spec.selector", goSelector(selector)));
}

/** Whether the Job's template may still change: the Job is suspended and was never started. */
function mayRetune(job: StoredObject): boolean {
  return job.spec.suspend === true && job.status?.startTime === undefined;
}

function immutable(field: string, shown: string): Cause {
  return invalidAs(field, `${shown}: field is immutable`);
}

/** Formats a selector as Go prints it. */
function goSelector(selector: Json): string {
  const labels = Object.entries(selector?.matchLabels ?? {}).map(([name, value]) =>
    `${JSON.stringify(name)}:${JSON.stringify(value)}`
  );
  const matches = `map[string]string{${labels.join(", ")}}`;
  return `v1.LabelSelector{MatchLabels:${matches}, MatchExpressions:[]v1.LabelSelectorRequirement(nil)}`;
}

function difference(live: StoredObject, next: StoredObject): string {
  const names = new Set([...Object.keys(live.spec), ...Object.keys(next.spec)]);
  const lines = [...names].filter((name) => !same(live.spec[name], next.spec[name])).flatMap((name) => [
    `- \t${name}: ${JSON.stringify(live.spec[name])},`,
    `+ \t${name}: ${JSON.stringify(next.spec[name])},`,
  ]);
  return `  core.PersistentVolumeClaimSpec{\n${lines.join("\n")}\n  }\n`;
}

function withoutImages(containers: Json): Json {
  return containers?.map((container: Json) => ({ ...container, image: undefined }));
}
