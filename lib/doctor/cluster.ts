/** Checks one cluster: reads its objects, runs the trial and returns findings. */
import type { ClusterSettings } from "#lib/moodle/sizes.ts";
import type { Cluster, KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { type KubeconfigSource, openCluster } from "#lib/drivers/cluster/open.ts";
import {
  failing,
  type Finding,
  passing,
  type ReadResult,
  type Section,
  unknownFinding,
  warning,
} from "#lib/doctor/finding.ts";
import {
  checkIngressClass,
  checkIssuer,
  checkSnapshotClasses,
  checkStorageClasses,
} from "#lib/doctor/check-classes.ts";
import {
  checkClock,
  checkMissingRole,
  checkNodes,
  checkPermissions,
  checkVersion,
  needsRole,
  type ReviewedPermissions,
} from "#lib/doctor/check-cluster.ts";
import { checkTrial } from "#lib/doctor/check-trial.ts";
import { unreadable } from "#lib/doctor/timed-read.ts";
import { BIND_PERMISSION, permissionsFor, type RequiredPermission } from "#lib/doctor/permissions.ts";
import type { TrialPlan } from "#lib/doctor/trial-objects.ts";
import { deleteRemainingNamespaces, runTrial, type TrialOptions } from "#lib/doctor/trial.ts";
import type { Log } from "#lib/base/log.ts";
import { MINUTE } from "#lib/base/time.ts";

export interface ClusterTarget {
  readonly name: string;
  /** The kubeconfig file and the context, for display. */
  readonly where: string;
  readonly kubeconfig: KubeconfigSource;
  /** The requirements of the blueprint and of the regions that use this cluster. */
  readonly needs: readonly BlueprintNeeds[];
}

export interface BlueprintNeeds {
  readonly surroundings: ClusterSettings;
  /** The ClusterIssuer that spokes would use. */
  readonly issuer: string | null;
  /** The ClusterIssuer that the program would create; null if it creates none. */
  readonly created: string | null;
}

export interface ClusterExamination extends Omit<TrialPlan, "surroundings"> {
  /** Whether the trial may start pods in its own namespace. */
  readonly trial: boolean;
  readonly version: string;
  /** The value of CLUSTER_ROLE. */
  readonly role: string | null;
  readonly log: Log;
}

const STORAGE = { apiVersion: "storage.k8s.io/v1", kind: "StorageClass" };
const SNAPSHOT = { apiVersion: "snapshot.storage.k8s.io/v1", kind: "VolumeSnapshotClass" };
const INGRESS = { apiVersion: "networking.k8s.io/v1", kind: "IngressClass" };
const ISSUER = { apiVersion: "cert-manager.io/v1", kind: "ClusterIssuer" };
const NODE = { apiVersion: "v1", kind: "Node" };

/** Time limits for starting pods, in milliseconds. An autoscaler may need a minute to add a node. */
const IMPATIENCE = { unschedulableMs: MINUTE, imageMs: MINUTE };

export async function examineCluster(
  target: ClusterTarget,
  plan: ClusterExamination,
  trying: TrialOptions,
): Promise<Section> {
  const section = (where: string, findings: readonly Finding[]): Section => ({
    ...{ target: "cluster", name: target.name, where },
    findings: unique(findings),
  });
  const { name, kubeconfig } = target, { version, role, log } = plan;
  const patience = IMPATIENCE, deadline = trying.limit;
  const opened = await trying.timedRead(() =>
    openCluster({ name, kubeconfig, version, role, log, patience, deadline })
  );
  if (!("seen" in opened)) return section(target.where, [unreachable(opened)]);
  const cluster = opened.seen;
  try {
    const answered = await trying.timedRead((signal) => cluster.version({ signal }));
    const about = await cluster.about();
    const where = `${about.server}, ${target.where}`;
    if (!("seen" in answered)) return section(where, [unreachable(answered)]);
    const clock = checkClock(about.aheadMs, "the cluster's clock");
    const { findings, hasRole } = await examineStanding(cluster, target, plan, trying);
    const standing = [checkVersion(answered.seen), clock, ...findings];
    if (!hasRole) return section(where, [...standing, NOT_TRIED]);
    return section(where, [...standing, ...await examineByTrial(cluster, target, plan, trying)]);
  } finally {
    await cluster.close();
  }
}

function unreachable({ unseen, hint }: Extract<ReadResult<never>, { readonly unseen: string }>): Finding {
  return failing("connection", `it cannot be used: ${unseen}`, hint ?? "See KUBECONFIG: its server and credentials.");
}

const NOT_TRIED = warning(
  "trial",
  "pod security, quotas, images and network were not tried: the account may not try them",
);

/** Checks the existing objects of the cluster. `hasRole` is false if CLUSTER_ROLE is required but not set. */
async function examineStanding(
  cluster: Cluster,
  target: ClusterTarget,
  plan: ClusterExamination,
  { timedRead }: TrialOptions,
): Promise<{ readonly findings: readonly Finding[]; readonly hasRole: boolean }> {
  type Kind = typeof NODE;
  const all = (kind: Kind) => timedRead((signal) => cluster.listAll(kind, "", { signal }));
  const served = (kind: Kind): Promise<ReadResult<readonly KubeObject[] | null>> =>
    timedRead(async (signal) =>
      await cluster.serves(kind, { signal }) ? await cluster.listAll(kind, "", { signal }) : null
    );
  const [storage, snapshots, ingress, issuers, nodes] = await Promise.all([
    all(STORAGE),
    served(SNAPSHOT),
    all(INGRESS),
    served(ISSUER),
    all(NODE),
  ]);
  const absent = [[snapshots, SNAPSHOT], [issuers, ISSUER]] as const;
  const unserved = absent.flatMap(([reading, kind]) =>
    "seen" in reading && reading.seen === null ? [kind.apiVersion.split("/")[0]!] : []
  );
  const used = permissionsFor(plan.role, [...new Set(target.needs.flatMap(({ created }) => created ?? []))]);
  const permissions = await timedRead((signal) => reviewAll(cluster, used, unserved, signal));
  const hasRole = plan.role !== null || !("seen" in permissions) || !needsRole(permissions.seen);
  const findings = [
    ...target.needs.flatMap(({ surroundings }) => checkStorageClasses(storage, surroundings)),
    ...target.needs.map(({ surroundings }) => checkSnapshotClasses(storage, snapshots, surroundings)),
    ...target.needs.map(({ surroundings }) => checkIngressClass(ingress, surroundings)),
    ...target.needs.map(({ surroundings, issuer }) => checkIssuer(issuers, surroundings, issuer)),
    checkNodes(nodes, plan.size, plan.resources),
    ...hasRole ? checkPermissions(permissions) : [checkMissingRole()],
  ];
  return { findings, hasRole };
}

async function reviewAll(
  cluster: Cluster,
  permissions: readonly RequiredPermission[],
  unserved: readonly string[],
  signal: AbortSignal,
): Promise<ReviewedPermissions> {
  const isThere = ({ group }: RequiredPermission) => !unserved.some((absent) => `.${group}`.endsWith(`.${absent}`));
  const asked = permissions.filter(isThere);
  const [mayBind, ...answers] = await Promise.all(
    [BIND_PERMISSION, ...asked].map((permission) => cluster.allows(permission, { signal })),
  );
  return { asked, denied: asked.filter((_, index) => !answers[index]), mayBind: mayBind === true };
}

/** Runs the trial, which uses dry runs and pods in a temporary namespace. */
async function examineByTrial(
  cluster: Cluster,
  { needs: [need] }: ClusterTarget,
  plan: ClusterExamination,
  trying: TrialOptions,
): Promise<Finding[]> {
  if (!plan.trial) {
    return [warning("trial", "pod security, quotas, images and network were not tried", "Leave --no-probe out.")];
  }
  const left = await trying.timedRead((signal) => deleteRemainingNamespaces(cluster, plan.release, { signal }));
  const cleared = "seen" in left ? left.seen : [];
  return [
    ...await examineTrial(cluster, { ...plan, surroundings: need!.surroundings }, trying),
    ...cleared.map((name) => passing("trial", `removed the namespace ${name}, which an earlier doctor left behind`)),
  ];
}

/** Runs the trial and returns its findings. If the trial itself fails, returns a finding with the error. */
async function examineTrial(cluster: Cluster, plan: TrialPlan, trying: TrialOptions): Promise<Finding[]> {
  try {
    return checkTrial(await runTrial(cluster, plan, trying));
  } catch (error) {
    trying.signal.throwIfAborted();
    return [unknownFinding("trial", unreadable(error))];
  }
}

/** Removes duplicate findings, which regions with the same requirements produce. */
function unique(findings: readonly Finding[]): Finding[] {
  const key = ({ check, message }: Finding) => `${check} ${message}`;
  return [...new Map(findings.map((finding) => [key(finding), finding])).values()];
}
