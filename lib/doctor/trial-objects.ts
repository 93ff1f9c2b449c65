/**
 * Creates the objects of a trial. Pure.
 * Where possible they are parts of the blueprint, so that the trial matches real spokes. All are in one namespace and
 * are deleted with it.
 */
import type { Blueprint } from "#lib/moodle/blueprint.ts";
import { MANAGED_BY_LABEL } from "#lib/drivers/cluster/guard.ts";
import { sampleInputs, type SpokeImages } from "#lib/moodle/releases.ts";
import type { ClusterSettings, Size } from "#lib/moodle/sizes.ts";
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";

/** The label of trial namespaces. A later run finds the namespace of a killed doctor by this label. */
export const DOCTOR_LABEL = "wheelwright.dev/doctor";
/** The label that distinguishes a trial's pods. */
const PART = "doctor";

export interface TrialPlan {
  readonly blueprint: Blueprint;
  readonly images: SpokeImages;
  readonly surroundings: ClusterSettings;
  readonly size: string;
  /** The RELEASE_ID of this installation. */
  readonly release: string;
  readonly resources: Size;
}

export interface TrialObjects {
  readonly namespace: KubeObject;
  /** Whether namespaces of spokes enforce the `restricted` pod security standard. */
  readonly restricted: boolean;
  /** The Secrets with the password of the servers. */
  readonly secrets: readonly KubeObject[];
  readonly quota: KubeObject;
  readonly range: KubeObject;
  /** Objects for dry runs only. Pod security, the quota or the LimitRange must refuse each of them. */
  readonly unsafePod: KubeObject;
  readonly claim: KubeObject;
  readonly largeClaim: KubeObject;
  /** Two databases without a volume. A NetworkPolicy blocks access to one of them. */
  readonly servers: readonly KubeObject[];
  readonly wall: KubeObject;
  /**
   * Returns a Job that probes both servers. It ends when both answer (`open`) or only the first one does (`closed`),
   * three times in a row.
   */
  knock(wanted: "open" | "closed", addresses: Addresses): KubeObject;
  /** A Job that runs PHP from the Moodle image. */
  readonly moodle: KubeObject;
}

interface Addresses {
  readonly open: string;
  readonly closed: string;
}

const LABELS = { [MANAGED_BY_LABEL]: "wheelwright" };
const ROUNDS = 15;
// pg_isready returns 0 or 1 if the server answers, and 2 if it does not. The log has one line per round.
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
  const labels: Record<string, string> = { ...made.metadata.labels, [DOCTOR_LABEL]: "true" };
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

/** Returns the label selector of a server's pods. */
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

/** Returns the database of a spoke, with an emptyDir volume. */
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
