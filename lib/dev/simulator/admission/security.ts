/** Checks pods against the Pod Security levels `baseline` and `restricted`, with the API server's error messages. */
import type { Json, StoredObject } from "#lib/dev/simulator/store/object.ts";

export type PodSecurityLevel = "privileged" | "baseline" | "restricted";

export interface PodSecurityPolicy {
  readonly level: PodSecurityLevel;
  /** The security level and its version, for example `restricted:latest`. */
  readonly name: string;
}

const ALLOWED_VOLUMES = new Set(
  "configMap csi downwardAPI emptyDir ephemeral persistentVolumeClaim projected secret".split(" "),
);
const ALLOWED_CAPABILITIES = new Set(
  ("AUDIT_WRITE CHOWN DAC_OVERRIDE FOWNER FSETID KILL MKNOD NET_BIND_SERVICE SETFCAP SETGID SETPCAP SETUID SYS_CHROOT")
    .split(" "),
);

/** Returns the Pod Security level from a namespace's labels. The level for `warn` defaults to the one for `enforce`. */
export function readPodSecurityPolicy(
  namespace: StoredObject | undefined,
  mode: "enforce" | "warn",
): PodSecurityPolicy {
  const labels = namespace?.metadata.labels ?? {};
  const read = (name: string) => labels[`pod-security.kubernetes.io/${name}`];
  const which = mode === "warn" && !read("warn") ? "enforce" : mode;
  const level = (read(which) ?? "privileged") as PodSecurityLevel;
  return { level, name: `${level}:${read(`${which}-version`) ?? "latest"}` };
}

/** Describes how the pod spec violates the policy. Returns an empty string if there are no violations. */
export function describePodSecurityViolations(spec: Json, policy: PodSecurityPolicy): string {
  if (policy.level === "privileged" || !spec) return "";
  return joinViolations(...baseline(spec), ...(policy.level === "restricted" ? restricted(spec) : []));
}

type Violation = string | false;

function joinViolations(...found: readonly Violation[]): string {
  return found.filter((each) => each !== false && each !== "").join(", ");
}

function baseline(spec: Json): Violation[] {
  const hosts = ["hostNetwork", "hostPID", "hostIPC"].filter((name) => spec[name] === true).map((name) =>
    `${name}=true`
  );
  const paths = (spec.volumes ?? []).filter((volume: Json) => volume.hostPath).map((volume: Json) => volume.name);
  const ports = namesOfContainers(spec, (_, container) => (container.ports ?? []).some((port: Json) => port.hostPort));
  const privileged = namesOfContainers(spec, (security) => security.privileged === true);
  const added = containersOf(spec).flatMap((container) => container.securityContext?.capabilities?.add ?? [])
    .filter((capability: string) => !ALLOWED_CAPABILITIES.has(capability));
  return [
    hosts.length > 0 && `host namespaces (${hosts.join(", ")})`,
    paths.length > 0 && `hostPath volumes (${plural("volume", paths)})`,
    ports && `hostPort (${ports} uses hostPort)`,
    privileged && `privileged (${privileged} must not set securityContext.privileged=true)`,
    added.length > 0 &&
    `non-default capabilities (must not include ${quoted(added)} in securityContext.capabilities.add)`,
  ];
}

function restricted(spec: Json): Violation[] {
  const volumes = (spec.volumes ?? []).flatMap((volume: Json) =>
    Object.keys(volume).filter((name) => name !== "name" && !ALLOWED_VOLUMES.has(name)).map((type) =>
      `volume "${volume.name}" uses restricted volume type "${type}"`
    )
  );
  const { seccompProfile, runAsNonRoot, runAsUser } = spec.securityContext ?? {};
  const escalating = namesOfContainers(spec, (security) => security.allowPrivilegeEscalation !== false);
  const capable = namesOfContainers(spec, (security) => !(security.capabilities?.drop ?? []).includes("ALL"));
  const refusing = namesOfContainers(spec, (security) => security.runAsNonRoot === false);
  const silent = namesOfContainers(spec, (security) => security.runAsNonRoot === undefined && runAsNonRoot !== true);
  const root = namesOfContainers(spec, (security) => security.runAsUser === 0);
  const open = namesOfContainers(
    spec,
    (security) => !isConfined(security.seccompProfile?.type ?? seccompProfile?.type),
  );
  const rootful = joinViolations(
    runAsNonRoot === false && "pod must not set securityContext.runAsNonRoot=false",
    refusing && `${refusing} must not set securityContext.runAsNonRoot=false`,
    runAsNonRoot !== false && silent && `pod or ${silent} must set securityContext.runAsNonRoot=true`,
  );
  const users = joinViolations(
    runAsUser === 0 && "pod must not set runAsUser=0",
    root && `${root} must not set runAsUser=0`,
  );
  const profiles = 'securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"';
  return [
    volumes.length > 0 && `restricted volume types (${volumes.join("; ")})`,
    escalating &&
    `allowPrivilegeEscalation != false (${escalating} must set securityContext.allowPrivilegeEscalation=false)`,
    capable && `unrestricted capabilities (${capable} must set securityContext.capabilities.drop=["ALL"])`,
    rootful && `runAsNonRoot != true (${rootful})`,
    users && `runAsUser=0 (${users})`,
    open && `seccompProfile (pod or ${open} must set ${profiles})`,
  ];
}

function isConfined(type: string | undefined): boolean {
  return type === "RuntimeDefault" || type === "Localhost";
}

function containersOf(spec: Json): Json[] {
  return [...spec.initContainers ?? [], ...spec.containers ?? []];
}

/** Returns the names of the containers for which `is` returns true, formatted for a message; empty if none matches. */
function namesOfContainers(spec: Json, is: (security: Json, container: Json) => boolean): string {
  const names = containersOf(spec).filter((each) => is(each.securityContext ?? {}, each)).map(({ name }) => name);
  return names.length > 0 ? plural("container", names) : "";
}

function plural(word: string, names: readonly string[]): string {
  return `${word}${names.length > 1 ? "s" : ""} ${quoted(names)}`;
}

function quoted(names: readonly string[]): string {
  return names.map((name) => JSON.stringify(name)).join(", ");
}
