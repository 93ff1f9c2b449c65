/** Checks a cluster's version, clock, nodes and permissions. Contains only pure functions. */
import type { SiteSize } from "#lib/moodle/sizes.ts";
import { findStatusCondition } from "#lib/drivers/cluster/diagnosis/inspect-objects.ts";
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { parseQuantity } from "#lib/drivers/cluster/diagnosis/quantity.ts";
import { formatCount, formatList } from "#lib/base/text.ts";
import {
  createFailure,
  createPass,
  createUncheckedFinding,
  createWarning,
  type Finding,
  type ReadResult,
} from "#lib/doctor/finding.ts";
import { isClusterWidePermission, type RequiredPermission } from "#lib/doctor/permissions.ts";
import { SECOND } from "#lib/base/time.ts";

// The oldest supported minor version of Kubernetes (pod security admission needs 1.25), and the oldest tested one.
const MIN_MINOR_VERSION = 25, TESTED_MINOR_VERSION = 28;

export function checkKubernetesVersion(version: string): Finding {
  const [, major, minor] = /^v?(\d+)\.(\d+)/.exec(version) ?? [];
  const check = "version", hint = `Upgrade the cluster to Kubernetes 1.${TESTED_MINOR_VERSION} or newer.`;
  if (major === undefined) {
    return createWarning(check, `could not be checked: the server reports version ${version}`);
  }
  const message = `Kubernetes ${version}`;
  if (Number(major) > 1 || Number(minor) >= TESTED_MINOR_VERSION) return createPass(check, message);
  if (Number(minor) >= MIN_MINOR_VERSION) {
    return createWarning(check, `${message} is older than the tested versions`, hint);
  }
  return createFailure(
    check,
    `${message} is too old: pod security is not reliably enforced before 1.${MIN_MINOR_VERSION}`,
    hint,
  );
}

const MAX_CLOCK_SKEW = 5 * SECOND;

/** Compares a server's clock with this machine's clock. `aheadMs` is negative if the server's clock is behind. */
export function checkClock(aheadMs: number, clockName: string): Finding {
  const check = "clock";
  if (Math.abs(aheadMs) <= MAX_CLOCK_SKEW) return createPass(check, `${clockName} matches this machine's clock`);
  const skew = `${Math.round(Math.abs(aheadMs) / SECOND)} s ${aheadMs > 0 ? "ahead of" : "behind"} this machine`;
  return createWarning(check, `${clockName} is ${skew}`, "Synchronize both clocks with NTP.");
}

/** Checks whether any node is large enough for a site of the given size. Ignores resources that other pods use. */
export function checkNodes(nodes: ReadResult<readonly KubeObject[]>, size: string, resources: SiteSize): Finding {
  const check = "nodes";
  if (!("value" in nodes)) return createUncheckedFinding(check, nodes);
  const usable = nodes.value.filter((node) =>
    findStatusCondition(node, "Ready")?.status === "True" && node["spec"]?.unschedulable !== true
  );
  if (usable.length === 0) {
    const message = nodes.value.length === 0
      ? "the cluster has no nodes"
      : `none of ${formatCount(nodes.value.length, "node")} is ready`;
    return createFailure(check, message, "Add a node. For details, run: kubectl describe nodes");
  }
  const architectures = formatList(
    [...new Set(usable.map((node) => node["status"]?.nodeInfo?.architecture ?? "unknown"))].sort(),
  );
  const message = `${usable.length} ready (${architectures})`;
  const pods = [resources.app, resources.database, resources.cron].map(({ requests }) => requests);
  const cpu = sum(pods.map((each) => each.cpu)), memory = sum(pods.map((each) => each.memory));
  const fits = usable.some(({ status }) =>
    parseQuantity(String(status?.allocatable?.cpu)) >= cpu &&
    parseQuantity(String(status?.allocatable?.memory)) >= memory
  );
  const requestText = `${Math.round(cpu * 1000)}m CPU and ${Math.round(memory / 2 ** 20)}Mi`;
  if (fits) return createPass(check, `${message}; a ${size} spoke requests ${requestText}`);
  return createWarning(
    check,
    `${message}, but none has ${requestText} for a ${size} spoke`,
    "Add a larger node.",
  );
}

function sum(quantities: readonly string[]): number {
  return quantities.reduce((total, each) => total + parseQuantity(each), 0);
}

const ROLE_HINT = "Bind the roles in deploy/kubernetes/cluster-role.yaml to the account in the kubeconfig.";

export interface PermissionReview {
  readonly required: readonly RequiredPermission[];
  /** The required permissions that the account does not have. */
  readonly denied: readonly RequiredPermission[];
  /** Whether the account is allowed to create role bindings. */
  readonly canBind: boolean;
}

/**
 * Returns whether CLUSTER_ROLE must be set: the account has all cluster-wide permissions and can bind roles, but has no
 * permissions within namespaces.
 */
export function needsClusterRole({ required, denied, canBind }: PermissionReview): boolean {
  const namespaced = required.filter((each) => !isClusterWidePermission(each));
  return canBind && denied.length === namespaced.length && denied.every((each) => !isClusterWidePermission(each));
}

export function createMissingRoleFinding(): Finding {
  return createFailure(
    "permissions",
    "CLUSTER_ROLE is not set, but the account must bind this role in a namespace to get permissions there",
    "Set CLUSTER_ROLE to wheelwright-spoke, the role in deploy/kubernetes/cluster-role.yaml.",
  );
}

export function checkPermissions(reading: ReadResult<Omit<PermissionReview, "canBind">>): Finding[] {
  const check = "permissions";
  if (!("value" in reading)) return [createUncheckedFinding(check, reading)];
  const { required, denied } = reading.value;
  if (denied.length === 0) return [createPass(check, `all ${required.length} required permissions are granted`)];
  const critical = denied.filter((permission) => permission.consequence === null);
  const optional = Map.groupBy(
    denied.filter((permission) => permission.consequence !== null),
    (permission) => permission.consequence!,
  );
  return [
    ...(critical.length > 0 ? [createFailure(check, `missing: ${formatPermissions(critical)}`, ROLE_HINT)] : []),
    ...[...optional].map(([consequence, permissions]) =>
      createWarning(check, `missing: ${formatPermissions(permissions)} (${consequence})`, ROLE_HINT)
    ),
  ];
}

/** Formats permissions as text, for example "create and delete jobs.batch; get pods/log". */
function formatPermissions(permissions: readonly RequiredPermission[]): string {
  const verbs = new Map<string, string[]>();
  for (const { verb, group, resource, name } of permissions) {
    const [plural, sub] = resource.split("/");
    const qualified = `${plural}${group && `.${group}`}${sub ? `/${sub}` : ""}${name ? ` ${name}` : ""}`;
    verbs.set(qualified, [...verbs.get(qualified) ?? [], verb]);
  }
  return [...verbs].map(([resource, all]) => `${formatList(all)} ${resource}`).join("; ");
}
