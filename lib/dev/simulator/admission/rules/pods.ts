/** Checks pods and pod templates against rules that involve several fields. */
import { validateLabels } from "#lib/dev/simulator/admission/rules/data.ts";
import {
  parseMilliQuantity,
  parseMilliQuantityOrZero,
  QUANTITY_FORMAT_MESSAGE,
} from "#lib/dev/simulator/admission/quota.ts";
import { cause, collectCauses, findDuplicates, type StatusCause } from "#lib/dev/simulator/admission/status-error.ts";
import type { Json } from "#lib/dev/simulator/store/object.ts";

const RESTART_POLICIES = ["Always", "OnFailure", "Never"];
const SOURCES = ["fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef"];
const HANDLERS = ["exec", "httpGet", "tcpSocket", "grpc"];
const PROBES = ["livenessProbe", "readinessProbe", "startupProbe"];
const STANDARD = /^(cpu|memory|ephemeral-storage|hugepages-.+)$|\//;

export function validatePodTemplate(field: string, template: Json, policies: readonly string[]): StatusCause[] {
  return collectCauses(
    validateLabels(`${field}.labels`, template?.metadata?.labels ?? {}),
    validatePod(`${field}.spec`, template?.spec ?? {}),
    validateRestartPolicy(`${field}.spec.restartPolicy`, template?.spec?.restartPolicy ?? "", policies),
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

function validatePod(field: string, spec: Json): StatusCause[] {
  const { volumes = [], containers = [], initContainers = [], tolerations = [], securityContext } = spec;
  const names = new Set<string>(volumes.map(({ name }: Json) => name));
  const all: [string, Json][] = [
    ...containers.map((container: Json, i: number) => [`${field}.containers[${i}]`, container]),
    ...initContainers.map((container: Json, i: number) => [`${field}.initContainers[${i}]`, container]),
  ];
  return collectCauses(
    volumes.flatMap((volume: Json, i: number) => {
      const [, second] = Object.keys(volume).filter((name) => name !== "name" && volume[name] !== undefined);
      const why = "may not specify more than 1 volume type";
      return collectCauses(second && cause.forbidden(`${field}.volumes[${i}].${second}`, why));
    }),
    containers.length === 0 && cause.required(`${field}.containers`),
    findDuplicates(all, ([, { name }]) => name)
      .map(({ item: [at, { name }] }) => cause.duplicate(`${at}.name`, name)),
    all.flatMap(([at, container]) => validateContainer(at, container, names)),
    tolerations.flatMap(({ operator, value }: Json, i: number) => {
      const why = "value must be empty when `operator` is 'Exists'";
      return collectCauses(
        operator === "Exists" && value && cause.invalid(`${field}.tolerations[${i}].operator`, value, why),
      );
    }),
    validateSeccompProfile(`${field}.securityContext.seccompProfile`, securityContext?.seccompProfile),
  );
}

/** Checks a pod that no workload created. */
export function validateSinglePod({ spec }: Json): StatusCause[] {
  const { restartPolicy: policy = "Always" } = spec;
  return collectCauses(
    validatePod("spec", spec),
    !RESTART_POLICIES.includes(policy) && cause.unsupported("spec.restartPolicy", policy, RESTART_POLICIES),
  );
}

/** Checks a container. `volumes` are the names of the pod's volumes. */
function validateContainer(field: string, container: Json, volumes: ReadonlySet<string>): StatusCause[] {
  const { image, volumeMounts = [], env = [], resources = {}, securityContext = {} } = container;
  const both = securityContext.privileged === true && securityContext.allowPrivilegeEscalation === false &&
    "cannot set `allowPrivilegeEscalation` to false and `privileged` to true";
  return collectCauses(
    image && image !== image.trim() &&
      cause.invalid(`${field}.image`, image, "must not have leading or trailing whitespace"),
    env.flatMap((variable: Json, i: number) => validateVariableSource(`${field}.env[${i}].valueFrom`, variable)),
    validateMounts(`${field}.volumeMounts`, volumeMounts, volumes),
    PROBES.filter((probe) => container[probe] !== undefined)
      .flatMap((probe) => validateProbe(`${field}.${probe}`, container[probe], probe !== "readinessProbe")),
    validateResources(`${field}.resources`, resources),
    both && cause.invalid(`${field}.securityContext`, securityContext, both),
    validateSeccompProfile(`${field}.securityContext.seccompProfile`, securityContext.seccompProfile),
  );
}

function validateSeccompProfile(field: string, profile: Json): StatusCause[] {
  if (!profile) return [];
  const at = `${field}.localhostProfile`, local = profile.type === "Localhost";
  return collectCauses(
    !profile.type && cause.required(`${field}.type`),
    local && !profile.localhostProfile && cause.required(at, "must be set when seccomp type is Localhost"),
    !local && profile.localhostProfile && cause.forbidden(at, "must be set only when seccomp type is Localhost"),
  );
}

function validateMounts(field: string, mounts: readonly Json[], volumes: ReadonlySet<string>): StatusCause[] {
  const duplicates = findDuplicates(mounts, ({ mountPath }) => mountPath);
  return collectCauses(
    mounts.flatMap(({ name, subPath = "" }, i) =>
      collectCauses(
        !volumes.has(name) && cause.notFound(`${field}[${i}].name`, name),
        subPath.startsWith("/") && cause.invalid(`${field}.subPath`, subPath, "must be a relative path"),
        subPath.split("/").includes("..") && cause.invalid(`${field}.subPath`, subPath, "must not contain '..'"),
      )
    ),
    duplicates.map(({ item, at }) => cause.invalid(`${field}[${at}].mountPath`, item.mountPath, "must be unique")),
  );
}

function validateVariableSource(field: string, { value, valueFrom }: Json): StatusCause[] {
  if (valueFrom === undefined) return [];
  const kinds = SOURCES.filter((name) => valueFrom?.[name]);
  const why = kinds.length === 0
    ? "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`"
    : value
    ? "may not be specified when `value` is not empty"
    : kinds.length > 1 && "may not have more than one field specified at a time";
  return collectCauses(why && cause.invalid(field, "", why));
}

function validateProbe(field: string, probe: Json, once: boolean): StatusCause[] {
  const [first, second] = HANDLERS.filter((name) => probe?.[name]);
  return collectCauses(
    first === undefined && cause.required(field, "must specify a handler type"),
    second && cause.forbidden(`${field}.${second}`, "may not specify more than 1 handler type"),
    once && probe?.successThreshold > 1 &&
      cause.invalid(`${field}.successThreshold`, probe.successThreshold, "must be 1"),
  );
}

function validateResources(field: string, { requests = {}, limits = {} }: Json): StatusCause[] {
  const each = (which: string, amounts: Record<string, string>) =>
    Object.entries(amounts).flatMap(([name, text]) => validateResource(`${field}.${which}[${name}]`, name, text));
  const over = Object.entries<string>(requests).filter(([name, text]) =>
    limits[name] && parseMilliQuantityOrZero(text) > parseMilliQuantityOrZero(limits[name])
  );
  return collectCauses(
    each("requests", requests),
    each("limits", limits),
    over.map(([name, text]) =>
      cause.invalid(`${field}.requests`, text, `must be less than or equal to ${name} limit of ${limits[name]}`)
    ),
  );
}

function validateResource(field: string, name: string, text: string): StatusCause[] {
  if (parseMilliQuantity(text) === null) return [cause.invalid(field, text, QUANTITY_FORMAT_MESSAGE)];
  if (!STANDARD.test(name)) {
    const whys = ["must be a standard resource type or fully qualified", "must be a standard resource for containers"];
    return cause.invalidAll(field, name, whys);
  }
  return collectCauses(
    parseMilliQuantityOrZero(text) < 0 && cause.invalid(field, text, "must be greater than or equal to 0"),
  );
}
