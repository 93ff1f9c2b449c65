/** Checks one cluster: reads its objects, runs tests in a temporary namespace, and returns the findings. */
import type { ClusterSettings } from "#lib/moodle/sizes.ts";
import type { Cluster, KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { type KubeconfigSource, openCluster } from "#lib/drivers/cluster/open.ts";
import {
  createFailure,
  createPass,
  createUncheckedFinding,
  createWarning,
  type Finding,
  type FindingSection,
  type ReadResult,
} from "#lib/doctor/finding.ts";
import {
  checkCertificateIssuer,
  checkIngressClass,
  checkSnapshotClasses,
  checkStorageClasses,
} from "#lib/doctor/check-classes.ts";
import {
  checkClock,
  checkKubernetesVersion,
  checkNodes,
  checkPermissions,
  createMissingRoleFinding,
  needsClusterRole,
  type PermissionReview,
} from "#lib/doctor/check-cluster.ts";
import { checkTrialResults } from "#lib/doctor/check-trial.ts";
import { toReadFailure } from "#lib/doctor/timed-read.ts";
import { listRequiredPermissions, type RequiredPermission, ROLE_BIND_PERMISSION } from "#lib/doctor/permissions.ts";
import type { TrialPlan } from "#lib/doctor/trial-objects.ts";
import { deleteOldTrialNamespaces, runTrial, type TrialOptions } from "#lib/doctor/trial.ts";
import type { Log } from "#lib/base/log.ts";
import { MINUTE } from "#lib/base/time.ts";

export interface ClusterTarget {
  readonly name: string;
  /** The kubeconfig file and its context, as text for the user. */
  readonly location: string;
  readonly kubeconfig: KubeconfigSource;
  /** The requirements of the blueprint (site manifests) in each region that uses this cluster. */
  readonly requirements: readonly BlueprintRequirements[];
}

export interface BlueprintRequirements {
  readonly surroundings: ClusterSettings;
  /** The ClusterIssuer that issues certificates for spokes. Null if none is used. */
  readonly issuer: string | null;
  /** The ClusterIssuer that Wheelwright creates. Null if Wheelwright creates none. */
  readonly createdIssuer: string | null;
}

export interface ClusterCheckOptions extends Omit<TrialPlan, "surroundings"> {
  /** Whether to run the trial, which starts pods in a temporary namespace. */
  readonly trial: boolean;
  readonly version: string;
  /** The value of CLUSTER_ROLE: the ClusterRole to bind in namespaces. Null if CLUSTER_ROLE is not set. */
  readonly role: string | null;
  readonly log: Log;
}

const STORAGE = { apiVersion: "storage.k8s.io/v1", kind: "StorageClass" };
const SNAPSHOT = { apiVersion: "snapshot.storage.k8s.io/v1", kind: "VolumeSnapshotClass" };
const INGRESS = { apiVersion: "networking.k8s.io/v1", kind: "IngressClass" };
const ISSUER = { apiVersion: "cert-manager.io/v1", kind: "ClusterIssuer" };
const NODE = { apiVersion: "v1", kind: "Node" };

/** How long a pod may stay unscheduled, or fail to pull its image, before it counts as failed, in milliseconds. */
const POD_START_PATIENCE = { unschedulableMs: MINUTE, imageMs: MINUTE };

export async function runClusterChecks(
  target: ClusterTarget,
  plan: ClusterCheckOptions,
  trialOptions: TrialOptions,
): Promise<FindingSection> {
  const section = (where: string, findings: readonly Finding[]): FindingSection => ({
    ...{ target: "cluster", name: target.name, where },
    findings: removeDuplicates(findings),
  });
  const { name, kubeconfig } = target, { version, role, log } = plan;
  const patience = POD_START_PATIENCE, deadline = trialOptions.callTimeout;
  const connection = await trialOptions.timedRead(() =>
    openCluster({ name, kubeconfig, version, role, log, patience, deadline })
  );
  if (!("value" in connection)) return section(target.location, [createUnreachable(connection)]);
  const cluster = connection.value;
  try {
    const versionResult = await trialOptions.timedRead((signal) => cluster.version({ signal }));
    const about = await cluster.about();
    const where = `${about.server}, ${target.location}`;
    if (!("value" in versionResult)) return section(where, [createUnreachable(versionResult)]);
    const clock = checkClock(about.aheadMs, "the cluster's clock");
    const { findings, hasRole } = await checkExistingObjects(cluster, target, plan, trialOptions);
    const clusterFindings = [checkKubernetesVersion(versionResult.value), clock, ...findings];
    if (!hasRole) return section(where, [...clusterFindings, TRIAL_NOT_POSSIBLE]);
    return section(where, [...clusterFindings, ...await checkByTrial(cluster, target, plan, trialOptions)]);
  } finally {
    await cluster.close();
  }
}

function createUnreachable({ error, hint }: Extract<ReadResult<never>, { readonly error: string }>): Finding {
  return createFailure(
    "connection",
    `cannot use the cluster: ${error}`,
    hint ?? "Check the server and the credentials in KUBECONFIG.",
  );
}

const TRIAL_NOT_POSSIBLE = createWarning(
  "trial",
  "pod security, quotas, images and network were not tested: the account lacks the permissions",
);

/** Checks objects that already exist in the cluster. `hasRole` is false if CLUSTER_ROLE is required but not set. */
async function checkExistingObjects(
  cluster: Cluster,
  target: ClusterTarget,
  plan: ClusterCheckOptions,
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
  const optionalKinds = [[snapshots, SNAPSHOT], [issuers, ISSUER]] as const;
  const unserved = optionalKinds.flatMap(([result, kind]) =>
    "value" in result && result.value === null ? [kind.apiVersion.split("/")[0]!] : []
  );
  const required = listRequiredPermissions(plan.role, [
    ...new Set(target.requirements.flatMap(({ createdIssuer }) => createdIssuer ?? [])),
  ]);
  const permissions = await timedRead((signal) => reviewPermissions(cluster, required, unserved, signal));
  const hasRole = plan.role !== null || !("value" in permissions) || !needsClusterRole(permissions.value);
  const findings = [
    ...target.requirements.flatMap(({ surroundings }) => checkStorageClasses(storage, surroundings)),
    ...target.requirements.map(({ surroundings }) => checkSnapshotClasses(storage, snapshots, surroundings)),
    ...target.requirements.map(({ surroundings }) => checkIngressClass(ingress, surroundings)),
    ...target.requirements.map(({ surroundings, issuer }) => checkCertificateIssuer(issuers, surroundings, issuer)),
    checkNodes(nodes, plan.size, plan.resources),
    ...hasRole ? checkPermissions(permissions) : [createMissingRoleFinding()],
  ];
  return { findings, hasRole };
}

async function reviewPermissions(
  cluster: Cluster,
  permissions: readonly RequiredPermission[],
  unserved: readonly string[],
  signal: AbortSignal,
): Promise<PermissionReview> {
  const isServed = ({ group }: RequiredPermission) =>
    !unserved.some((apiGroup) => `.${group}`.endsWith(`.${apiGroup}`));
  const servedPermissions = permissions.filter(isServed);
  const [canBind, ...answers] = await Promise.all(
    [ROLE_BIND_PERMISSION, ...servedPermissions].map((permission) => cluster.allows(permission, { signal })),
  );
  return {
    required: servedPermissions,
    denied: servedPermissions.filter((_, index) => !answers[index]),
    canBind: canBind === true,
  };
}

/** Tests the cluster with dry runs, and with pods in a temporary namespace. */
async function checkByTrial(
  cluster: Cluster,
  { requirements: [requirement] }: ClusterTarget,
  plan: ClusterCheckOptions,
  trialOptions: TrialOptions,
): Promise<Finding[]> {
  if (!plan.trial) {
    return [
      createWarning(
        "trial",
        "pod security, quotas, images and network were not tested",
        "Run doctor without --no-probe to include these tests.",
      ),
    ];
  }
  const deletion = await trialOptions.timedRead((signal) =>
    deleteOldTrialNamespaces(cluster, plan.release, { signal })
  );
  const deletedNames = "value" in deletion ? deletion.value : [];
  return [
    ...await tryTrial(cluster, { ...plan, surroundings: requirement!.surroundings }, trialOptions),
    ...deletedNames.map((name) => createPass("trial", `removed namespace ${name}, which an earlier run left behind`)),
  ];
}

/** Runs the trial (tests in a temporary namespace). If it cannot be completed, returns a finding with the error. */
async function tryTrial(cluster: Cluster, plan: TrialPlan, trialOptions: TrialOptions): Promise<Finding[]> {
  try {
    return checkTrialResults(await runTrial(cluster, plan, trialOptions));
  } catch (error) {
    trialOptions.signal.throwIfAborted();
    return [createUncheckedFinding("trial", toReadFailure(error))];
  }
}

/** Removes duplicate findings, which occur when several regions have the same requirements. */
function removeDuplicates(findings: readonly Finding[]): Finding[] {
  const key = ({ check, message }: Finding) => `${check} ${message}`;
  return [...new Map(findings.map((finding) => [key(finding), finding])).values()];
}
