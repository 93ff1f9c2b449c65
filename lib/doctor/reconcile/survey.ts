/** Lists our objects in one cluster, kind by kind, and keeps only a few fields of each. Read-only. */
import { DATABASE_STATEFULSET, FENCE_KEY, MOODLE_CRONJOB, MOODLE_DEPLOYMENT } from "#lib/moodle/names.ts";
import {
  readSignedRecord,
  readSnapshotRecord,
  type SignedRecord,
  SITE_RECORD_CONFIG_MAP,
  SITE_RECORD_KEY,
} from "#lib/moodle/site-record.ts";
import { type Call, type Cluster, ClusterError, type KubeObject, type Ref } from "#lib/drivers/cluster/cluster.ts";
import {
  FEDERATION_LABEL,
  isTerminating,
  MANAGED_BY_LABEL,
  SANDBOX_LABEL,
  SPOKE_LABEL,
} from "#lib/drivers/cluster/guard.ts";
import { SNAPSHOT_CONTENT, VOLUME_SNAPSHOT } from "#lib/workers/backups/delete-expired.ts";
import { PERSISTENT_VOLUME, readReleasedVolume, type ReleasedVolume } from "#lib/workers/orphans/read-orphans.ts";

export interface ObservedNamespace {
  readonly name: string;
  readonly uid: string;
  /** The IDs in the namespace's labels. */
  readonly hubId: string | null;
  readonly spokeId: string | null;
  readonly sandboxId: string | null;
  readonly terminating: boolean;
  readonly signed: SignedRecord | null;
  /** Desired replicas; null if the object is missing or may not be listed. */
  readonly replicas: Readonly<Record<"app" | "database", number | null>>;
}

export interface ClusterSurvey {
  readonly name: string;
  readonly identity: string | null;
  /** Namespaces, keyed by name. */
  readonly namespaces: ReadonlyMap<string, ObservedNamespace>;
  /** The greatest fence of any object. */
  readonly fence: bigint;
  /** The snapshots of backups, with their signed records. */
  readonly snapshots: readonly (Pick<KubeObject, "metadata" | "status"> & { readonly signed: SignedRecord | null })[];
  /** UIDs of all VolumeSnapshots with our label. */
  readonly snapshotUids: ReadonlySet<string>;
  /** Snapshot contents, keyed by name; null if they may not be listed. */
  readonly contents: ReadonlyMap<string, KubeObject> | null;
  /** Volumes that no PVC uses, and that stay because their class retains volumes. */
  readonly released: readonly ReleasedVolume[];
  /** Kinds that the account may not list. */
  readonly unseen: readonly string[];
}

type Kind = Omit<Ref, "name">;

const OURS = `${MANAGED_BY_LABEL}=wheelwright`;
const PAGE = 500;
const NETWORK = "networking.k8s.io/v1";
/** Kinds that have a fence, except ConfigMaps, which are listed separately, and Secrets, which are not listed. */
const FENCED: readonly Kind[] = [
  ...[MOODLE_DEPLOYMENT, DATABASE_STATEFULSET, MOODLE_CRONJOB],
  { apiVersion: "batch/v1", kind: "Job" },
  ...["Service", "ResourceQuota", "LimitRange", "PersistentVolumeClaim"].map((kind) => ({ apiVersion: "v1", kind })),
  ...["NetworkPolicy", "Ingress"].map((kind) => ({ apiVersion: NETWORK, kind })),
];

/**
 * Lists the objects in namespaces whose names `isOwn` accepts. Other installations may share the cluster. Throws a
 * ClusterError if the cluster does not answer, or if the account may not list its namespaces.
 */
