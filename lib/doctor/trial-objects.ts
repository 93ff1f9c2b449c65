/**
 * What doctor tries a cluster with: pieces of the blueprint itself where there are some, so that what is tried is what
 * spokes will be. Pure; all of it stands in one namespace and goes with it.
 */
import type { Blueprint } from "#lib/moodle/load.ts";
import { MANAGED_BY_LABEL } from "#lib/drivers/cluster/guard.ts";
import { sampleInputs, type SpokeImages } from "#lib/moodle/releases.ts";
import type { Size, Surroundings } from "#lib/moodle/sizes.ts";
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";

/** Marks the namespace, so that one whose doctor was killed is found by the next. */
export const DOCTOR = "wheelwright.dev/doctor";
/** Which of the pods of a trial one is. */
const PART = "doctor";

export interface TrialPlan {
  readonly blueprint: Blueprint;
  readonly images: SpokeImages;
  readonly surroundings: Surroundings;
  readonly size: string;
  /** RELEASE_ID. */
  readonly release: string;
  readonly resources: Size;
}

export interface TrialObjects {
  readonly namespace: KubeObject;
  /** Whether spokes' namespaces ask for the standard at all. */
  readonly restricted: boolean;
  /** The servers' password. */
  readonly secrets: readonly KubeObject[];
  readonly quota: KubeObject;
  readonly range: KubeObject;
  /** Never made: refused for the standard, by the quota, by the LimitRange. */
  readonly unsafePod: KubeObject;
  readonly claim: KubeObject;
  readonly largeClaim: KubeObject;
  /** Two databases without a disk, of which a policy is to close one. */
  readonly servers: readonly KubeObject[];
  readonly wall: KubeObject;
  /** Asks both until both answer (`open`) or only the first does (`closed`), three times on end. */
  knock(wanted: "open" | "closed", addresses: Addresses): KubeObject;
  /** Runs one program of Moodle's image. */
  readonly moodle: KubeObject;
}

interface Addresses {
  readonly open: string;
  readonly closed: string;
}

const LABELS = { [MANAGED_BY_LABEL]: "wheelwright" };
const ROUNDS = 15;
// pg_isready: 0 and 1 are an answer, 2 is no answer. Told line by line, and judged by judge-trial.ts.
const SCRIPT = `i=0; n=0
while [ $i -lt ${ROUNDS} ]; do
  pg_isready -q -h "$OPEN" -p 5432 -U postgres -d postgres -t 2; open=$?
  pg_isready -q -h "$CLOSED" -p 5432 -U postgres -d postgres -t 2; closed=$?
  echo "open=$open closed=$closed"
  if [ $open -lt 2 ] && [ $closed -lt 2 ]; then now=open; elif [ $open -lt 2 ]; then now=closed; else now=none; fi
  if [ $now = "$WANTED" ]; then n=$((n+1)); else n=0; fi
  if [ $n -ge 3 ]; then exit 0; fi
  i=$((i+1)); sleep 1
done`;
const LITTLE = { requests: { cpu: "20m", memory: "32Mi" }, limits: { cpu: "200m", memory: "128Mi" } };

export function trialObjects(plan: TrialPlan, namespace: string): TrialObjects {
  const { blueprint, images, surroundings } = plan;
  const sample = sampleInputs(blueprint, plan.size, plan.resources);
  const inputs = { ...sample, namespace, images, surroundings, federationId: "fed_doctor", spokeId: "spk_doctor" };
  const made = blueprint.spokeObjects(inputs, "namespace").find(({ kind }) => kind === "Namespace")!;
  const set = blueprint.spokeObjects(inputs, "database").find(({ kind }) => kind === "StatefulSet");
  if (!set) throw new Error("the blueprint's database.yaml has no StatefulSet to try");
  const labels: Record<string, string> = { ...made.metadata.labels, [DOCTOR]: "true" };
  const health = blueprint.jobObject(inputs, "health", "0");
  return {
    namespace: { ...made, metadata: { ...made.metadata, labels } },
    restricted: labels["pod-security.kubernetes.io/enforce"] === "restricted",
    secrets: blueprint.newSecrets(inputs),
    quota: object("v1", "ResourceQuota", "doctor", { hard: { persistentvolumeclaims: "0" } }),
    range: object("v1", "LimitRange", "doctor", {
      limits: [{ type: "PersistentVolumeClaim", max: { storage: "1Gi" } }],
    }),
    unsafePod: object("v1", "Pod", "unsafe", {
      containers: [{
        name: "unsafe",
        image: images.postgres,
        resources: LITTLE,
        securityContext: { privileged: true },
      }],
    }),
    claim: claimOf("1Gi"),
    largeClaim: claimOf("2Gi"),
    servers: [server(set, "open"), server(set, "closed")],
    wall: object("networking.k8s.io/v1", "NetworkPolicy", "closed", {
      podSelector: { matchLabels: { [PART]: "closed" } },
      policyTypes: ["Ingress"],
    }),
    knock: (wanted, addresses) => knock(set, wanted, addresses),
    moodle: moodle(health),
  };
}

/** The pods of one server. */
export function trialPods(server: KubeObject): string {
  return `${PART}=${server.metadata.name}`;
}

function object(apiVersion: string, kind: string, name: string, spec: unknown): KubeObject {
  return { apiVersion, kind, metadata: { name, labels: LABELS }, spec };
}

function claimOf(storage: string): KubeObject {
  return object("v1", "PersistentVolumeClaim", "doctor", {
    accessModes: ["ReadWriteOnce"],
    resources: { requests: { storage } },
  });
}

/** The spoke's database, on a disk that goes with its pod. */
function server(set: KubeObject, name: string): KubeObject {
  const { volumeClaimTemplates = [], template, ...spec } = set["spec"];
  const volumes = [
    ...template.spec.volumes ?? [],
    ...volumeClaimTemplates.map((claim: KubeObject) => ({ name: claim.metadata.name, emptyDir: {} })),
  ];
  return object("apps/v1", "StatefulSet", name, {
    ...spec,
    serviceName: name,
    selector: { matchLabels: { [PART]: name } },
    template: {
      metadata: { labels: { ...LABELS, [PART]: name } },
      spec: { ...template.spec, volumes, terminationGracePeriodSeconds: 5 },
    },
  });
}

function knock(set: KubeObject, wanted: string, { open, closed }: Addresses): KubeObject {
  const { automountServiceAccountToken, enableServiceLinks, securityContext, containers } = set["spec"].template.spec;
  const env = Object.entries({ OPEN: open, CLOSED: closed, WANTED: wanted }).map(([name, value]) => ({ name, value }));
  return job(`knock-${wanted}`, {
    restartPolicy: "Never",
    automountServiceAccountToken,
    enableServiceLinks,
    securityContext,
    containers: [{
      name: "knock",
      image: containers[0].image,
      command: ["sh", "-c", SCRIPT],
      env,
      securityContext: containers[0].securityContext,
      resources: LITTLE,
    }],
  });
}

function moodle(health: KubeObject): KubeObject {
  const { spec } = health["spec"].template;
  const { args: _, ...container } = spec.containers[0];
  return job("moodle", { ...spec, containers: [{ ...container, command: ["php", "--version"] }] });
}

function job(name: string, spec: unknown): KubeObject {
  const metadata = { labels: { ...LABELS, [PART]: name } };
  return object("batch/v1", "Job", name, {
    backoffLimit: 0,
    activeDeadlineSeconds: 300,
    template: { metadata, spec },
  });
}
