/**
 * Builds the Kubernetes objects for a trial, which tests a cluster. They are in one namespace and are deleted with it.
 * Most of them come from the blueprint (site manifests), so that the trial matches real sites.
 */
import type { Blueprint } from "#lib/moodle/blueprint.ts";
import { MANAGED_BY_LABEL } from "#lib/drivers/cluster/guard.ts";
import { buildSampleSpokeInputs, type SpokeImages } from "#lib/moodle/releases.ts";
import type { ClusterSettings, SiteSize } from "#lib/moodle/sizes.ts";
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";

/** The label on trial namespaces, by which a later run finds the namespaces that killed runs left behind. */
export const TRIAL_LABEL = "wheelwright.dev/doctor";
/** The label whose value identifies each of a trial's test pods. */
const PART_LABEL = "doctor";

export interface TrialPlan {
  readonly blueprint: Blueprint;
  readonly images: SpokeImages;
  readonly surroundings: ClusterSettings;
  readonly size: string;
  /** The RELEASE_ID that identifies this installation. */
  readonly release: string;
  readonly resources: SiteSize;
}

export interface TrialObjects {
  readonly namespace: KubeObject;
  /** Whether spokes' namespaces enforce the pod security standard `restricted`. */
  readonly enforcesRestricted: boolean;
  /** The Secrets that contain the test databases' passwords. */
  readonly secrets: readonly KubeObject[];
  readonly quota: KubeObject;
  readonly limitRange: KubeObject;
  /** A privileged Pod for a dry run. The cluster must reject this Pod, and also `claim` and `largeClaim`. */
  readonly unsafePod: KubeObject;
  readonly claim: KubeObject;
  readonly largeClaim: KubeObject;
  /** Two test databases without persistent volumes. `blockingPolicy` blocks access to the second one. */
  readonly servers: readonly KubeObject[];
  readonly blockingPolicy: KubeObject;
  /**
   * Builds a Job that probes both test databases. The Job ends when both databases (`open`), or only the first database
   * (`closed`), have responded to three consecutive probes.
   */
  probeJob(expected: "open" | "closed", addresses: ServerAddresses): KubeObject;
  /** A Job that runs `php --version` in the Moodle image, to test that the image can be pulled. */
  readonly moodleJob: KubeObject;
}

interface ServerAddresses {
  readonly open: string;
  readonly closed: string;
}

const LABELS = { [MANAGED_BY_LABEL]: "wheelwright" };
const MAX_ROUNDS = 15;
// Probes with pg_isready, which returns 0 or 1 if the server responds, and 2 if not. Logs one line per round.
const PROBE_SCRIPT = `i=0; n=0
while [ $i -lt ${MAX_ROUNDS} ]; do
  pg_isready -q -h "$OPEN" -p 5432 -U postgres -d postgres -t 2; open=$?
  pg_isready -q -h "$CLOSED" -p 5432 -U postgres -d postgres -t 2; closed=$?
  echo "open=$open closed=$closed"
  if [ $open -lt 2 ] && [ $closed -lt 2 ]; then now=open; elif [ $open -lt 2 ]; then now=closed; else now=none; fi
  if [ $now = "$WANTED" ]; then n=$((n+1)); else n=0; fi
  if [ $n -ge 3 ]; then exit 0; fi
  i=$((i+1)); sleep 1
done`;
const SMALL_RESOURCES = { requests: { cpu: "20m", memory: "32Mi" }, limits: { cpu: "200m", memory: "128Mi" } };

