/**
 * Renders a Job that mounts one PVC and ends. Pure.
 * A storage class with `WaitForFirstConsumer` provisions a volume only when a pod that uses it is scheduled. The pod of
 * this Job causes that, so the volume exists before the site is stopped.
 */
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import { claimNames, FENCE } from "#lib/moodle/names.ts";
import type { Disk } from "#lib/moodle/resize.ts";
import { labelsOf } from "#lib/moodle/owner-labels.ts";
import { HOUR, SECOND } from "#lib/base/time.ts";

interface Mount {
  readonly fence: string;
  readonly disk: Disk;
  /**
   * Whether the site's pods are running. The Job then prefers their node, because they use the volume later, and
   * requests few resources.
   */
  readonly isBesideSite: boolean;
}

const LONGEST = 4 * HOUR;
const KEPT = HOUR;
const LITTLE = { requests: { cpu: "10m", memory: "16Mi" }, limits: { cpu: "100m", memory: "64Mi" } };
/** The labels and user ID of the pods that use each disk. */
const USERS = {
  files: { labels: { "files-user": "true" }, id: 65534 },
  database: { labels: { role: "db" }, id: 70 },
} as const;

/**
 * Returns the Job. If no pod of the site is running, the Job requests as much as the site's pod. Its node then has
 * enough capacity for the site's pod.
 */
export function mountJob(inputs: SpokeInputs, { fence, disk, isBesideSite }: Mount): KubeObject {
  const { labels: matchLabels, id } = USERS[disk], name = `mount-${disk}-${fence}`, labels = labelsOf(inputs);
  const resources = inputs.resources[disk === "files" ? "app" : "database"];
  const term = { topologyKey: "kubernetes.io/hostname", labelSelector: { matchLabels } };
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name, namespace: inputs.namespace, labels: { op: "mount", [FENCE]: fence, ...labels } },
    spec: {
      backoffLimit: 0,
      activeDeadlineSeconds: LONGEST / SECOND,
      ttlSecondsAfterFinished: KEPT / SECOND,
      template: {
        metadata: { labels: { role: "mount", op: "mount", ...labels } },
        spec: {
          restartPolicy: "Never",
          automountServiceAccountToken: false,
          enableServiceLinks: false,
          securityContext: {
            runAsNonRoot: true,
            runAsUser: id,
            runAsGroup: id,
            seccompProfile: { type: "RuntimeDefault" },
          },
          affinity: {
            podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, podAffinityTerm: term }] },
          },
          containers: [{
            name: "mount",
            image: inputs.images.postgres,
            command: ["true"],
            securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
            resources: isBesideSite ? LITTLE : resources,
            volumeMounts: [{ name: "volume", mountPath: "/volume", readOnly: true }],
          }],
          volumes: [{ name: "volume", persistentVolumeClaim: { claimName: claimNames(inputs)[disk] } }],
        },
      },
    },
  };
}
