/**
 * Checks the health and drift of active spokes in a cluster. Lists objects kind by kind, and keeps only a few facts
 * about each spoke. Results are stored only after all lists that they need are complete. If the cluster does not
 * respond, the spokes therefore keep their earlier results.
 */
import {
  copyObservedRevision,
  type ExpectedObject,
  formatObjectTitle,
  listExpectedObjects,
  mapKindsToSteps,
} from "#lib/moodle/expected-objects.ts";
import type { SpokeInstallStep } from "#lib/moodle/blueprint-files.ts";
import { removeTierMark } from "#lib/moodle/tier-marks.ts";
import { type Cluster, ClusterError, type KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { findManifestMismatches } from "#lib/drivers/cluster/diff.ts";
import type { JobRun } from "#lib/scheduler/handler.ts";
import {
  findNamespaceProblem,
  findObjectProblem,
  HEALTH_OBJECT_KINDS,
  listObjectsToCheck,
} from "#lib/domains/spokes/health.ts";
import { checkDrift } from "#lib/workers/sweep/drift.ts";
import { determineHealth } from "#lib/workers/sweep/health.ts";
import { saveRunningImages } from "#lib/workers/sweep/images.ts";
import { createPodFacts } from "#lib/workers/sweep/pod-facts.ts";
import { readPods } from "#lib/workers/sweep/pods.ts";
import { saveUsageResults } from "#lib/workers/sweep/usage.ts";
import {
  type CheckedResource,
  type ClusterCheck,
  listExpectedSpokeObjects,
  type SpokeObservations,
} from "#lib/workers/sweep/spoke-facts.ts";
import { type CheckedSpoke, readSpokeInputs, saveSpokeHealth, type SpokeHealth } from "#lib/workers/sweep/rows.ts";

const NAMESPACE: CheckedResource = { apiVersion: "v1", kind: "Namespace" };
const HEALTH_KINDS: readonly CheckedResource[] = [NAMESPACE, ...HEALTH_OBJECT_KINDS];
const ROWS = 500;

/** The part of a check's result that is not stored in the database. */
export interface SweepResult {
  /** The unhealthy spokes. The keys are their namespaces. */
  readonly unhealthy: ReadonlyMap<string, SpokeHealth>;
  /** The namespaces of spokes to check again, because the check failed or its result could not be stored. */
  readonly recheck: readonly string[];
}

/** The cluster whose spokes are checked, and the pace of the check. */
export type CheckedCluster = Pick<ClusterCheck, "app" | "run" | "cluster" | "pace">;

/**
 * Checks the health and drift of spokes. `list` reads the objects of one kind. `counted` adds a failed check to each
 * unhealthy spoke; callers set it at most once a minute.
 */
export async function checkSpokes(
  site: CheckedCluster,
  spokes: readonly CheckedSpoke[],
  { list: pages, counted }: { readonly list: ClusterCheck["list"]; readonly counted: boolean },
): Promise<SweepResult> {
  const { app, run } = site, began = await app.db.now();
  const here = await selectOwnSpokes(site.cluster, run, spokes);
  const facts = new Map(here.map((spoke) => [spoke.namespace, createFacts(spoke)]));
  const check: ClusterCheck = { ...site, startedAt: began, facts, listed: new Set(), list: pages };

  const kinds = await readKinds(check);
  for (const { apiVersion, kind } of HEALTH_KINDS) await list(check, { apiVersion, kind }, kinds);
  await readPods(check);
  const healths = await determineHealth(check), unhealthy = healths.filter(({ problem }) => problem !== null);
  const written = await saveHealthResults(
    run,
    began,
    counted ? healths : healths.filter(({ problem }) => problem === null),
  );
  for (const { apiVersion, kind } of kinds.values()) {
    if (check.listed.has(kind) || kind === "Secret") continue;
    try {
      await list(check, { apiVersion, kind }, kinds);
    } catch (error) {
      const refused = error instanceof ClusterError && (error.status === 403 || error.status === 404);
      if (!refused) throw error; // skips a kind that the cluster does not have or may not list
      run.log.warn("Cannot list the objects of a kind to check them for drift", { kind, error });
    }
  }
  await saveRunningImages(check);
  await saveUsageResults(check);
  const unchecked = await checkDrift(check);
  const unhealthyById = new Map(unhealthy.map((health) => [health.id, health]));
  const unwritten = here.filter(({ id }) => !written.has(id) && (counted || !unhealthyById.has(id)));
  return {
    unhealthy: new Map(
      here.flatMap(({ id, namespace }) => unhealthyById.has(id) ? [[namespace, unhealthyById.get(id)!]] : []),
    ),
    recheck: [...unchecked, ...unwritten.map(({ namespace }) => namespace)],
  };
}

/**
 * Checks whether the Secrets of these spokes exist, because lists never include Secrets. For all other objects, the
 * earlier results remain.
 */
export async function checkSecrets(site: CheckedCluster, spokes: readonly CheckedSpoke[]): Promise<void> {
  const began = await site.app.db.now(), here = await selectOwnSpokes(site.cluster, site.run, spokes);
  const facts = new Map(here.map((spoke) => [spoke.namespace, createFacts(spoke)]));
  for (const { problems } of facts.values()) problems.set("Namespace", null);
  await checkDrift({ ...site, startedAt: began, facts, listed: new Set(), list: () => Promise.resolve() });
}

/** Stores the health of the spokes in batches. Returns the IDs of the spokes whose rows were updated. */
export async function saveHealthResults(
  run: JobRun,
  began: Date,
  healths: readonly SpokeHealth[],
): Promise<Set<string>> {
  const written = new Set<string>();
  for (let i = 0; i < healths.length; i += ROWS) {
    for (const id of await run.write((tx) => saveSpokeHealth(tx, began, healths.slice(i, i + ROWS)))) written.add(id);
  }
  return written;
}

/**
 * Returns the spokes that were created in this cluster. If the kubeconfig now points to a different cluster, all other
 * spokes would wrongly seem to be missing.
 */
async function selectOwnSpokes(
  cluster: Cluster,
  run: JobRun,
  candidates: readonly CheckedSpoke[],
): Promise<readonly CheckedSpoke[]> {
  const identity = await cluster.identity(run);
  const here = candidates.filter(({ clusterUid }) => clusterUid === null || clusterUid === identity);
  const elsewhere = candidates.length - here.length;
  if (elsewhere > 0) {
    run.log.warn("Skipping spokes that were created in a different cluster with the same name", { elsewhere });
  }
  return here;
}

interface ListedKind extends CheckedResource {
  readonly steps: readonly SpokeInstallStep[];
}

/** Returns the kinds of objects to list. Reads just one spoke, because all spokes have the same kinds of objects. */
async function readKinds({ app, facts }: ClusterCheck): Promise<ReadonlyMap<string, ListedKind>> {
  for (const { spoke: { id, maintenance } } of facts.values()) {
    const inputs = (await readSpokeInputs(app, [id])).get(id);
    if (!inputs) continue;
    const site = { inputs, maintenance };
    const versions = new Map(
      listExpectedObjects(app.blueprint, site).map(({ object }) => [object.kind, object.apiVersion]),
    );
    return new Map(
      [...mapKindsToSteps(app.blueprint, site)].map(([kind, steps]) => [
        kind,
        { apiVersion: versions.get(kind)!, kind, steps },
      ]),
    );
  }
  return new Map();
}

async function list(check: ClusterCheck, kind: CheckedResource, kinds: ReadonlyMap<string, ListedKind>): Promise<void> {
  const steps = kinds.get(kind.kind)?.steps ?? [];
  await check.list(kind, (objects) => take(check, steps, objects));
  check.listed.add(kind.kind);
}

async function take(
  { app, facts }: ClusterCheck,
  steps: readonly SpokeInstallStep[],
  objects: readonly KubeObject[],
): Promise<void> {
  const objectsByFacts = Map.groupBy(objects, (object) => facts.get(getObjectNamespace(object)));
  const comparable = [...objectsByFacts.keys()].flatMap((spokeFacts) =>
    spokeFacts && removeTierMark(spokeFacts.spoke.blueprintRevision) === app.blueprint.revision
      ? spokeFacts.spoke.id
      : []
  );
  const inputs = await readSpokeInputs(app, comparable);
  for (const [spokeFacts, found] of objectsByFacts) {
    if (!spokeFacts) continue; // the namespace has no active spoke
    for (const object of found) recordObject(spokeFacts, object);
    const own = inputs.get(spokeFacts.spoke.id);
    if (own) compare(spokeFacts, listExpectedSpokeObjects(app, spokeFacts, own, steps), found);
  }
}

function recordObject({ spoke, problems, titles }: SpokeObservations, object: KubeObject): void {
  const title = formatObjectTitle(object);
  titles.add(title);
  if (object.kind === "Namespace") problems.set("Namespace", findNamespaceProblem(object, spoke.namespaceUid));
  const part = listObjectsToCheck(spoke).find(({ kind, name }) =>
    kind === object.kind && name === object.metadata.name
  );
  if (part) problems.set(title, findObjectProblem(part, object));
}

function compare(
  { suspects }: SpokeObservations,
  expected: readonly ExpectedObject[],
  found: readonly KubeObject[],
): void {
  const existing = new Map(found.map((object) => [formatObjectTitle(object), object]));
  for (const { object, comparison } of expected) {
    const title = formatObjectTitle(object), actual = existing.get(title);
    if (!actual || comparison !== "full") continue;
    if (findManifestMismatches(copyObservedRevision(object, actual), actual).length > 0) suspects.add(title);
    else suspects.delete(title); // the object was fixed before the list started again
  }
}

/** Returns the namespace that contains an object. If the object is itself a Namespace, returns its name. */
export function getObjectNamespace({ kind, metadata }: KubeObject): string {
  return kind === "Namespace" ? metadata.name : metadata.namespace ?? "";
}

function createFacts(spoke: CheckedSpoke): SpokeObservations {
  return {
    spoke,
    problems: new Map(),
    images: new Map(),
    pods: createPodFacts(),
    titles: new Set(),
    suspects: new Set(),
  };
}