export function buildTrialObjects(plan: TrialPlan, namespace: string): TrialObjects {
  const { blueprint, images, surroundings } = plan;
  const sample = buildSampleSpokeInputs(blueprint, plan.size, plan.resources);
  const inputs = { ...sample, namespace, images, surroundings, federationId: "fed_doctor", spokeId: "spk_doctor" };
  const spokeNamespace = blueprint.spokeObjects(inputs, "namespace").find(({ kind }) => kind === "Namespace")!;
  const statefulSet = blueprint.spokeObjects(inputs, "database").find(({ kind }) => kind === "StatefulSet");
  if (!statefulSet) throw new Error("the blueprint's database.yaml has no StatefulSet");
  const labels: Record<string, string> = { ...spokeNamespace.metadata.labels, [TRIAL_LABEL]: "true" };
  const health = blueprint.jobObject(inputs, "health", "0");
  return {
    namespace: { ...spokeNamespace, metadata: { ...spokeNamespace.metadata, labels } },
    enforcesRestricted: labels["pod-security.kubernetes.io/enforce"] === "restricted",
    secrets: blueprint.newSecrets(inputs),
    quota: buildObject("v1", "ResourceQuota", "doctor", { hard: { persistentvolumeclaims: "0" } }),
    limitRange: buildObject("v1", "LimitRange", "doctor", {
      limits: [{ type: "PersistentVolumeClaim", max: { storage: "1Gi" } }],
    }),
    unsafePod: buildObject("v1", "Pod", "unsafe", {
      containers: [{
        name: "unsafe",
        image: images.postgres,
        resources: SMALL_RESOURCES,
        securityContext: { privileged: true },
      }],
    }),
    claim: buildClaim("1Gi"),
    largeClaim: buildClaim("2Gi"),
    servers: [buildServer(statefulSet, "open"), buildServer(statefulSet, "closed")],
    blockingPolicy: buildObject("networking.k8s.io/v1", "NetworkPolicy", "closed", {
      podSelector: { matchLabels: { [PART_LABEL]: "closed" } },
      policyTypes: ["Ingress"],
    }),
    probeJob: (expected, addresses) => buildProbeJob(statefulSet, expected, addresses),
    moodleJob: buildMoodleJob(health),
  };
}

/** Returns a label selector that matches a test database's pods. */
export function buildTrialPodSelector(server: KubeObject): string {
  return `${PART_LABEL}=${server.metadata.name}`;
}

function buildObject(apiVersion: string, kind: string, name: string, spec: unknown): KubeObject {
  return { apiVersion, kind, metadata: { name, labels: LABELS }, spec };
}

function buildClaim(storage: string): KubeObject {
  return buildObject("v1", "PersistentVolumeClaim", "doctor", {
    accessModes: ["ReadWriteOnce"],
    resources: { requests: { storage } },
  });
}

/** Builds a copy of a spoke's database StatefulSet with an emptyDir volume instead of a PVC. */
function buildServer(statefulSet: KubeObject, name: string): KubeObject {
  const { volumeClaimTemplates = [], template, ...spec } = statefulSet["spec"];
  const volumes = [
    ...template.spec.volumes ?? [],
    ...volumeClaimTemplates.map((claim: KubeObject) => ({ name: claim.metadata.name, emptyDir: {} })),
  ];
  return buildObject("apps/v1", "StatefulSet", name, {
    ...spec,
    serviceName: name,
    selector: { matchLabels: { [PART_LABEL]: name } },
    template: {
      metadata: { labels: { ...LABELS, [PART_LABEL]: name } },
      spec: { ...template.spec, volumes, terminationGracePeriodSeconds: 5 },
    },
  });
}

function buildProbeJob(statefulSet: KubeObject, expected: string, { open, closed }: ServerAddresses): KubeObject {
  const { automountServiceAccountToken, enableServiceLinks, securityContext, containers } =
    statefulSet["spec"].template.spec;
  const env = Object.entries({ OPEN: open, CLOSED: closed, WANTED: expected }).map(([name, value]) => ({
    name,
    value,
  }));
  return buildJob(`probe-${expected}`, {
    restartPolicy: "Never",
    automountServiceAccountToken,
    enableServiceLinks,
    securityContext,
    containers: [{
      name: "probe",
      image: containers[0].image,
      command: ["sh", "-c", PROBE_SCRIPT],
      env,
      securityContext: containers[0].securityContext,
      resources: SMALL_RESOURCES,
    }],
  });
}

function buildMoodleJob(health: KubeObject): KubeObject {
  const { spec } = health["spec"].template;
  const { args: _, ...container } = spec.containers[0];
  return buildJob("moodle", { ...spec, containers: [{ ...container, command: ["php", "--version"] }] });
}

function buildJob(name: string, spec: unknown): KubeObject {
  const metadata = { labels: { ...LABELS, [PART_LABEL]: name } };
  return buildObject("batch/v1", "Job", name, {
    backoffLimit: 0,
    activeDeadlineSeconds: 300,
    template: { metadata, spec },
  });
}
