/** Checks one cluster: reads its objects, runs the trial and returns findings. */
import type { Surroundings } from "#lib/moodle/sizes.ts";
import type { Cluster, KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { type KubeconfigSource, openCluster } from "#lib/drivers/cluster/open.ts";
import { failing, type Finding, type Looked, passing, type Section, untold, warning } from "#lib/doctor/finding.ts";
import { judgeCertificates, judgeIngress, judgeSnapshots, judgeStorage } from "#lib/doctor/judge-classes.ts";
import {
  judgeClock,
  judgeMissingRole,
  judgeNodes,
  judgePermissions,
  judgeVersion,
  needsRole,
  type ReviewedPermissions,
} from "#lib/doctor/judge-cluster.ts";
import { judgeTrial } from "#lib/doctor/judge-trial.ts";
import { unseen } from "#lib/doctor/look.ts";
import { BIND, type Permission, permissionsFor } from "#lib/doctor/permissions.ts";
import type { TrialPlan } from "#lib/doctor/trial-objects.ts";
import { clearLeftovers, type Trying, tryOut } from "#lib/doctor/trial.ts";
import type { Log } from "#lib/base/log.ts";
import { MINUTE } from "#lib/base/time.ts";

export interface ClusterPlace {
  readonly name: string;
  /** The kubeconfig file and the context, for display. */
  readonly where: string;
  readonly kubeconfig: KubeconfigSource;
  /** The requirements of the blueprint and of the regions that use this cluster. */
  readonly needs: readonly Need[];
}

export interface Need {
  readonly surroundings: Surroundings;
  /** The ClusterIssuer that spokes would use. */
  readonly issuer: string | null;
  /** The ClusterIssuer that the program would create; null if it creates none. */
  readonly created: string | null;
}

export interface ClusterPlan extends Omit<TrialPlan, "surroundings"> {
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

export async function examineCluster(place: ClusterPlace, plan: ClusterPlan, trying: Trying): Promise<Section> {
  const section = (where: string, findings: readonly Finding[]): Section => ({
    ...{ place: "cluster", name: place.name, where },
    findings: unique(findings),
  });
  const { name, kubeconfig } = place, { version, role, log } = plan;
  const patience = IMPATIENCE, deadline = trying.limit;
  const opened = await trying.look(() => openCluster({ name, kubeconfig, version, role, log, patience, deadline }));
  if (!("seen" in opened)) return section(place.where, [unreachable(opened)]);
  const cluster = opened.seen;
  try {
    const answered = await trying.look((signal) => cluster.version({ signal }));
    const about = await cluster.about();
    const where = `${about.server}, ${place.where}`;
    if (!("seen" in answered)) return section(where, [unreachable(answered)]);
    const clock = judgeClock(about.aheadMs, "the cluster's clock");
    const { findings, hasRole } = await examineStanding(cluster, place, plan, trying);
    const standing = [judgeVersion(answered.seen), clock, ...findings];
    if (!hasRole) return section(where, [...standing, NOT_TRIED]);
    return section(where, [...standing, ...await examineByTrial(cluster, place, plan, trying)]);
  } finally {
    await cluster.close();
  }
}

function unreachable({ unseen, hint }: Extract<Looked<never>, { readonly unseen: string }>): Finding {
  return failing("connection", `it cannot be used: ${unseen}`, hint ?? "See KUBECONFIG: its server and credentials.");
}

const NOT_TRIED = warning(
  "trial",
  "pod security, quotas, images and network were not tried: the account may not try them",
);

/** Checks the existing objects of the cluster. `hasRole` is false if CLUSTER_ROLE is required but not set. */
async function examineStanding(
  cluster: Cluster,
  place: ClusterPlace,
  plan: ClusterPlan,
  { look }: Trying,
): Promise<{ readonly findings: readonly Finding[]; readonly hasRole: boolean }> {
  type Kind = typeof NODE;
  const all = (kind: Kind) => look((signal) => cluster.listAll(kind, "", { signal }));
  const served = (kind: Kind): Promise<Looked<readonly KubeObject[] | null>> =>
    look(async (signal) => await cluster.serves(kind, { signal }) ? await cluster.listAll(kind, "", { signal }) : null);
  const [storage, snapshots, ingress, issuers, nodes] = await Promise.all([
    all(STORAGE),
    served(SNAPSHOT),
    all(INGRESS),
    served(ISSUER),
    all(NODE),
  ]);
  const absent = [[snapshots, SNAPSHOT], [issuers, ISSUER]] as const;
  const unserved = absent.flatMap(([sight, kind]) =>
    "seen" in sight && sight.seen === null ? [kind.apiVersion.split("/")[0]!] : []
  );
  const used = permissionsFor(plan.role, [...new Set(place.needs.flatMap(({ created }) => created ?? []))]);
  const permissions = await look((signal) => reviewAll(cluster, used, unserved, signal));
  const hasRole = plan.role !== null || !("seen" in permissions) || !needsRole(permissions.seen);
  const findings = [
    ...place.needs.flatMap(({ surroundings }) => judgeStorage(storage, surroundings)),
    ...place.needs.map(({ surroundings }) => judgeSnapshots(storage, snapshots, surroundings)),
    ...place.needs.map(({ surroundings }) => judgeIngress(ingress, surroundings)),
    ...place.needs.map(({ surroundings, issuer }) => judgeCertificates(issuers, surroundings, issuer)),
    judgeNodes(nodes, plan.size, plan.resources),
    ...hasRole ? judgePermissions(permissions) : [judgeMissingRole()],
  ];
  return { findings, hasRole };
}

async function reviewAll(
  cluster: Cluster,
  permissions: readonly Permission[],
  unserved: readonly string[],
  signal: AbortSignal,
): Promise<ReviewedPermissions> {
  const isThere = ({ group }: Permission) => !unserved.some((absent) => `.${group}`.endsWith(`.${absent}`));
  const asked = permissions.filter(isThere);
  const [mayBind, ...answers] = await Promise.all(
    [BIND, ...asked].map((permission) => cluster.allows(permission, { signal })),
  );
  return { asked, denied: asked.filter((_, index) => !answers[index]), mayBind: mayBind === true };
}

/** Runs the trial, which uses dry runs and pods in a temporary namespace. */
async function examineByTrial(
  cluster: Cluster,
  { needs: [need] }: ClusterPlace,
  plan: ClusterPlan,
  trying: Trying,
): Promise<Finding[]> {
  if (!plan.trial) {
    return [warning("trial", "pod security, quotas, images and network were not tried", "Leave --no-probe out.")];
  }
  const left = await trying.look((signal) => clearLeftovers(cluster, plan.release, { signal }));
  const cleared = "seen" in left ? left.seen : [];
  return [
    ...await examineTrial(cluster, { ...plan, surroundings: need!.surroundings }, trying),
    ...cleared.map((name) => passing("trial", `removed the namespace ${name}, which an earlier doctor left behind`)),
  ];
}

/** Runs the trial and returns its findings. If the trial itself fails, returns a finding with the error. */
async function examineTrial(cluster: Cluster, plan: TrialPlan, trying: Trying): Promise<Finding[]> {
  try {
    return judgeTrial(await tryOut(cluster, plan, trying));
  } catch (error) {
    trying.signal.throwIfAborted();
    return [untold("trial", unseen(error))];
  }
}

/** Removes duplicate findings, which regions with the same requirements produce. */
function unique(findings: readonly Finding[]): Finding[] {
  const key = ({ check, told }: Finding) => `${check} ${told}`;
  return [...new Map(findings.map((finding) => [key(finding), finding])).values()];
}
