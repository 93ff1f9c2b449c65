/**
 * Renders a Job whose pod mounts one PVC and exits. A volume with `WaitForFirstConsumer` binding is created only when a
 * pod mounts it, so the Job creates the volume before the site is stopped.
 */
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import { FENCE_METADATA_KEY, getSitePvcNames } from "#lib/moodle/names.ts";
import type { DiskName } from "#lib/moodle/resize.ts";
import { buildOwnerLabels } from "#lib/moodle/owner-labels.ts";
import { applyTier } from "#lib/moodle/tier-inputs.ts";
import { HOUR, SECOND } from "#lib/base/time.ts";

interface MountOptions {
  readonly fence: string;
  readonly disk: DiskName;
  /** Whether pods of the site are running. If so, the Job's pod prefers the same node and requests few resources. */
  readonly isSiteRunning: boolean;
}

const TIME_LIMIT = 4 * HOUR;
const RETENTION = HOUR;
const SMALL_RESOURCES = { requests: { cpu: "10m", memory: "16Mi" }, limits: { cpu: "100m", memory: "64Mi" } };
/** For each disk, the labels and the user ID of the pods that use it. */
const DISK_USERS = {
  files: { labels: { "files-user": "true" }, id: 65534 },
  database: { labels: { role: "db" }, id: 70 },
} as const;

/** Returns a Job that mounts a disk. If the site is stopped, the Job requests the same resources as the site's pod. */
export function buildMountJob(inputs: SpokeInputs, { fence, disk, isSiteRunning }: MountOptions): KubeObject {
  const { labels: matchLabels, id } = DISK_USERS[disk],
    name = `mount-${disk}-${fence}`,
    labels = buildOwnerLabels(inputs);
  const resources = inputs.resources[disk === "files" ? "app" : "database"];
  const term = { topologyKey: "kubernetes.io/hostname", labelSelector: { matchLabels } };
  return applyTier({
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name, namespace: inputs.namespace, labels: { op: "mount", [FENCE_METADATA_KEY]: fence, ...labels } },
    spec: {
      backoffLimit: 0,
      activeDeadlineSeconds: TIME_LIMIT / SECOND,
      ttlSecondsAfterFinished: RETENTION / SECOND,
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
            resources: isSiteRunning ? SMALL_RESOURCES : resources,
            volumeMounts: [{ name: "volume", mountPath: "/volume", readOnly: true }],
          }],
          volumes: [{ name: "volume", persistentVolumeClaim: { claimName: getSitePvcNames(inputs)[disk] } }],
        },
      },
    },
  }, inputs.tier);
}
