/** Pod security admission: the levels `baseline` and `restricted`, in the words of the real one. */
import type { Json, KubeObject } from "#lib/dev/simulator/store/object.ts";

export type Level = "privileged" | "baseline" | "restricted";

export interface Policy {
  readonly level: Level;
  /** For example `restricted:latest`. */
  readonly name: string;
}

const ALLOWED_VOLUMES = new Set(
  "configMap csi downwardAPI emptyDir ephemeral persistentVolumeClaim projected secret".split(" "),
);
const ALLOWED_CAPABILITIES = new Set(
  ("AUDIT_WRITE CHOWN DAC_OVERRIDE FOWNER FSETID KILL MKNOD NET_BIND_SERVICE SETFCAP SETGID SETPCAP SETUID SYS_CHROOT")
    .split(" "),
);

/** What a namespace's labels demand; who is only warned is warned of what is enforced unless told otherwise. */
export function policyOf(namespace: KubeObject | undefined, mode: "enforce" | "warn"): Policy {
  const labels = namespace?.metadata.labels ?? {};
  const read = (name: string) => labels[`pod-security.kubernetes.io/${name}`];
  const which = mode === "warn" && !read("warn") ? "enforce" : mode;
  const level = (read(which) ?? "privileged") as Level;
  return { level, name: `${level}:${read(`${which}-version`) ?? "latest"}` };
}

/** What of the pod's spec the policy does not allow, as one text; empty if there is nothing. */
export function violations(spec: Json, policy: Policy): string {
  if (policy.level === "privileged" || !spec) return "";
  const found = policy.level === "restricted" ? [...baseline(spec), ...restricted(spec)] : baseline(spec);
  return found.join(", ");
}

function baseline(spec: Json): string[] {
  const hosts = ["hostNetwork", "hostPID", "hostIPC"].filter((name) => spec[name] === true).map((name) =>
    `${name}=true`
  );
  const paths = (spec.volumes ?? []).filter((volume: Json) => volume.hostPath).map((volume: Json) => volume.name);
  const privileged = named(spec, (security) => security.privileged === true);
  const ports = named(spec, (_, container) => (container.ports ?? []).some((port: Json) => port.hostPort));
  const added = containersOf(spec).flatMap((container) => container.securityContext?.capabilities?.add ?? [])
    .filter((capability: string) => !ALLOWED_CAPABILITIES.has(capability));
  return [
    ...(hosts.length > 0 ? [`host namespaces (${hosts.join(", ")})`] : []),
    ...(paths.length > 0 ? [`hostPath volumes (${plural("volume", paths)})`] : []),
    ...(ports.length > 0 ? [`hostPort (${plural("container", ports)} uses hostPort)`] : []),
    ...(privileged.length > 0
      ? [`privileged (${plural("container", privileged)} must not set securityContext.privileged=true)`]
      : []),
    ...(added.length > 0
      ? [`non-default capabilities (must not include ${quoted(added)} in securityContext.capabilities.add)`]
      : []),
  ];
}

function restricted(spec: Json): string[] {
  const found: string[] = [];
  const volumes = (spec.volumes ?? []).flatMap((volume: Json) =>
    Object.keys(volume).filter((name) => name !== "name" && !ALLOWED_VOLUMES.has(name)).map((type) =>
      `volume "${volume.name}" uses restricted volume type "${type}"`
    )
  );
  if (volumes.length > 0) found.push(`restricted volume types (${volumes.join("; ")})`);
  const escalating = named(spec, (security) => security.allowPrivilegeEscalation !== false);
  if (escalating.length > 0) {
    const who = plural("container", escalating);
    found.push(`allowPrivilegeEscalation != false (${who} must set securityContext.allowPrivilegeEscalation=false)`);
  }
  const capable = named(spec, (security) => !(security.capabilities?.drop ?? []).includes("ALL"));
  if (capable.length > 0) {
    const who = plural("container", capable);
    found.push(`unrestricted capabilities (${who} must set securityContext.capabilities.drop=["ALL"])`);
  }
  found.push(...rootful(spec));
  const profile = spec.securityContext?.seccompProfile?.type;
  const open = named(spec, (security) => !isConfined(security.seccompProfile?.type ?? profile));
  if (open.length > 0) {
    const who = plural("container", open);
    const wanted = `securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`;
    found.push(`seccompProfile (pod or ${who} must set ${wanted})`);
  }
  return found;
}

function rootful(spec: Json): string[] {
  const pod = spec.securityContext?.runAsNonRoot;
  const refusing = named(spec, (security) => security.runAsNonRoot === false);
  const silent = named(spec, (security) => security.runAsNonRoot === undefined && pod !== true);
  const whys = [
    ...(pod === false ? ["pod must not set securityContext.runAsNonRoot=false"] : []),
    ...(refusing.length > 0
      ? [`${plural("container", refusing)} must not set securityContext.runAsNonRoot=false`]
      : []),
    ...(pod !== false && silent.length > 0
      ? [`pod or ${plural("container", silent)} must set securityContext.runAsNonRoot=true`]
      : []),
  ];
  const zero = named(spec, (security) => security.runAsUser === 0);
  const users = [
    ...(spec.securityContext?.runAsUser === 0 ? ["pod must not set runAsUser=0"] : []),
    ...(zero.length > 0 ? [`${plural("container", zero)} must not set runAsUser=0`] : []),
  ];
  return [
    ...(whys.length > 0 ? [`runAsNonRoot != true (${whys.join(", ")})`] : []),
    ...(users.length > 0 ? [`runAsUser=0 (${users.join(", ")})`] : []),
  ];
}

function isConfined(type: string | undefined): boolean {
  return type === "RuntimeDefault" || type === "Localhost";
}

function containersOf(spec: Json): Json[] {
  return [...spec.initContainers ?? [], ...spec.containers ?? []];
}

function named(spec: Json, is: (security: Json, container: Json) => boolean): string[] {
  return containersOf(spec).filter((container) => is(container.securityContext ?? {}, container)).map(({ name }) =>
    name
  );
}

function plural(word: string, names: readonly string[]): string {
  return `${word}${names.length > 1 ? "s" : ""} ${quoted(names)}`;
}

function quoted(names: readonly string[]): string {
  return names.map((name) => JSON.stringify(name)).join(", ");
}
