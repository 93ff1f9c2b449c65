/**
 * Enlarges a site's disks by changing the PVCs directly, because a StatefulSet's PVC template is immutable. The storage
 * driver first enlarges the volume, then the node enlarges the file system. Some drivers enlarge the file system only
 * when a pod starts, so callers restart the pod before they wait for the file system.
 */
import { getSitePvcNames } from "#lib/moodle/names.ts";
import { DISK_NAMES, type DiskName, type DiskSizes, type GrowableDisks } from "#lib/moodle/resize.ts";
import { type Cluster, ClusterError, type KubeObject, type ObjectRef } from "#lib/drivers/cluster/cluster.ts";
import { findStatusCondition } from "#lib/drivers/cluster/diagnosis/inspect-objects.ts";
import { isTrueCondition } from "#lib/drivers/cluster/diagnosis/readiness.ts";
import { parseQuantity } from "#lib/drivers/cluster/diagnosis/quantity.ts";
import type { JobRun } from "#lib/scheduler/handler.ts";
import { patchWithFence } from "#lib/steps/fenced-objects.ts";
import { permanentError, pollUntil, type SpokeSite } from "#lib/steps/site.ts";

/** The namespace and the blueprint inputs of a site whose disks are resized. */
type DiskSite = Pick<SpokeSite, "space" | "inputs">;

const CLAIM = { apiVersion: "v1", kind: "PersistentVolumeClaim" };
const CLASS = { apiVersion: "storage.k8s.io/v1", kind: "StorageClass" };
const REQUEST = "/spec/resources/requests/storage";
/** Matches gRPC errors from the storage driver that a retry does not fix. */
const PERMANENT_ERROR =
  /code = (?:InvalidArgument|OutOfRange|NotFound|FailedPrecondition|Unimplemented|PermissionDenied)\b/;

export type DiskPvcs = Readonly<Record<DiskName, KubeObject>>;

/** The disks to wait for, the stage to wait for (volume or file system), and errors to ignore because they are old. */
interface GrowthWait {
  readonly disks: readonly DiskName[];
  readonly until: "to the volume" | "to the file system";
  readonly pastErrorKeys?: ReadonlySet<string>;
}

/** Returns the PVCs of both disks. Throws a permanent ClusterError if a PVC is missing. */
export async function readDiskPvcs(site: DiskSite, run: JobRun): Promise<DiskPvcs> {
  const [files, database] = await Promise.all([readDiskPvc(site, run, "files"), readDiskPvc(site, run, "database")]);
  return { files, database };
}

async function readDiskPvc(site: DiskSite, run: JobRun, disk: DiskName): Promise<KubeObject> {
  const ref = refOf(site, disk), claim = await site.space.get(ref, run);
  if (claim) return claim;
  throw permanentError(
    "NotFound",
    `The PersistentVolumeClaim ${ref.name} is missing`,
    "The PersistentVolumeClaim was deleted together with its data: restore a backup.",
  );
}

/** Returns the disk sizes that the PVCs request. Kubernetes does not allow a PVC to request less than before. */
export function getRequestedDiskSizes({ files, database }: DiskPvcs): DiskSizes {
  return { files: requestedSize(files), database: requestedSize(database) };
}

/**
 * Returns for each PVC whether its StorageClass allows expansion. A PVC without a StorageClass, as for a manually
 * created volume, cannot grow.
 */
export async function readExpandableDisks(
  cluster: Cluster,
  run: JobRun,
  { files, database }: DiskPvcs,
): Promise<GrowableDisks> {
  const canExpand = async (claim: KubeObject): Promise<boolean> => {
    const name = classOf(claim);
    const found = name === "" ? null : await cluster.find({ ...CLASS, name }, run);
    return found?.["allowVolumeExpansion"] === true;
  };
  return { files: await canExpand(files), database: await canExpand(database) };
}

/** Returns a note that explains to users why a disk keeps its size. */
export function describeUnexpandableDisk(claim: KubeObject, desiredSize: string): string {
  const name = classOf(claim);
  const why = name === "" ? "it has no storage class" : `its storage class ${name} does not allow volume expansion`;
  return `The disk ${claim.metadata.name} stays at ${
    requestedSize(claim)
  } instead of ${desiredSize}: ${why} (allowVolumeExpansion)`;
}

