/**
 * Checks pods: containers with their variables, mounts, ports, probes and resources; volumes; security contexts; and
 * where the pod may run.
 */
import { posix } from "node:path";
import {
  all,
  type Cause,
  duplicate,
  forbiddenField,
  missingCause,
  outside,
  repeated,
  required,
  unsupported,
  wrong,
  wrongValue,
} from "#lib/dev/simulator/admission/status-error.ts";
import type { Json } from "#lib/dev/simulator/store/object.ts";
import { amount, QUANTITY_RULE, readQuantity } from "#lib/dev/simulator/admission/quantity.ts";
import { badDataKey, badLabelKey, badVariable } from "#lib/dev/simulator/admission/rules/names.ts";
import { LABEL, LABEL_RULE } from "#lib/dev/simulator/admission/schema/values.ts";

const SOURCES = ["fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef"];
const HANDLERS = ["exec", "httpGet", "tcpSocket", "grpc"];
const PROBES = ["livenessProbe", "readinessProbe", "startupProbe"];
const COUNTS = ["initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold"];
const PROTOCOLS = ["SCTP", "TCP", "UDP"];
const STANDARD = /^(cpu|memory|ephemeral-storage|hugepages-.+)$|\//;

/** Checks a container. `volumes` are the names of the pod's volumes. `seen` are the names of its earlier containers. */
export function badContainer(field: string, container: Json, volumes: ReadonlySet<string>, seen: Set<string>): Cause[] {
  const { name, image, volumeMounts = [], env = [], ports = [], resources = {}, securityContext = {} } = container;
  const twice = name && seen.has(name);
  seen.add(name);
  return all(
    !name && required(`${field}.name`),
    twice && duplicate(`${field}.name`, name),
    !image && required(`${field}.image`),
    image && image !== image.trim() &&
      wrongValue(`${field}.image`, image, "must not have leading or trailing whitespace"),
    badPorts(`${field}.ports`, ports),
    badVariables(`${field}.env`, env),
    badMounts(`${field}.volumeMounts`, volumeMounts, volumes),
    PROBES.filter((probe) => container[probe] !== undefined)
      .flatMap((probe) => badProbe(`${field}.${probe}`, container[probe], probe !== "readinessProbe")),
    badResources(`${field}.resources`, resources),
    badSecurity(`${field}.securityContext`, securityContext),
  );
}

function badMounts(field: string, mounts: readonly Json[], volumes: ReadonlySet<string>): Cause[] {
  const twice = new Set(repeated(mounts, ({ mountPath }) => mountPath).map(({ at }) => at));
  return mounts.flatMap(({ mountPath, name, subPath = "" }, i) =>
    all(
      !volumes.has(name) && missingCause(`${field}[${i}].name`, name),
      !mountPath && required(`${field}[${i}].mountPath`),
      twice.has(i) && wrongValue(`${field}[${i}].mountPath`, mountPath, "must be unique"),
      posix.isAbsolute(subPath)
        ? wrongValue(`${field}.subPath`, subPath, "must be a relative path")
        : subPath.split("/").includes("..") && wrongValue(`${field}.subPath`, subPath, "must not contain '..'"),
    )
  );
}

function badVariables(field: string, variables: readonly Json[]): Cause[] {
  return variables.flatMap(({ name, value, valueFrom }, i) =>
    all(
      name ? wrong(`${field}[${i}].name`, name, badVariable(name)) : required(`${field}[${i}].name`),
      valueFrom !== undefined && badSource(`${field}[${i}].valueFrom`, value, valueFrom),
    )
  );
}

function badSource(field: string, value: Json, source: Json): Cause[] {
  const kinds = SOURCES.filter((name) => source?.[name]);
  const which = source?.secretKeyRef ? "secretKeyRef" : "configMapKeyRef";
  const key = source?.[which], at = `${field}.${which}.key`;
  const why = kinds.length === 0
    ? "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`"
    : value
    ? "may not be specified when `value` is not empty"
    : kinds.length > 1 && "may not have more than one field specified at a time";
  return all(
    why && wrongValue(field, "", why),
    key && (key.key ? wrong(at, key.key, badDataKey(key.key)) : required(at)),
  );
}

function badPorts(field: string, ports: readonly Json[]): Cause[] {
  return all(
    ports.flatMap(({ containerPort: port, protocol }, i) =>
      all(
        port ? outside(`${field}[${i}].containerPort`, port, 1, 65535) : required(`${field}[${i}].containerPort`),
        protocol !== undefined && !PROTOCOLS.includes(protocol) &&
          unsupported(`${field}[${i}].protocol`, protocol, PROTOCOLS),
      )
    ),
    repeated(ports, ({ name }) => name).map(({ item, at }) => duplicate(`${field}[${at}].name`, item.name)),
  );
}

