/** Lists Wheelwright's objects in one cluster, without changing anything. */
import {
  DATABASE_STATEFULSET_REF,
  FENCE_METADATA_KEY,
  MOODLE_CRONJOB_REF,
  MOODLE_DEPLOYMENT_REF,
} from "#lib/moodle/names.ts";
import {
  readSignedRecord,
  readSignedSnapshotRecord,
  type SignedRecord,
  SITE_RECORD_CONFIG_MAP_NAME,
  SITE_RECORD_KEY,
} from "#lib/moodle/site-record.ts";
import {
  type Cluster,
  type ClusterCall,
  ClusterError,
  type KubeObject,
  type ObjectRef,
} from "#lib/drivers/cluster/cluster.ts";
import {
  FEDERATION_LABEL,
  isNamespaceTerminating,
  MANAGED_BY_LABEL,
  SANDBOX_LABEL,
  SPOKE_LABEL,
} from "#lib/drivers/cluster/guard.ts";
import {
  type OrphanedVolume,
  parseOrphanedVolume,
  PERSISTENT_VOLUME,
  SNAPSHOT_CONTENT,
  VOLUME_SNAPSHOT,
} from "#lib/moodle/storage-objects.ts";

export interface ObservedNamespace {
  readonly name: string;
  readonly uid: string;
  /** The hub ID from the namespace's labels; null if the label is missing. */
  readonly hubId: string | null;
  /** The spoke ID from the namespace's labels; null if the label is missing. */
  readonly spokeId: string | null;
  /** The sandbox ID from the namespace's labels; null if the label is missing. */
  readonly sandboxId: string | null;
  readonly terminating: boolean;
  readonly signedRecord: SignedRecord | null;
  /** The desired replicas of the site's Deployment and database; null if the object is missing or cannot be listed. */
  readonly replicas: Readonly<Record<"app" | "database", number | null>>;
}

export interface ClusterSurvey {
  readonly name: string;
  readonly clusterUid: string | null;
  /** The namespaces that were found, keyed by name. */
  readonly namespaces: ReadonlyMap<string, ObservedNamespace>;
  /** The greatest fencing token on any object. The number increases each time a replica claims a job. */
  readonly fence: bigint;
  /** The VolumeSnapshots that belong to backups, with their signed records. */
  readonly snapshots: readonly (Pick<KubeObject, "metadata" | "status"> & { readonly signed: SignedRecord | null })[];
  /** The UIDs of all VolumeSnapshots that have Wheelwright's label. */
  readonly snapshotUids: ReadonlySet<string>;
  /** VolumeSnapshotContents, keyed by name. Null if this account cannot list them. */
  readonly contents: ReadonlyMap<string, KubeObject> | null;
  /** Volumes that no PVC uses any more, and that still exist because their storage class retains volumes. */
  readonly released: readonly OrphanedVolume[];
  /** Kinds of objects that this account is not allowed to list. */
  readonly unlistableKinds: readonly string[];
}

type Kind = Omit<ObjectRef, "name">;

const MANAGED_SELECTOR = `${MANAGED_BY_LABEL}=wheelwright`;
const PAGE_SIZE = 500;
const NETWORK = "networking.k8s.io/v1";
/** Kinds of objects to check for fencing tokens. ConfigMaps are listed separately, and Secrets are never listed. */
const FENCED_KINDS: readonly Kind[] = [
  ...[MOODLE_DEPLOYMENT_REF, DATABASE_STATEFULSET_REF, MOODLE_CRONJOB_REF],
  { apiVersion: "batch/v1", kind: "Job" },
  ...["Service", "ResourceQuota", "LimitRange", "PersistentVolumeClaim"].map((kind) => ({ apiVersion: "v1", kind })),
  ...["NetworkPolicy", "Ingress"].map((kind) => ({ apiVersion: NETWORK, kind })),
];

/**
 * Lists the objects in every namespace that `isOwn` accepts. Throws a ClusterError if the cluster does not respond
 * or its namespaces cannot be listed.
 */