/** Raises the size that a PVC requests to at least `size`. Returns the size that the PVC requests afterwards. */
export async function expandPvc(site: DiskSite, run: JobRun, disk: DiskName, size: string): Promise<string> {
  const change = (claim: KubeObject) =>
    parseQuantity(requestedSize(claim)) < parseQuantity(size)
      ? [{ op: "replace" as const, path: REQUEST, value: size }]
      : [];
  return requestedSize(await patchWithFence(site.space, refOf(site, disk), run, change));
}

/** Returns the keys of all resize errors so far. With these, callers can later recognize new errors. */
export async function readResizeErrorKeys(site: DiskSite, run: JobRun): Promise<ReadonlySet<string>> {
  return new Set((await listResizeFailures(site, run, DISK_NAMES)).map(keyOf));
}

/**
 * Waits until the volumes, or their file systems, have the requested size. Throws a permanent ClusterError if the
 * storage driver reports a new permanent error, or if the step's time runs out.
 */
export async function waitForDiskExpansion(
  site: DiskSite,
  run: JobRun,
  { disks, until, pastErrorKeys }: GrowthWait,
): Promise<void> {
  const pastKeys = pastErrorKeys ?? await readResizeErrorKeys(site, run);
  const problem = await pollUntil(run, async () => {
    const claims = await Promise.all(disks.map((disk) => readDiskPvc(site, run, disk)));
    const waiting = claims.map((claim) => describeMissingGrowth(claim, until)).filter((text) => text !== null);
    if (waiting.length === 0) return null;
    const last = (await listResizeFailures(site, run, disks)).at(-1);
    const sentence = waiting.join("; ") + (last ? `: ${last["message"]}` : "");
    if (last && PERMANENT_ERROR.test(String(last["message"])) && !pastKeys.has(keyOf(last))) {
      throw resizeError(sentence);
    }
    return sentence;
  });
  if (problem !== null) throw resizeError(problem);
}

function describeMissingGrowth(claim: KubeObject, until: GrowthWait["until"]): string | null {
  const { capacity } = claim["status"] ?? {}, { name } = claim.metadata;
  if (parseQuantity(String(capacity?.storage)) >= parseQuantity(requestedSize(claim))) return null;
  const grown = isTrueCondition(findStatusCondition(claim, "FileSystemResizePending"));
  if (grown && until === "to the volume") return null;
  const part = grown ? "The file system" : "The volume";
  return `${part} of the PVC ${name} has not grown from ${capacity?.storage ?? "nothing"} to ${
    requestedSize(claim)
  } yet`;
}

/** Returns the Kubernetes events about failed resizes of these disks' PVCs, oldest first. */
async function listResizeFailures(site: DiskSite, run: JobRun, disks: readonly DiskName[]): Promise<KubeObject[]> {
  const names = getSitePvcNames(site.inputs),
    events = await site.space.list({ apiVersion: "v1", kind: "Event" }, "", run);
  return events.filter((event) =>
    /^(VolumeResizeFailed|FileSystemResizeFailed)$/.test(String(event["reason"])) &&
    disks.some((disk) => event["involvedObject"]?.name === names[disk])
  ).toSorted((a, b) => String(a["lastTimestamp"]).localeCompare(String(b["lastTimestamp"])));
}

/** Returns a key for one occurrence of an event: the UID with the count, because a repeated event keeps its UID. */
function keyOf(event: KubeObject): string {
  return `${event.metadata.uid} ${event["count"] ?? event["series"]?.count ?? 1}`;
}

function resizeError(message: string): ClusterError {
  return permanentError(
    "VolumeResizeFailed",
    message,
    "Check the storage driver's log and free capacity, then resize again. Disks that were enlarged stay enlarged.",
  );
}

function requestedSize(claim: KubeObject): string {
  return String(claim["spec"]?.resources?.requests?.storage);
}

function classOf(claim: KubeObject): string {
  return claim["spec"]?.storageClassName ?? claim.metadata.annotations?.["volume.beta.kubernetes.io/storage-class"] ??
    "";
}

function refOf({ inputs }: DiskSite, disk: DiskName): ObjectRef {
  return { ...CLAIM, name: getSitePvcNames(inputs)[disk] };
}