function badProbe(field: string, probe: Json, once: boolean): Cause[] {
  const [first, second] = HANDLERS.filter((name) => probe?.[name]);
  const port = probe?.httpGet?.port ?? probe?.tcpSocket?.port;
  return all(
    first === undefined && required(field, "must specify a handler type"),
    second && forbiddenField(`${field}.${second}`, "may not specify more than 1 handler type"),
    port !== undefined && badPort(`${field}.${probe?.httpGet ? "httpGet" : "tcpSocket"}.port`, port),
    COUNTS.filter((name) => probe?.[name] < 0)
      .map((name) => wrongValue(`${field}.${name}`, probe[name], "must be greater than or equal to 0")),
    once && probe?.successThreshold > 1 &&
      wrongValue(`${field}.successThreshold`, probe.successThreshold, "must be 1"),
  );
}

function badPort(field: string, port: number | string): Cause[] {
  if (typeof port === "number") return outside(field, port, 1, 65535);
  if (port.length > 15) return [wrongValue(field, port, "must be no more than 15 characters")];
  const why = "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)";
  return all(!/^[-a-z0-9]+$/.test(port) && wrongValue(field, port, why));
}

function badResources(field: string, { requests = {}, limits = {} }: Json): Cause[] {
  const each = (which: string, amounts: Record<string, string>) =>
    Object.entries(amounts).flatMap(([name, text]) => badResource(`${field}.${which}[${name}]`, name, text));
  const over = Object.entries<string>(requests).filter(([name, text]) =>
    limits[name] && amount(text) > amount(limits[name])
  );
  return all(
    each("requests", requests),
    each("limits", limits),
    over.map(([name, text]) =>
      wrongValue(`${field}.requests`, text, `must be less than or equal to ${name} limit of ${limits[name]}`)
    ),
  );
}

function badResource(field: string, name: string, text: string): Cause[] {
  if (readQuantity(text) === null) return [wrongValue(field, text, QUANTITY_RULE)];
  if (!STANDARD.test(name)) {
    const whys = ["must be a standard resource type or fully qualified", "must be a standard resource for containers"];
    return wrong(field, name, whys);
  }
  return all(amount(text) < 0 && wrongValue(field, text, "must be greater than or equal to 0"));
}

const LARGEST = 2 ** 31 - 1;
const PROFILES = ["Localhost", "RuntimeDefault", "Unconfined"];
/** The field that names a volume's source, by volume type. */
const NAMED = { secret: "secretName", configMap: "name", persistentVolumeClaim: "claimName" };

export function badVolumes(field: string, volumes: readonly Json[]): Cause[] {
  return all(
    volumes.flatMap((volume, i) => {
      const [, second] = Object.keys(volume).filter((name) => name !== "name" && volume[name] !== undefined);
      return all(
        !volume.name && required(`${field}[${i}].name`),
        second && forbiddenField(`${field}[${i}].${second}`, "may not specify more than 1 volume type"),
        Object.entries(NAMED).filter(([type, name]) => volume[type] && !volume[type][name])
          .map(([type, name]) => required(`${field}[${i}].${type}.${name}`)),
      );
    }),
    repeated(volumes, ({ name }) => name).map(({ item, at }) => duplicate(`${field}[${at}].name`, item.name)),
  );
}

export function badPlace(field: string, spec: Json): Cause[] {
  const { nodeSelector = {}, tolerations = [], hostname, activeDeadlineSeconds: deadline } = spec;
  const valueless = "value must be empty when `operator` is 'Exists'";
  return all(
    Object.keys(nodeSelector).flatMap((key) => wrong(`${field}.nodeSelector`, key, badLabelKey(key))),
    tolerations.flatMap(({ operator, value }: Json, i: number) =>
      all(operator === "Exists" && value && wrongValue(`${field}.tolerations[${i}].operator`, value, valueless))
    ),
    hostname !== undefined && !(LABEL.test(hostname) && hostname.length <= 63) &&
      wrongValue(`${field}.hostname`, hostname, LABEL_RULE),
    deadline !== undefined && outside(`${field}.activeDeadlineSeconds`, deadline, 1, LARGEST),
    badSecurity(`${field}.securityContext`, spec.securityContext ?? {}),
  );
}

export function badSecurity(field: string, context: Json): Cause[] {
  const { seccompProfile: profile, privileged, allowPrivilegeEscalation } = context;
  const ids = ["runAsUser", "runAsGroup", "fsGroup"].filter((name) => context[name] !== undefined);
  const both = "cannot set `allowPrivilegeEscalation` to false and `privileged` to true";
  return all(
    ids.flatMap((name) => outside(`${field}.${name}`, context[name], 0, LARGEST)),
    profile !== undefined && badProfile(`${field}.seccompProfile`, profile),
    privileged === true && allowPrivilegeEscalation === false && wrongValue(field, context, both),
  );
}

function badProfile(field: string, { type, localhostProfile }: Json): Cause[] {
  if (!type) return [required(`${field}.type`)];
  if (!PROFILES.includes(type)) return [unsupported(`${field}.type`, type, PROFILES)];
  const at = `${field}.localhostProfile`, local = type === "Localhost";
  return all(
    local && !localhostProfile && required(at, "must be set when seccomp type is Localhost"),
    !local && localhostProfile && forbiddenField(at, "must be set only when seccomp type is Localhost"),
  );
}