export async function surveyCluster(
  cluster: Cluster,
  isOwn: (namespace: string) => boolean,
  call: ClusterCall,
): Promise<ClusterSurvey> {
  const unlistableKinds: string[] = [], signedRecords = new Map<string, SignedRecord>();
  const replicas = new Map<string, { app: number | null; database: number | null }>();
  let fence = 0n;
  const visitKind = async (kind: Kind, selector: string, visit: (object: KubeObject) => void): Promise<boolean> => {
    try {
      if (kind.apiVersion === VOLUME_SNAPSHOT.apiVersion && !await cluster.serves(kind, call)) return false;
      await visitObjects(cluster, call, kind, selector, (object) => {
        if (object.metadata.namespace !== undefined && !isOwn(object.metadata.namespace)) return;
        const { annotations, labels } = object.metadata,
          fenceValue = annotations?.[FENCE_METADATA_KEY] ?? labels?.[FENCE_METADATA_KEY] ?? "";
        if (/^\d+$/.test(fenceValue) && BigInt(fenceValue) > fence) fence = BigInt(fenceValue);
        visit(object);
      });
      return true;
    } catch (error) {
      if (!(error instanceof ClusterError) || ![403, 404].includes(error.status)) throw error;
      unlistableKinds.push(kind.kind);
      return false;
    }
  };

  const clusterUid = await cluster.identity(call);
  await visitKind(SITE_RECORD_CONFIG_MAP_NAME, MANAGED_SELECTOR, (object) => {
    const text = object.metadata.labels?.[SITE_RECORD_KEY] && readSignedRecord(object);
    if (text && object.metadata.name === SITE_RECORD_CONFIG_MAP_NAME.name) {
      signedRecords.set(object.metadata.namespace!, text);
    }
  });
  for (const kind of FENCED_KINDS) {
    const part = kind.kind === MOODLE_DEPLOYMENT_REF.kind
      ? "app"
      : kind.kind === DATABASE_STATEFULSET_REF.kind
      ? "database"
      : null;
    const name = part === "app" ? MOODLE_DEPLOYMENT_REF.name : DATABASE_STATEFULSET_REF.name;
    await visitKind(kind, MANAGED_SELECTOR, ({ metadata, spec }) => {
      if (part === null || metadata.name !== name) return;
      const counts = replicas.get(metadata.namespace!) ?? { app: null, database: null };
      replicas.set(metadata.namespace!, { ...counts, [part]: Number(spec?.replicas ?? 1) });
    });
  }
  const namespaces = new Map<string, ObservedNamespace>();
  await visitObjects(cluster, call, { apiVersion: "v1", kind: "Namespace" }, MANAGED_SELECTOR, (object) => {
    const { name, uid, labels = {} } = object.metadata;
    if (!isOwn(name)) return;
    namespaces.set(name, {
      ...{
        name,
        uid: uid!,
        terminating: isNamespaceTerminating(object),
        signedRecord: signedRecords.get(name) ?? null,
      },
      ...{
        hubId: labels[FEDERATION_LABEL] ?? null,
        spokeId: labels[SPOKE_LABEL] ?? null,
        sandboxId: labels[SANDBOX_LABEL] ?? null,
      },
      replicas: replicas.get(name) ?? { app: null, database: null },
    });
  });
  const snapshots: ClusterSurvey["snapshots"][number][] = [], contents = new Map<string, KubeObject>();
  const snapshotUids = new Set<string>(), released: OrphanedVolume[] = [];
  await visitKind(VOLUME_SNAPSHOT, MANAGED_SELECTOR, (object) => {
    const { metadata, status } = object;
    snapshotUids.add(metadata.uid!);
    if (metadata.annotations?.[SITE_RECORD_KEY]) {
      snapshots.push({ metadata, status, signed: readSignedSnapshotRecord(object) });
    }
  });
  const canListContents = await visitKind(
    SNAPSHOT_CONTENT,
    "",
    (object) => void contents.set(object.metadata.name, object),
  );
  await visitKind(PERSISTENT_VOLUME, "", (object) => {
    const volume = parseOrphanedVolume(object, isOwn);
    if (volume) released.push(volume);
  });
  return {
    ...{ name: cluster.name, clusterUid, namespaces, fence, snapshots, snapshotUids, released, unlistableKinds },
    contents: canListContents ? contents : null,
  };
}

async function visitObjects(
  cluster: Cluster,
  call: ClusterCall,
  kind: Kind,
  selector: string,
  visit: (object: KubeObject) => void,
): Promise<void> {
  for (let next: string | null = null, first = true; first || next !== null; first = false) {
    const page = await cluster.listPage(kind, { selector, limit: PAGE_SIZE, ...(next !== null && { next }) }, call);
    page.items.forEach(visit);
    next = page.next;
  }
}
