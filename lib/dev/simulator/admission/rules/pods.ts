/** Checks a pod's containers, volumes, security contexts and scheduling fields. */
import { posix } from "node:path";
import {
  cause,
  checkNumberRange,
  collectCauses,
  findDuplicates,
  type StatusCause,
} from "#lib/dev/simulator/admission/status-error.ts";
import type { Json } from "#lib/dev/simulator/store/object.ts";
import {
  parseMilliQuantity,
  parseMilliQuantityOrZero,
  QUANTITY_FORMAT_MESSAGE,
} from "#lib/dev/simulator/admission/quota.ts";
import { validateConfigMapKey, validateEnvVarName, validateLabelKey } from "#lib/dev/simulator/admission/rules/data.ts";
import { DNS_LABEL_MESSAGE, DNS_LABEL_PATTERN } from "#lib/dev/simulator/admission/schema/values.ts";

const SOURCES = ["fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef"];
const HANDLERS = ["exec", "httpGet", "tcpSocket", "grpc"];
const PROBES = ["livenessProbe", "readinessProbe", "startupProbe"];
const COUNTS = ["initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold"];
const PROTOCOLS = ["SCTP", "TCP", "UDP"];
const STANDARD = /^(cpu|memory|ephemeral-storage|hugepages-.+)$|\//;

/** Checks a container. `volumes` are the pod's volume names, `earlierNames` the names of the containers before it. */
export function validateContainer(
  field: string,
  container: Json,
  volumes: ReadonlySet<string>,
  earlierNames: Set<string>,
): StatusCause[] {
  const { name, image, volumeMounts = [], env = [], ports = [], resources = {}, securityContext = {} } = container;
  const twice = name && earlierNames.has(name);
  earlierNames.add(name);
  return collectCauses(
    !name && cause.required(`${field}.name`),
    twice && cause.duplicate(`${field}.name`, name),
    !image && cause.required(`${field}.image`),
    image && image !== image.trim() &&
      cause.invalid(`${field}.image`, image, "must not have leading or trailing whitespace"),
    validatePorts(`${field}.ports`, ports),
    validateVariables(`${field}.env`, env),
    validateMounts(`${field}.volumeMounts`, volumeMounts, volumes),
    PROBES.filter((probe) => container[probe] !== undefined)
      .flatMap((probe) => validateProbe(`${field}.${probe}`, container[probe], probe !== "readinessProbe")),
    validateResources(`${field}.resources`, resources),
    validateSecurityContext(`${field}.securityContext`, securityContext),
  );
}

function validateMounts(field: string, mounts: readonly Json[], volumes: ReadonlySet<string>): StatusCause[] {
  const twice = new Set(findDuplicates(mounts, ({ mountPath }) => mountPath).map(({ at }) => at));
  return mounts.flatMap(({ mountPath, name, subPath = "" }, i) =>
    collectCauses(
      !volumes.has(name) && cause.notFound(`${field}[${i}].name`, name),
      !mountPath && cause.required(`${field}[${i}].mountPath`),
      twice.has(i) && cause.invalid(`${field}[${i}].mountPath`, mountPath, "must be unique"),
      posix.isAbsolute(subPath)
        ? cause.invalid(`${field}.subPath`, subPath, "must be a relative path")
        : subPath.split("/").includes("..") && cause.invalid(`${field}.subPath`, subPath, "must not contain '..'"),
    )
  );
}

function validateVariables(field: string, variables: readonly Json[]): StatusCause[] {
  return variables.flatMap(({ name, value, valueFrom }, i) =>
    collectCauses(
      name
        ? cause.invalidAll(`${field}[${i}].name`, name, validateEnvVarName(name))
        : cause.required(`${field}[${i}].name`),
      valueFrom !== undefined && validateVariableSource(`${field}[${i}].valueFrom`, value, valueFrom),
    )
  );
}

function validateVariableSource(field: string, value: Json, source: Json): StatusCause[] {
  const kinds = SOURCES.filter((name) => source?.[name]);
  const which = source?.secretKeyRef ? "secretKeyRef" : "configMapKeyRef";
  const key = source?.[which], at = `${field}.${which}.key`;
  const why = kinds.length === 0
    ? "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`"
    : value
    ? "may not be specified when `value` is not empty"
    : kinds.length > 1 && "may not have more than one field specified at a time";
  return collectCauses(
    why && cause.invalid(field, "", why),
    key && (key.key ? cause.invalidAll(at, key.key, validateConfigMapKey(key.key)) : cause.required(at)),
  );
}

function validatePorts(field: string, ports: readonly Json[]): StatusCause[] {
  return collectCauses(
    ports.flatMap(({ containerPort: port, protocol }, i) =>
      collectCauses(
        port
          ? checkNumberRange(`${field}[${i}].containerPort`, port, 1, 65535)
          : cause.required(`${field}[${i}].containerPort`),
        protocol !== undefined && !PROTOCOLS.includes(protocol) &&
          cause.unsupported(`${field}[${i}].protocol`, protocol, PROTOCOLS),
      )
    ),
    findDuplicates(ports, ({ name }) => name).map(({ item, at }) => cause.duplicate(`${field}[${at}].name`, item.name)),
  );
}

