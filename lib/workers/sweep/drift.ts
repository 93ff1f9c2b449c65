/**
 * Checks spokes for drift: differences between the blueprint (manifests) and the cluster. If an object seems changed or
 * missing, it is compared by a dry run in the API server. The number of dry runs per check is limited; spokes beyond
 * the limit keep their earlier result. Secrets are read by name, because permission to list Secrets would include all
 * Secrets in the cluster.
 */
import { type ExpectedObject, formatObjectTitle } from "#lib/moodle/expected-objects.ts";
import { ClusterError } from "#lib/drivers/cluster/cluster.ts";
import { buildDrift, type Drift, type DriftedObject, isSameDrift } from "#lib/domains/spokes/drift.ts";
import { checkObjectDrift } from "#lib/domains/spokes/check-drift.ts";
import { removeTierMark } from "#lib/moodle/tier-marks.ts";
import { readUnlistedAddons } from "#lib/domains/spokes/addons.ts";
import { sleep } from "#lib/base/time.ts";
import { findImagesWithMovedTags } from "#lib/workers/sweep/images.ts";
import { type ClusterCheck, listExpectedSpokeObjects, type SpokeObservations } from "#lib/workers/sweep/spoke-facts.ts";
import { readSpokeInputs, saveSpokeDrift } from "#lib/workers/sweep/rows.ts";

const ROWS = 500;

interface DriftResult {
  readonly id: string;
  readonly before: unknown;
  readonly drift: Drift | null;
}

interface DriftCandidate {
  readonly spokeFacts: SpokeObservations;
  readonly suspects: readonly ExpectedObject[];
  readonly secrets: readonly ExpectedObject[];
  /** The add-ons that the catalog does not list. */
  readonly addons: readonly string[];
}

/** Checks the spokes for drift and stores the results. Returns the namespaces of spokes whose result was not stored. */
export async function checkDrift(check: ClusterCheck): Promise<string[]> {
  const facts = [...check.facts.values()], candidates: DriftCandidate[] = [];
  for (let i = 0; i < facts.length; i += ROWS) {
    const batch = facts.slice(i, i + ROWS);
    const ids = batch.map(({ spoke }) => spoke.id), inputs = await readSpokeInputs(check.app, ids);
    const addons = await readUnlistedAddons(check.app.db.rows, check.app.catalog.addons, ids);
    for (const spokeFacts of batch) {
      const own = inputs.get(spokeFacts.spoke.id);
      if (!own || spokeFacts.problems.get("Namespace") !== null) continue; // the health check reports the problem
      const expected = listExpectedSpokeObjects(check.app, spokeFacts, own);
      const suspects = expected.filter(({ object }) =>
        check.listed.has(object.kind) &&
        (spokeFacts.suspects.has(formatObjectTitle(object)) || !spokeFacts.titles.has(formatObjectTitle(object)))
      );
      const secrets = expected.filter(({ object }) => object.kind === "Secret");
      candidates.push({ spokeFacts, suspects, secrets, addons: addons.get(spokeFacts.spoke.id) ?? [] });
    }
  }
  const results = await compareAll(check, candidates);
  const checkedIds = new Set(results.map(({ id }) => id));
  const changes = results.filter(({ before, drift }) => !isSameDrift(before, drift));
  for (let i = 0; i < changes.length; i += ROWS) {
    const batch = changes.slice(i, i + ROWS);
    const written = new Set(await check.run.write((tx) => saveSpokeDrift(tx, check.startedAt, batch)));
    for (const { id } of batch) if (!written.has(id)) checkedIds.delete(id);
  }
  const { run, cluster } = check;
  run.log.debug("Checked a cluster", { cluster: cluster.name, spokes: facts.length, doubts: candidates.length });
  return candidates.flatMap(({ spokeFacts: { spoke } }) => checkedIds.has(spoke.id) ? [] : spoke.namespace);
}

async function compareAll(check: ClusterCheck, candidates: readonly DriftCandidate[]): Promise<DriftResult[]> {
  const results: DriftResult[] = [];
  let left = check.pace.maxComparisons, skipped = 0;
  const [certain, suspects] = [false, true].map((is) =>
    shuffled(candidates.filter(({ suspects }) => suspects.length > 0 === is))
  );
  for (const candidate of [...suspects!, ...certain!]) {
    if (candidate.suspects.length > left) {
      skipped++;
      continue;
    }
    left -= candidate.suspects.length;
    const secrets = candidate.secrets.length > left ? [] : candidate.secrets;
    left -= secrets.length;
    const compared = [...candidate.suspects, ...secrets];
    const earlierSecrets = secrets.length > 0
      ? []
      : readEarlierDrift(candidate.spokeFacts).filter(({ object }) => object.startsWith("Secret/"));
    if (compared.length > 0) await sleep(check.pace.pauseMs, check.run.signal);
    try {
      results.push(
        createResult(check, candidate, [
          ...earlierSecrets,
          ...await compareObjects(check, candidate.spokeFacts, compared),
        ]),
      );
    } catch (error) {
      if (!(error instanceof ClusterError)) throw error;
      // Continues with the other spokes; the next periodic check examines this spoke again.
      check.run.log.warn("Cannot check a spoke for drift", { spoke: candidate.spokeFacts.spoke.id, error });
      if (error.transient) break;
    }
  }
  if (skipped > 0) {
    check.run.log.warn("Too many objects seem to have drifted; some spokes were not compared", { unasked: skipped });
  }
  return results;
}

function readEarlierDrift({ spoke }: SpokeObservations): readonly DriftedObject[] {
  return (spoke.drift as Drift | null)?.objects ?? [];
}

async function compareObjects(
  { app, cluster, run }: ClusterCheck,
  { spoke }: SpokeObservations,
  compared: readonly ExpectedObject[],
): Promise<DriftedObject[]> {
  const target = { cluster, space: cluster.space(spoke.namespace, spoke.namespaceUid) };
  const found: DriftedObject[] = [];
  for (const { object, comparison } of compared) {
    const isCurrent = removeTierMark(spoke.blueprintRevision) === app.blueprint.revision;
    const drifted = await checkObjectDrift(target, { object, comparison: isCurrent ? comparison : "presence" }, run);
    if (drifted) found.push(drifted);
  }
  return found;
}

function createResult(
  check: ClusterCheck,
  { spokeFacts, addons }: DriftCandidate,
  found: readonly DriftedObject[],
): DriftResult {
  const { app } = check, { spoke } = spokeFacts, objects = [...found, ...findImagesWithMovedTags(check, spokeFacts)];
  const from = spoke.blueprintRevision, to = app.blueprint.revision;
  return { id: spoke.id, before: spoke.drift, drift: buildDrift(objects, from === to ? null : { from, to }, addons) };
}

function shuffled<T>(list: readonly T[]): T[] {
  return list.map((item) => [Math.random(), item] as const).sort(([a], [b]) => a - b).map(([, item]) => item);
}
