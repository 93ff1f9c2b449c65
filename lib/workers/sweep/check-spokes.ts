/**
 * Checks active spokes of a cluster. It lists objects kind by kind and keeps only a few facts of each spoke. It writes
 * health first, then drift.
 * Nothing is written until a list is complete, because a spoke is not unhealthy when its cluster does not answer. The
 * earlier result stays, with its time in `observedAt`.
 */
import {
  type ExpectedObject,
  listExpectedObjects,
  objectTitle,
  stepsByKind,
  withObservedRevision,
} from "#lib/moodle/expected-objects.ts";
import type { SpokeStep } from "#lib/moodle/blueprint-files.ts";
import { type Cluster, ClusterError, type KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { findMismatches } from "#lib/drivers/cluster/diff.ts";
import type { Run } from "#lib/scheduler/handler.ts";
import { findNamespaceProblem, findPartProblem, PART_KINDS, partsOf } from "#lib/domains/spokes/health.ts";
import { checkDrift } from "#lib/workers/sweep/drift.ts";
import { confirmHealth } from "#lib/workers/sweep/health.ts";
import { readImages } from "#lib/workers/sweep/images.ts";
import { expectedOf, type SpokeFacts, type SweepCheck, type SweptKind } from "#lib/workers/sweep/spoke-facts.ts";
import { type Health, readInputs, type SweptSpoke, writeHealth } from "#lib/workers/sweep/rows.ts";

const NAMESPACE: SweptKind = { apiVersion: "v1", kind: "Namespace" };
const HEALTH: readonly SweptKind[] = [NAMESPACE, ...PART_KINDS];
const ROWS = 500;

/** The part of a check's result that is not stored in the database. */
export interface SweepResult {
  /** Unhealthy spokes by namespace. */
  readonly ailing: ReadonlyMap<string, Health>;
  /** Namespaces to check again, because they could not be checked or written. */
  readonly again: readonly string[];
}

/** The cluster to check, and the pace of the check. */
export type SweepSite = Pick<SweepCheck, "app" | "run" | "cluster" | "pace">;

/**
 * Checks the spokes. `list` reads the objects of a kind. Failed checks count at most once a minute: `counted` is
 * whether this check counts.
 */
export async function checkSpokes(
  site: SweepSite,
  spokes: readonly SweptSpoke[],
  { list: pages, counted }: { readonly list: SweepCheck["list"]; readonly counted: boolean },
): Promise<SweepResult> {
  const { app, run } = site, began = await app.db.now();
  const here = await ofThisCluster(site.cluster, run, spokes);
  const sights = new Map(here.map((spoke) => [spoke.namespace, sightOf(spoke)]));
  const look: SweepCheck = { ...site, began, sights, listed: new Set(), list: pages };

  const kinds = await readKinds(look);
  for (const { apiVersion, kind } of HEALTH) await list(look, { apiVersion, kind }, kinds);
  const seen = await confirmHealth(look), ailing = seen.filter(({ ailment }) => ailment !== null);
  const written = await writeResults(run, began, counted ? seen : seen.filter(({ ailment }) => ailment === null));
  for (const { apiVersion, kind } of kinds.values()) {
    if (look.listed.has(kind) || kind === "Secret") continue;
    try {
      await list(look, { apiVersion, kind }, kinds);
    } catch (error) {
      const refused = error instanceof ClusterError && (error.status === 403 || error.status === 404);
      if (!refused) throw error; // otherwise the kind is not served or not listable, and is skipped
      run.log.warn("Cannot tell whether objects of a kind have drifted", { kind, error });
    }
  }
  await readImages(look);
  const unsettled = await checkDrift(look);
  const bad = new Map(ailing.map((health) => [health.id, health]));
  const unwritten = here.filter(({ id }) => !written.has(id) && (counted || !bad.has(id)));
  return {
    ailing: new Map(here.flatMap(({ id, namespace }) => bad.has(id) ? [[namespace, bad.get(id)!]] : [])),
    again: [...unsettled, ...unwritten.map(({ namespace }) => namespace)],
  };
}

/**
 * Checks whether the Secrets of these spokes exist, because no list contains them. Other objects keep their earlier
 * result.
 */
export async function checkSecrets(site: SweepSite, spokes: readonly SweptSpoke[]): Promise<void> {
  const began = await site.app.db.now(), here = await ofThisCluster(site.cluster, site.run, spokes);
  const sights = new Map(here.map((spoke) => [spoke.namespace, sightOf(spoke)]));
  for (const { ailments } of sights.values()) ailments.set("Namespace", null);
  await checkDrift({ ...site, began, sights, listed: new Set(), list: () => Promise.resolve() });
}

/** Writes the health of spokes in batches. Returns the IDs of the written rows. */
export async function writeResults(run: Run, began: Date, looks: readonly Health[]): Promise<Set<string>> {
  const written = new Set<string>();
  for (let i = 0; i < looks.length; i += ROWS) {
    for (const id of await run.write((tx) => writeHealth(tx, began, looks.slice(i, i + ROWS)))) written.add(id);
  }
  return written;
}

/**
 * Returns the spokes that were created in this cluster. Spokes of another cluster with the same name would seem to be
 * missing.
 */
async function ofThisCluster(
  cluster: Cluster,
  run: Run,
  candidates: readonly SweptSpoke[],
): Promise<readonly SweptSpoke[]> {
  const identity = await cluster.identity(run);
  const here = candidates.filter(({ clusterUid }) => clusterUid === null || clusterUid === identity);
  const elsewhere = candidates.length - here.length;
  if (elsewhere > 0) {
    run.log.warn("Spokes were made in another cluster of this name; they are not looked at", { elsewhere });
  }
  return here;
}

interface KnownKind extends SweptKind {
  readonly steps: readonly SpokeStep[];
}

/** Returns the kinds to list. The blueprint renders the same kinds for all spokes, so one spoke is enough. */
async function readKinds({ app, sights }: SweepCheck): Promise<ReadonlyMap<string, KnownKind>> {
  for (const { spoke: { id, maintenance } } of sights.values()) {
    const inputs = (await readInputs(app, [id])).get(id);
    if (!inputs) continue;
    const site = { inputs, maintenance };
    const versions = new Map(
      listExpectedObjects(app.blueprint, site).map(({ object }) => [object.kind, object.apiVersion]),
    );
    return new Map(
      [...stepsByKind(app.blueprint, site)].map(([kind, steps]) => [
        kind,
        { apiVersion: versions.get(kind)!, kind, steps },
      ]),
    );
  }
  return new Map();
}

async function list(look: SweepCheck, kind: SweptKind, kinds: ReadonlyMap<string, KnownKind>): Promise<void> {
  const steps = kinds.get(kind.kind)?.steps ?? [];
  await look.list(kind, (objects) => take(look, steps, objects));
  look.listed.add(kind.kind);
}

async function take(
  { app, sights }: SweepCheck,
  steps: readonly SpokeStep[],
  objects: readonly KubeObject[],
): Promise<void> {
  const bySight = Map.groupBy(objects, (object) => sights.get(namespaceOf(object)));
  const comparable = [...bySight.keys()].flatMap((sight) =>
    sight && sight.spoke.blueprintRevision === app.blueprint.revision ? sight.spoke.id : []
  );
  const inputs = await readInputs(app, comparable);
  for (const [sight, found] of bySight) {
    if (!sight) continue; // the namespace has no active spoke
    for (const object of found) note(sight, object);
    const own = inputs.get(sight.spoke.id);
    if (own) compare(sight, expectedOf(app, sight, own, steps), found);
  }
}

function note({ spoke, ailments, titles }: SpokeFacts, object: KubeObject): void {
  const title = objectTitle(object);
  titles.add(title);
  if (object.kind === "Namespace") ailments.set("Namespace", findNamespaceProblem(object, spoke.namespaceUid));
  const part = partsOf(spoke).find(({ kind, name }) => kind === object.kind && name === object.metadata.name);
  if (part) ailments.set(title, findPartProblem(part, object));
}

function compare({ suspects }: SpokeFacts, expected: readonly ExpectedObject[], found: readonly KubeObject[]): void {
  const standing = new Map(found.map((object) => [objectTitle(object), object]));
  for (const { object, comparison } of expected) {
    const title = objectTitle(object), there = standing.get(title);
    if (!there || comparison !== "full") continue;
    if (findMismatches(withObservedRevision(object, there), there).length > 0) suspects.add(title);
    else suspects.delete(title); // fixed before the list restarted
  }
}

/** Returns the namespace that the object is in; for a Namespace, its own name. */
export function namespaceOf({ kind, metadata }: KubeObject): string {
  return kind === "Namespace" ? metadata.name : metadata.namespace ?? "";
}

function sightOf(spoke: SweptSpoke): SpokeFacts {
  return { spoke, ailments: new Map(), images: new Map(), titles: new Set(), suspects: new Set() };
}
