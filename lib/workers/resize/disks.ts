/**
 * Enlarges a site's disks.
 * The PVC template of a StatefulSet is immutable, so the PVC itself is changed. A volume grows in two stages: the
 * driver enlarges the volume, then the node enlarges its file system. Some drivers enlarge the file system only when a
 * pod starts, so the second stage is awaited after the restart.
 */
import { sitePvcNames } from "#lib/moodle/names.ts";
import { DISK_NAMES, type DiskName, type DiskSizes, type GrowableDisks } from "#lib/moodle/resize.ts";
import { type Cluster, ClusterError, type KubeObject, type Ref } from "#lib/drivers/cluster/cluster.ts";
import { parseQuantity } from "#lib/drivers/cluster/diagnosis/quantity.ts";
import type { Run } from "#lib/scheduler/handler.ts";
import { patchFenced } from "#lib/workers/fenced-objects.ts";
import { permanentError, pollUntil, type SpokeSite } from "#lib/workers/site.ts";

/** The namespace and inputs of the site whose disks are resized. */
type DiskPlace = Pick<SpokeSite, "space" | "inputs">;

const CLAIM = { apiVersion: "v1", kind: "PersistentVolumeClaim" };
const CLASS = { apiVersion: "storage.k8s.io/v1", kind: "StorageClass" };
const REQUEST = "/spec/resources/requests/storage";
/** gRPC codes of errors that a retry does not fix. */
const FINAL = /code = (?:InvalidArgument|OutOfRange|NotFound|FailedPrecondition|Unimplemented|PermissionDenied)\b/;

export type DiskClaims = Readonly<Record<DiskName, KubeObject>>;

/** Which disks to wait for, up to which stage, and which earlier errors to ignore. */
interface Growing {
  readonly disks: readonly DiskName[];
  readonly down: "to the volume" | "to the file system";
  readonly before?: ReadonlySet<string>;
}

/** Returns the PVCs of the site. Throws a final ClusterError if one is missing. */
export async function readClaims(place: DiskPlace, run: Run): Promise<DiskClaims> {
  const [files, database] = await Promise.all([readClaim(place, run, "files"), readClaim(place, run, "database")]);
  return { files, database };
}

async function readClaim(place: DiskPlace, run: Run, disk: DiskName): Promise<KubeObject> {
  const ref = refOf(place, disk), claim = await place.space.get(ref, run);
  if (claim) return claim;
  throw permanentError(
    "NotFound",
    `The volume claim ${ref.name} is not in the cluster any more`,
    "Somebody has deleted it, and the data on it: restore a backup.",
  );
}

/** Returns the sizes that the PVCs request. Kubernetes never allows a smaller request. */
export function disksOf({ files, database }: DiskClaims): DiskSizes {
  return { files: asked(files), database: asked(database) };
}

/**
 * Returns which PVCs can grow, according to their StorageClass. A PVC without a class was created manually and cannot
 * grow.
 */
export async function readGrowth(cluster: Cluster, run: Run, { files, database }: DiskClaims): Promise<GrowableDisks> {
  const may = async (claim: KubeObject): Promise<boolean> => {
    const name = classOf(claim);
    const found = name === "" ? null : await cluster.find({ ...CLASS, name }, run);
    return found?.["allowVolumeExpansion"] === true;
  };
  return { files: await may(files), database: await may(database) };
}

/** Returns a note about a disk that cannot grow. */
export function ungrownDiskNote(claim: KubeObject, wanted: string): string {
  const name = classOf(claim);
  const why = name === "" ? "it has no storage class" : `its storage class ${name} does not let volumes grow`;
  return `The disk ${claim.metadata.name} stays at ${
    asked(claim)
  } and does not become ${wanted}: ${why} (allowVolumeExpansion)`;
}

/** Raises the request of the PVC to at least this size, and returns the resulting request. */
export async function growPvc(place: DiskPlace, run: Run, disk: DiskName, size: string): Promise<string> {
  const change = (claim: KubeObject) =>
    parseQuantity(asked(claim)) < parseQuantity(size) ? [{ op: "replace" as const, path: REQUEST, value: size }] : [];
  return asked(await patchFenced(place.space, { ref: refOf(place, disk), hold: run.job, change }, run));
}

/** Returns keys of the disks' past error events, so that new errors can be recognised. */
export async function readPastErrorKeys(place: DiskPlace, run: Run): Promise<ReadonlySet<string>> {
  return new Set((await failures(place, run, DISK_NAMES)).map(keyOf));
}

/**
 * Waits until the volumes or their file systems have the requested size. Throws a final ClusterError if a driver
 * reports a new permanent error, or if the step's time runs out.
 */
export async function waitUntilGrown(place: DiskPlace, run: Run, { disks, down, before }: Growing): Promise<void> {
  const known = before ?? await readPastErrorKeys(place, run);
  const late = await pollUntil(run, async () => {
    const claims = await Promise.all(disks.map((disk) => readClaim(place, run, disk)));
    const lacking = claims.map((claim) => lackOf(claim, down)).filter((lack) => lack !== null);
    if (lacking.length === 0) return null;
    const last = (await failures(place, run, disks)).at(-1);
    const sentence = lacking.join("; ") + (last ? `: ${last["message"]}` : "");
    if (last && FINAL.test(String(last["message"])) && !known.has(keyOf(last))) throw ungrown(sentence);
    return sentence;
  });
  if (late !== null) throw ungrown(late);
}

function lackOf(claim: KubeObject, down: Growing["down"]): string | null {
  const { capacity, conditions = [] } = claim["status"] ?? {}, { name } = claim.metadata;
  if (parseQuantity(String(capacity?.storage)) >= parseQuantity(asked(claim))) return null;
  const grown = conditions.some(({ type, status }: { type: string; status: string }) =>
    type === "FileSystemResizePending" && status === "True"
  );
  if (grown && down === "to the volume") return null;
  const what = grown ? "The file system" : "The volume";
  return `${what} of claim ${name} is still to grow from ${capacity?.storage ?? "nothing"} to ${asked(claim)}`;
}

/** Returns events about failed resizes of these PVCs, the latest last. */
async function failures(place: DiskPlace, run: Run, disks: readonly DiskName[]): Promise<KubeObject[]> {
  const names = sitePvcNames(place.inputs),
    events = await place.space.list({ apiVersion: "v1", kind: "Event" }, "", run);
  return events.filter((event) =>
    /^(VolumeResizeFailed|FileSystemResizeFailed)$/.test(String(event["reason"])) &&
    disks.some((disk) => event["involvedObject"]?.name === names[disk])
  ).toSorted((a, b) => String(a["lastTimestamp"]).localeCompare(String(b["lastTimestamp"])));
}

/** Returns a key that differs for each occurrence: a repeated event keeps its UID but increases its count. */
function keyOf(event: KubeObject): string {
  return `${event.metadata.uid} ${event["count"] ?? event["series"]?.count ?? 1}`;
}

function ungrown(message: string): ClusterError {
  return permanentError(
    "VolumeResizeFailed",
    message,
    "See what the storage driver says, and its capacity; then resize again. What has grown stays so.",
  );
}

function asked(claim: KubeObject): string {
  return String(claim["spec"]?.resources?.requests?.storage);
}

function classOf(claim: KubeObject): string {
  return claim["spec"]?.storageClassName ?? claim.metadata.annotations?.["volume.beta.kubernetes.io/storage-class"] ??
    "";
}

function refOf({ inputs }: DiskPlace, disk: DiskName): Ref {
  return { ...CLAIM, name: sitePvcNames(inputs)[disk] };
}
