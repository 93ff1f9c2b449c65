/** Checks that each spoke's site in the cluster matches the spoke's database row: pods, version, size, disks, scheduled
 * tasks and snapshots. */
import * as v from "valibot";
import { SpokeInputs } from "#lib/moodle/inputs.ts";
import { parseQuantity } from "#lib/drivers/cluster/diagnosis/quantity.ts";
import type { RecordedChange } from "#lib/dev/simulator/store/recorder.ts";
import { queryRows } from "#test/support/bench/query.ts";
import type { ClusterProcess } from "#test/support/bench/cluster.ts";
import type { TestDatabase } from "#test/support/database.ts";

interface Row {
  readonly id: string;
  readonly state: string;
  readonly namespace: string;
  readonly namespaceUid: string;
  readonly lmsVersion: string;
  readonly size: string;
  readonly maintenance: boolean;
  readonly blueprintInputs: unknown;
}

// deno-lint-ignore no-explicit-any
type Json = any;

/** Returns a sentence for each site that differs from its spoke's row, and for each object without a spoke. */
export async function findSiteMismatches(db: TestDatabase, cluster: ClusterProcess): Promise<string[]> {
  const rows: Row[] = await queryRows(db, "select * from spokes where state <> 'removed' order by id");
  const found: string[] = [];
  for (const row of rows) {
    const wrong = await wrongOf(db, cluster, row).catch((error) => [String(error)]);
    found.push(...wrong.map((what) => `${row.id} (${row.namespace}) is ${row.state}, ${row.size}, but ${what}`));
  }
  const hubs = await queryRows(db, "select namespace from federations where state <> 'removed'");
  const namespaces = new Set([...rows, ...hubs].map(({ namespace }) => namespace));
  const ours = await cluster.list("/api/v1/namespaces", "app.kubernetes.io/managed-by=wheelwright");
  const strangers = ours.map(({ metadata }) => metadata.name).filter((name) => !namespaces.has(name));
  return [...found, ...strangers.map((name) => `The namespace ${name} belongs to no spoke or hub`)];
}

/** Finds pairs of Jobs that rewrote a site's database at the same time. */
export function findRepeatedUpgrades(jobs: readonly RecordedChange[]): string[] {
  const active = new Map<string, string>(), found: string[] = [];
  for (const { type, namespace, name, uid, conditions, at } of jobs.filter((job) => job.name.startsWith("upgrade-"))) {
    const ended = type === "DELETED" || conditions.some((condition) => /^(?:Complete|Failed)=True/.test(condition));
    if (ended && active.get(namespace!) === uid) active.delete(namespace!);
    else if (!ended && (active.get(namespace!) ?? uid) !== uid) {
      found.push(`${namespace}/${name} began at ${at} while another such Job was running`);
    } else if (!ended) active.set(namespace!, uid);
  }
  return found;
}

