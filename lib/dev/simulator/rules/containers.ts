/** What a container must be: its image, variables, mounts, ports and probes. */
import { posix } from "node:path";
import type { Json } from "#lib/dev/simulator/object.ts";
import { type Cause, forbiddenField, required, unsupported, wrongValue } from "#lib/dev/simulator/refusal.ts";
import { duplicate, missing, outside, repeated, wrong } from "#lib/dev/simulator/rules/causes.ts";
import { badDataKey, badVariable } from "#lib/dev/simulator/rules/names.ts";

const SOURCES = ["fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef"];
const HANDLERS = ["exec", "httpGet", "tcpSocket", "grpc"];
const PROBES = ["livenessProbe", "readinessProbe", "startupProbe"];
const COUNTS = ["initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold"];

export function badImage(field: string, image: string | undefined): Cause[] {
  if (!image) return [required(field)];
  return image === image.trim() ? [] : [wrongValue(field, image, "must not have leading or trailing whitespace")];
}

export function badMounts(field: string, mounts: readonly Json[], volumes: ReadonlySet<string>): Cause[] {
  const twice = new Set(repeated(mounts, ({ mountPath }) => mountPath).map(({ at }) => at));
  return mounts.flatMap((mount, i) => {
    const at = `${field}[${i}]`, { mountPath, name, subPath } = mount;
    return [
      ...(volumes.has(name) ? [] : [missing(`${at}.name`, name)]),
      ...(mountPath ? [] : [required(`${at}.mountPath`)]),
      ...(twice.has(i) ? [wrongValue(`${at}.mountPath`, mountPath, "must be unique")] : []),
      ...badSubPath(`${field}.subPath`, subPath ?? ""),
    ];
  });
}

function badSubPath(field: string, path: string): Cause[] {
  if (posix.isAbsolute(path)) return [wrongValue(field, path, "must be a relative path")];
  return path.split("/").includes("..") ? [wrongValue(field, path, "must not contain '..'")] : [];
}

export function badVariables(field: string, variables: readonly Json[]): Cause[] {
  return variables.flatMap(({ name, value, valueFrom }, i) => {
    const at = `${field}[${i}]`;
    return [
      ...(name ? wrong(`${at}.name`, name, badVariable(name)) : [required(`${at}.name`)]),
      ...(valueFrom === undefined ? [] : badSource(`${at}.valueFrom`, value, valueFrom)),
    ];
  });
}

function badSource(field: string, value: Json, source: Json): Cause[] {
  const kinds = SOURCES.filter((name) => source?.[name]);
  const key = source?.secretKeyRef ?? source?.configMapKeyRef;
  const at = `${field}.${source?.secretKeyRef ? "secretKeyRef" : "configMapKeyRef"}.key`;
  return [
    ...(kinds.length === 0
      ? [wrongValue(
        field,
        "",
        "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`",
      )]
      : value
      ? [wrongValue(field, "", "may not be specified when `value` is not empty")]
      : kinds.length > 1
      ? [wrongValue(field, "", "may not have more than one field specified at a time")]
      : []),
    ...(key ? key.key ? wrong(at, key.key, badDataKey(key.key)) : [required(at)] : []),
  ];
}

export function badPorts(field: string, ports: readonly Json[]): Cause[] {
  return [
    ...ports.flatMap(({ containerPort, protocol }, i) => [
      ...(containerPort ? outside(`${field}[${i}].containerPort`, containerPort, 1, 65535) : [
        required(`${field}[${i}].containerPort`),
      ]),
      ...(protocol === undefined || ["SCTP", "TCP", "UDP"].includes(protocol)
        ? []
        : [unsupported(`${field}[${i}].protocol`, protocol, ["SCTP", "TCP", "UDP"])]),
    ]),
    ...repeated(ports, ({ name }) => name).map(({ item, at }) => duplicate(`${field}[${at}].name`, item.name)),
  ];
}

export function badProbes(field: string, container: Json): Cause[] {
  return PROBES.filter((name) => container[name] !== undefined)
    .flatMap((name) => badProbe(`${field}.${name}`, container[name], name !== "readinessProbe"));
}

function badProbe(field: string, probe: Json, once: boolean): Cause[] {
  const [first, ...more] = HANDLERS.filter((name) => probe?.[name]);
  const port = probe?.httpGet?.port ?? probe?.tcpSocket?.port;
  const at = `${field}.${probe?.httpGet ? "httpGet" : "tcpSocket"}.port`;
  const below = COUNTS.filter((name) => probe?.[name] < 0)
    .map((name) => wrongValue(`${field}.${name}`, probe[name], "must be greater than or equal to 0"));
  return [
    ...(first === undefined ? [required(field, "must specify a handler type")] : []),
    ...more.slice(0, 1).map((name) => forbiddenField(`${field}.${name}`, "may not specify more than 1 handler type")),
    ...(port === undefined ? [] : badPort(at, port)),
    ...below,
    ...(once && probe?.successThreshold > 1
      ? [wrongValue(`${field}.successThreshold`, probe.successThreshold, "must be 1")]
      : []),
  ];
}

function badPort(field: string, port: number | string): Cause[] {
  if (typeof port === "number") return outside(field, port, 1, 65535);
  if (port.length > 15) return [wrongValue(field, port, "must be no more than 15 characters")];
  const why = "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)";
  return /^[-a-z0-9]+$/.test(port) ? [] : [wrongValue(field, port, why)];
}