function validateProbe(field: string, probe: Json, once: boolean): StatusCause[] {
  const [first, second] = HANDLERS.filter((name) => probe?.[name]);
  const port = probe?.httpGet?.port ?? probe?.tcpSocket?.port;
  return collectCauses(
    first === undefined && cause.required(field, "must specify a handler type"),
    second && cause.forbidden(`${field}.${second}`, "may not specify more than 1 handler type"),
    port !== undefined && validateProbePort(`${field}.${probe?.httpGet ? "httpGet" : "tcpSocket"}.port`, port),
    COUNTS.filter((name) => probe?.[name] < 0)
      .map((name) => cause.invalid(`${field}.${name}`, probe[name], "must be greater than or equal to 0")),
    once && probe?.successThreshold > 1 &&
      cause.invalid(`${field}.successThreshold`, probe.successThreshold, "must be 1"),
  );
}

function validateProbePort(field: string, port: number | string): StatusCause[] {
  if (typeof port === "number") return checkNumberRange(field, port, 1, 65535);
  if (port.length > 15) return [cause.invalid(field, port, "must be no more than 15 characters")];
  const why = "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)";
  return collectCauses(!/^[-a-z0-9]+$/.test(port) && cause.invalid(field, port, why));
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

const LARGEST = 2 ** 31 - 1;
const PROFILES = ["Localhost", "RuntimeDefault", "Unconfined"];
/** The name of the field that refers to the volume's source, keyed by volume type. */
const SOURCE_FIELDS = { secret: "secretName", configMap: "name", persistentVolumeClaim: "claimName" };

export function validateVolumes(field: string, volumes: readonly Json[]): StatusCause[] {
  return collectCauses(
    volumes.flatMap((volume, i) => {
      const [, second] = Object.keys(volume).filter((name) => name !== "name" && volume[name] !== undefined);
      return collectCauses(
        !volume.name && cause.required(`${field}[${i}].name`),
        second && cause.forbidden(`${field}[${i}].${second}`, "may not specify more than 1 volume type"),
        Object.entries(SOURCE_FIELDS).filter(([type, name]) => volume[type] && !volume[type][name])
          .map(([type, name]) => cause.required(`${field}[${i}].${type}.${name}`)),
      );
    }),
    findDuplicates(volumes, ({ name }) => name).map(({ item, at }) =>
      cause.duplicate(`${field}[${at}].name`, item.name)
    ),
  );
}

export function validatePodScheduling(field: string, spec: Json): StatusCause[] {
  const { nodeSelector = {}, tolerations = [], hostname, activeDeadlineSeconds: deadline } = spec;
  const valueless = "value must be empty when `operator` is 'Exists'";
  return collectCauses(
    Object.keys(nodeSelector).flatMap((key) => cause.invalidAll(`${field}.nodeSelector`, key, validateLabelKey(key))),
    tolerations.flatMap(({ operator, value }: Json, i: number) =>
      collectCauses(
        operator === "Exists" && value && cause.invalid(`${field}.tolerations[${i}].operator`, value, valueless),
      )
    ),
    hostname !== undefined && !(DNS_LABEL_PATTERN.test(hostname) && hostname.length <= 63) &&
      cause.invalid(`${field}.hostname`, hostname, DNS_LABEL_MESSAGE),
    deadline !== undefined && checkNumberRange(`${field}.activeDeadlineSeconds`, deadline, 1, LARGEST),
    validateSecurityContext(`${field}.securityContext`, spec.securityContext ?? {}),
  );
}

export function validateSecurityContext(field: string, context: Json): StatusCause[] {
  const { seccompProfile: profile, privileged, allowPrivilegeEscalation } = context;
  const ids = ["runAsUser", "runAsGroup", "fsGroup"].filter((name) => context[name] !== undefined);
  const both = "cannot set `allowPrivilegeEscalation` to false and `privileged` to true";
  return collectCauses(
    ids.flatMap((name) => checkNumberRange(`${field}.${name}`, context[name], 0, LARGEST)),
    profile !== undefined && validateSeccompProfile(`${field}.seccompProfile`, profile),
    privileged === true && allowPrivilegeEscalation === false && cause.invalid(field, context, both),
  );
}

function validateSeccompProfile(field: string, { type, localhostProfile }: Json): StatusCause[] {
  if (!type) return [cause.required(`${field}.type`)];
  if (!PROFILES.includes(type)) return [cause.unsupported(`${field}.type`, type, PROFILES)];
  const at = `${field}.localhostProfile`, local = type === "Localhost";
  return collectCauses(
    local && !localhostProfile && cause.required(at, "must be set when seccomp type is Localhost"),
    !local && localhostProfile && cause.forbidden(at, "must be set only when seccomp type is Localhost"),
  );
}
