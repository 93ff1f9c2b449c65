/** Checks a cluster's version, clock, nodes and permissions. Pure. */
import type { Size } from "#lib/moodle/sizes.ts";
import { conditionOf } from "#lib/drivers/cluster/diagnosis/inspect-objects.ts";
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { parseQuantity } from "#lib/drivers/cluster/diagnosis/quantity.ts";
import {
  countOf,
  failing,
  type Finding,
  listWords,
  passing,
  type ReadResult,
  unknownFinding,
  warning,
} from "#lib/doctor/finding.ts";
import { isClusterWide, type RequiredPermission } from "#lib/doctor/permissions.ts";
import { SECOND } from "#lib/base/time.ts";

// The minor versions of Kubernetes that are required and tested. Pod security admission needs 1.25. Job conditions have
// had their current meaning since 1.28, and older versions are not tested.
const LEAST = 25, TRIED = 28;

export function checkVersion(version: string): Finding {
  const [, major, minor] = /^v?(\d+)\.(\d+)/.exec(version) ?? [];
  const check = "version", hint = `Upgrade the cluster to Kubernetes 1.${TRIED} or newer.`;
  if (major === undefined) return warning(check, `could not be checked: the server calls itself ${version}`);
  const message = `Kubernetes ${version}`;
  if (Number(major) > 1 || Number(minor) >= TRIED) return passing(check, message);
  if (Number(minor) >= LEAST) return warning(check, `${message} is older than what this program is tried with`, hint);
  return failing(check, `${message} is too old: pod security is not certain to be enforced before 1.${LEAST}`, hint);
}

const SKEW = 5 * SECOND;

/** Checks a clock. `ahead` is the milliseconds by which it is ahead of this machine's clock. */
export function checkClock(ahead: number, whose: string): Finding {
  const check = "clock";
  if (Math.abs(ahead) <= SKEW) return passing(check, `${whose} and this machine agree`);
  const how = `${Math.round(Math.abs(ahead) / SECOND)} s ${ahead > 0 ? "ahead of" : "behind"} this machine`;
  return warning(check, `${whose} is ${how}`, "Let both follow a time server (NTP).");
}

/** Checks whether a node is large enough for one small spoke. Ignores the resources that other pods use. */
export function checkNodes(nodes: ReadResult<readonly KubeObject[]>, size: string, resources: Size): Finding {
  const check = "nodes";
  if (!("seen" in nodes)) return unknownFinding(check, nodes);
  const usable = nodes.seen.filter((node) =>
    conditionOf(node, "Ready")?.status === "True" && node["spec"]?.unschedulable !== true
  );
  if (usable.length === 0) {
    const message = nodes.seen.length === 0
      ? "there is no node"
      : `none of ${countOf(nodes.seen.length, "node")} is ready`;
    return failing(check, message, "Add a node, or see kubectl describe nodes.");
  }
  const kinds = listWords(
    [...new Set(usable.map((node) => node["status"]?.nodeInfo?.architecture ?? "unknown"))].sort(),
  );
  const message = `${usable.length} ready (${kinds})`;
  const pods = [resources.app, resources.database, resources.cron].map(({ requests }) => requests);
  const cpu = sum(pods.map((each) => each.cpu)), memory = sum(pods.map((each) => each.memory));
  const fits = usable.some(({ status }) =>
    parseQuantity(String(status?.allocatable?.cpu)) >= cpu &&
    parseQuantity(String(status?.allocatable?.memory)) >= memory
  );
  const wanted = `${Math.round(cpu * 1000)}m CPU and ${Math.round(memory / 2 ** 20)}Mi`;
  if (fits) return passing(check, `${message}; a ${size} spoke asks for ${wanted}`);
  return warning(check, `${message}, but none has the ${wanted} that a ${size} spoke asks for`, "Add a larger node.");
}

function sum(quantities: readonly string[]): number {
  return quantities.reduce((total, each) => total + parseQuantity(each), 0);
}

const ROLE = "Give the account of the kubeconfig the roles of deploy/kubernetes/cluster-role.yaml.";

export interface ReviewedPermissions {
  readonly asked: readonly RequiredPermission[];
  /** The checked permissions that the account lacks. */
  readonly denied: readonly RequiredPermission[];
  /** Whether the account may create role bindings. */
  readonly mayBind: boolean;
}

/**
 * Returns whether CLUSTER_ROLE must be set. This is the case if the account has all cluster-wide permissions and may
 * bind roles, but has no permissions in namespaces.
 */
export function needsRole({ asked, denied, mayBind }: ReviewedPermissions): boolean {
  const inside = asked.filter((each) => !isClusterWide(each));
  return mayBind && denied.length === inside.length && denied.every((each) => !isClusterWide(each));
}

export function checkMissingRole(): Finding {
  return failing(
    "permissions",
    "CLUSTER_ROLE is not set: the account has no rights in namespaces but those that it binds a role in",
    "Set it to that role, wheelwright-spoke in deploy/kubernetes/cluster-role.yaml.",
  );
}

export function checkPermissions(reading: ReadResult<Omit<ReviewedPermissions, "mayBind">>): Finding[] {
  const check = "permissions";
  if (!("seen" in reading)) return [unknownFinding(check, reading)];
  const { asked, denied } = reading.seen;
  if (denied.length === 0) return [passing(check, `all ${asked.length} that are used`)];
  const needed = denied.filter(({ without }) => without === null);
  const costs = [...new Set(denied.flatMap(({ without }) => without ?? []))];
  return [
    ...(needed.length > 0 ? [failing(check, `may not ${name(needed)}`, ROLE)] : []),
    ...costs.map((cost) =>
      warning(check, `may not ${name(denied.filter(({ without }) => without === cost))}: ${cost}`, ROLE)
    ),
  ];
}

/** Formats permissions, for example "create and delete jobs.batch; get pods/log". */
function name(permissions: readonly RequiredPermission[]): string {
  const verbs = new Map<string, string[]>();
  for (const { verb, group, resource, name } of permissions) {
    const [plural, sub] = resource.split("/");
    const whole = `${plural}${group && `.${group}`}${sub ? `/${sub}` : ""}${name ? ` ${name}` : ""}`;
    verbs.set(whole, [...verbs.get(whole) ?? [], verb]);
  }
  return [...verbs].map(([resource, all]) => `${listWords(all)} ${resource}`).join("; ");
}