export async function surveyCluster(
  cluster: Cluster,
  isOwn: (namespace: string) => boolean,
  call: Call,
): Promise<ClusterSurvey> {
  const unseen: string[] = [], signed = new Map<string, SignedRecord>();
  const replicas = new Map<string, { app: number | null; database: number | null }>();
  let fence = 0n;
  const each = async (kind: Kind, selector: string, take: (object: KubeObject) => void): Promise<boolean> => {
    try {
      if (kind.apiVersion === VOLUME_SNAPSHOT.apiVersion && !await cluster.serves(kind, call)) return false;
      await eachObject(cluster, call, kind, selector, (object) => {
        if (object.metadata.namespace !== undefined && !isOwn(object.metadata.namespace)) return;
        const { annotations, labels } = object.metadata, own = annotations?.[FENCE_KEY] ?? labels?.[FENCE_KEY] ?? "";
        if (/^\d+$/.test(own) && BigInt(own) > fence) fence = BigInt(own);
        take(object);
      });
      return true;
    } catch (error) {
      if (!(error instanceof ClusterError) || ![403, 404].includes(error.status)) throw error;
      unseen.push(kind.kind);
      return false;
    }
  };

  const identity = await cluster.identity(call);
  await each(SITE_RECORD_CONFIG_MAP, OURS, (object) => {
    const text = object.metadata.labels?.[SITE_RECORD_KEY] && readSignedRecord(object);
    if (text && object.metadata.name === SITE_RECORD_CONFIG_MAP.name) signed.set(object.metadata.namespace!, text);
  });
  for (const kind of FENCED) {
    const part = kind.kind === MOODLE_DEPLOYMENT.kind
      ? "app"
      : kind.kind === DATABASE_STATEFULSET.kind
      ? "database"
      : null;
    const name = part === "app" ? MOODLE_DEPLOYMENT.name : DATABASE_STATEFULSET.name;
    await each(kind, OURS, ({ metadata, spec }) => {
      if (part === null || metadata.name !== name) return;
      const both = replicas.get(metadata.namespace!) ?? { app: null, database: null };
      replicas.set(metadata.namespace!, { ...both, [part]: Number(spec?.replicas ?? 1) });
    });
  }
  const namespaces = new Map<string, ObservedNamespace>();
  await eachObject(cluster, call, { apiVersion: "v1", kind: "Namespace" }, OURS, (object) => {
    const { name, uid, labels = {} } = object.metadata;
    if (!isOwn(name)) return;
    namespaces.set(name, {
      ...{ name, uid: uid!, terminating: isTerminating(object), signed: signed.get(name) ?? null },
      ...{
        hubId: labels[FEDERATION_LABEL] ?? null,
        spokeId: labels[SPOKE_LABEL] ?? null,
        sandboxId: labels[SANDBOX_LABEL] ?? null,
      },
      replicas: replicas.get(name) ?? { app: null, database: null },
    });
  });
  const snapshots: ClusterSurvey["snapshots"][number][] = [], contents = new Map<string, KubeObject>();
  const snapshotUids = new Set<string>(), released: ReleasedVolume[] = [];
  await each(VOLUME_SNAPSHOT, OURS, (object) => {
    const { metadata, status } = object;
    snapshotUids.add(metadata.uid!);
    if (metadata.annotations?.[SITE_RECORD_KEY]) {
      snapshots.push({ metadata, status, signed: readSnapshotRecord(object) });
    }
  });
  const listed = await each(SNAPSHOT_CONTENT, "", (object) => void contents.set(object.metadata.name, object));
  await each(PERSISTENT_VOLUME, "", (object) => {
    const volume = readReleasedVolume(object, isOwn);
    if (volume) released.push(volume);
  });
  return {
    ...{ name: cluster.name, identity, namespaces, fence, snapshots, snapshotUids, released, unseen },
    contents: listed ? contents : null,
  };
}

async function eachObject(
  cluster: Cluster,
  call: Call,
  kind: Kind,
  selector: string,
  take: (object: KubeObject) => void,
): Promise<void> {
  for (let next: string | null = null, first = true; first || next !== null; first = false) {
    const page = await cluster.listPage(kind, { selector, limit: PAGE, ...(next !== null && { next }) }, call);
    page.items.forEach(take);
    next = page.next;
  }
}