async function wrongOf(db: TestDatabase, cluster: ClusterProcess, row: Row): Promise<string[]> {
  const { namespace, state, maintenance, lmsVersion: version } = row;
  const inputs = v.parse(SpokeInputs, row.blueprintInputs), { resources, images } = inputs;
  const up = state === "active" ? 1 : 0;
  const at = (group: string, rest: string): Promise<Json> => cluster.get(`${group}/namespaces/${namespace}/${rest}`);
  const all = (group: string, plural: string): Promise<Json[]> =>
    cluster.list(`${group}/namespaces/${namespace}/${plural}`);
  const [moodle, database, cron, files, data, quota] = [
    await at("/apis/apps/v1", "deployments/moodle"),
    await at("/apis/apps/v1", "statefulsets/db"),
    await at("/apis/batch/v1", "cronjobs/moodle-cron"),
    await at("/api/v1", "persistentvolumeclaims/files"),
    await at("/api/v1", "persistentvolumeclaims/data-db-0"),
    await at("/api/v1", "resourcequotas/spoke"),
  ];
  const container = moodle.spec.template.spec.containers[0];
  const pods = (await all("/api/v1", "pods")).filter((pod) =>
    ["app", "db"].includes(pod.metadata.labels?.role) && !["Succeeded", "Failed"].includes(pod.status?.phase) &&
    pod.metadata.labels?.op !== "cron"
  );
  const jobs = await all("/apis/batch/v1", "jobs");
  const open = jobs.filter((job) => !job.status?.conditions?.some(isEnd) && !isScheduled(job));
  const snapshots = await all("/apis/snapshot.storage.k8s.io/v1", "volumesnapshots");
  const taken = await queryRows(db, "select volumes from backups where spoke_id = $1 and state = 'ready'", [row.id]);
  const expected = taken.flatMap(({ volumes }) => volumes.map(({ snapshot }: Json) => snapshot)).toSorted();
  const checks: readonly (readonly [what: string, is: unknown, should: unknown])[] = [
    ["Moodle's replicas are", [moodle.spec.replicas, moodle.status?.readyReplicas ?? 0], [up, up]],
    ["the database's replicas are", [database.spec.replicas, database.status?.readyReplicas ?? 0], [up, up]],
    ["the number of the site's pods is", pods.length, 2 * up],
    ["whether scheduled tasks are paused:", cron.spec.suspend ?? false, up === 0 || maintenance],
    ["the version and size in the inputs are", [inputs.version, inputs.size], [version, row.size]],
    ["Moodle's image is", container.image, images.moodle],
    ["the images of Moodle's pods are", unique(pods.filter(isApp).map(imageOf)), up === 0 ? [] : [images.moodle]],
    ["the image of the scheduled tasks is", imageOf(cron.spec.jobTemplate.spec.template), images.moodle],
    ["Moodle's limits are", amounts(container.resources.limits), amounts(resources.app.limits)],
    [
      "the database's limits are",
      amounts(database.spec.template.spec.containers[0].resources.limits),
      amounts(resources.database.limits),
    ],
    ["the disks are", [files, data].map(diskOf), [resources.disks.files, resources.disks.database].map(parseQuantity)],
    [
      "the quota is",
      parseQuantity(String(quota.spec.hard["limits.memory"])),
      parseQuantity(resources.quota.limits.memory),
    ],
    ["Jobs that have not ended are", open.map(nameOf), []],
    ["Jobs that reset the site are", jobs.map(nameOf).filter((name) => name.startsWith("reset-")), []],
    ["snapshots are", snapshots.map(nameOf).toSorted(), expected],
    ["snapshots that are not ready are", snapshots.filter((each) => !each.status?.readyToUse).map(nameOf), []],
    ["the namespace's uid is", (await cluster.get(`/api/v1/namespaces/${namespace}`)).metadata.uid, row.namespaceUid],
  ];
  return checks.filter(([, is, should]) => JSON.stringify(is) !== JSON.stringify(should))
    .map(([what, is, should]) => `${what} ${JSON.stringify(is)}, but should be ${JSON.stringify(should)}`);
}

function isEnd({ type, status }: Json): boolean {
  return (type === "Complete" || type === "Failed") && status === "True";
}

/** Whether the CronJob for scheduled tasks created the Job. */
function isScheduled(job: Json): boolean {
  return /^moodle-cron-\d+$/.test(job.metadata.name);
}

function isApp(pod: Json): boolean {
  return pod.metadata.labels?.role === "app" && pod.metadata.labels?.app === "moodle";
}

function imageOf({ spec }: Json): string {
  return spec.containers[0].image;
}

function nameOf({ metadata }: Json): string {
  return metadata.name;
}

function diskOf(claim: Json): number {
  return parseQuantity(String(claim.status?.capacity?.storage));
}

function amounts(map: Json): Record<string, number> {
  return Object.fromEntries(["cpu", "memory"].map((name) => [name, parseQuantity(String(map[name]))]));
}

function unique(list: readonly string[]): string[] {
  return [...new Set(list)];
}
