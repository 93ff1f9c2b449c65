/** Finds errors that keep a container from starting: a missing Secret or ConfigMap, volume or image. */
import type { FaultRegistry } from "#lib/dev/simulator/faults.ts";
import type { Json, StoredObject } from "#lib/dev/simulator/store/object.ts";
import type { Simulation } from "#lib/dev/simulator/simulation.ts";

export interface ContainerEnvironment {
  readonly values: Record<string, string>;
  /** The kubelet's error message about the first missing Secret, ConfigMap or key. Absent if nothing is missing. */
  readonly missing?: string;
}

export function readContainerEnvironment(world: Simulation, pod: StoredObject, container: Json): ContainerEnvironment {
  const namespace = pod.metadata.namespace!;
  const values: Record<string, string> = {};
  for (const { prefix = "", configMapRef, secretRef } of container.envFrom ?? []) {
    const source = configMapRef ?? secretRef;
    const found = readConfigData(world, namespace, secretRef ? "Secret" : "ConfigMap", source.name);
    if (found) { for (const [name, value] of Object.entries(found)) values[prefix + name] = value; }
    else if (source.optional !== true) {
      return { values, missing: `${secretRef ? "secret" : "configmap"} "${source.name}" not found` };
    }
  }
  for (const { name, value, valueFrom } of container.env ?? []) {
    const reference = valueFrom?.secretKeyRef ?? valueFrom?.configMapKeyRef;
    if (!reference) {
      values[name] = value ?? fieldOf(pod, valueFrom?.fieldRef?.fieldPath);
      continue;
    }
    const secret = valueFrom.secretKeyRef !== undefined;
    const found = readConfigData(world, namespace, secret ? "Secret" : "ConfigMap", reference.name);
    const read = found?.[reference.key];
    if (read !== undefined) values[name] = read;
    else if (reference.optional !== true) {
      if (!found) return { values, missing: `${secret ? "secret" : "configmap"} "${reference.name}" not found` };
      const where = `${secret ? "Secret" : "ConfigMap"} ${namespace}/${reference.name}`;
      return { values, missing: `couldn't find key ${reference.key} in ${where}` };
    }
  }
  return { values };
}

/** Returns the kubelet's error if a volume of the pod cannot be mounted; null if all volumes can be mounted. */
export function findMountError(world: Simulation, pod: StoredObject): string | null {
  for (const volume of pod.spec.volumes ?? []) {
    const named = volume.secret
      ? ["Secret", "secret", volume.secret.secretName]
      : ["ConfigMap", "configmap", volume.configMap?.name];
    const optional = (volume.secret ?? volume.configMap)?.optional === true;
    if (named[2] === undefined || optional) continue;
    if (readConfigData(world, pod.metadata.namespace!, named[0], named[2]) === null) {
      return `MountVolume.SetUp failed for volume "${volume.name}" : ${named[1]} "${named[2]}" not found`;
    }
  }
  return null;
}

/** Returns the data from a ConfigMap, or the decoded data from a Secret; null if the object does not exist. */
export function readConfigData(
  world: Simulation,
  namespace: string,
  kind: string,
  name: string,
): Record<string, string> | null {
  const object = world.store.get(kind, namespace, name);
  if (!object) return null;
  const data = Object.entries<string>(object.data ?? {});
  return Object.fromEntries(kind === "Secret" ? data.map(([key, text]) => [key, decode(text)]) : data);
}

function decode(text: string): string {
  return new TextDecoder().decode(Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)));
}

function fieldOf(pod: StoredObject, path: string | undefined): string {
  const found = path?.split(".").reduce((at: Json, name) => at?.[name], pod);
  return typeof found === "string" ? found : "";
}

const MISSING_IMAGE = /nonexistent|does-not-exist|missing/;

/** Returns the container runtime's error if the image cannot be pulled; otherwise null. */
export function findImagePullError(image: string, faults: FaultRegistry): string | null {
  const { host, path } = parseImageName(image);
  const failed = `failed to pull and unpack image "${host}/${path}": failed to resolve reference "${host}/${path}"`;
  if (host.endsWith(".invalid")) {
    return `${failed}: failed to do request: Head "https://${host}/v2/": dial tcp: lookup ${host}: no such host`;
  }
  const pullError = faults.findPullError(image);
  if (pullError) return `${failed}: ${pullError}`;
  return pullError === null || MISSING_IMAGE.test(path) ? `${failed}: ${host}/${path}: not found` : null;
}

/** Splits an image name into registry host and path. Adds the default host and tag if the name omits them. */
function parseImageName(image: string): { host: string; path: string } {
  const [first = "", ...rest] = image.split("/");
  const hosted = rest.length > 0 && /[.:]|^localhost$/.test(first);
  const path = hosted ? rest.join("/") : rest.length === 0 ? `library/${image}` : image;
  const tagged = /[:@]/.test(path) ? path : `${path}:latest`;
  return { host: hosted ? first : "docker.io", path: tagged };
}
