/**
 * Checks spokes for drift. If an object seems changed or missing, the API server compares it by dry run and decides.
 * The number of comparisons per check is limited. Their order is random, so that every spoke is compared eventually;
 * spokes beyond the limit keep their earlier result. Secrets are never listed, since that permission would include all
 * Secrets. They are read by name within the limit. If a spoke has another blueprint revision, only missing objects are
 * reported.
 */
import { type ExpectedObject, objectTitle } from "#lib/moodle/expected-objects.ts";
import { ClusterError } from "#lib/drivers/cluster/cluster.ts";
import { createDrift, type Drift, type DriftedObject, equalDrift } from "#lib/domains/spokes/drift.ts";
import { checkObjectDrift } from "#lib/domains/spokes/check-drift.ts";
import { sleep } from "#lib/base/time.ts";
import { movedImages } from "#lib/workers/sweep/images.ts";
import { expectedOf, type SpokeFacts, type SweepCheck } from "#lib/workers/sweep/spoke-facts.ts";
import { readInputs, writeDrift } from "#lib/workers/sweep/rows.ts";

const ROWS = 500;

interface Verdict {
  readonly id: string;
  readonly before: unknown;
  readonly drift: Drift | null;
}

interface Doubt {
  readonly sight: SpokeFacts;
  readonly doubtful: readonly ExpectedObject[];
  readonly secrets: readonly ExpectedObject[];
}

/**
 * Checks the spokes for drift and writes the results. Returns the namespaces of spokes that could not be checked or
 * written.
 */
export async function checkDrift(look: SweepCheck): Promise<string[]> {
  const sights = [...look.sights.values()], doubts: Doubt[] = [];
  for (let i = 0; i < sights.length; i += ROWS) {
    const batch = sights.slice(i, i + ROWS);
    const inputs = await readInputs(look.app, batch.map(({ spoke }) => spoke.id));
    for (const sight of batch) {
      const own = inputs.get(sight.spoke.id);
      if (!own || sight.ailments.get("Namespace") !== null) continue; // the health check reports the problem
      const expected = expectedOf(look.app, sight, own);
      const doubtful = expected.filter(({ object }) =>
        look.listed.has(object.kind) &&
        (sight.suspects.has(objectTitle(object)) || !sight.titles.has(objectTitle(object)))
      );
      doubts.push({ sight, doubtful, secrets: expected.filter(({ object }) => object.kind === "Secret") });
    }
  }
  const verdicts = await askAll(look, doubts);
  const settled = new Set(verdicts.map(({ id }) => id));
  const news = verdicts.filter(({ before, drift }) => !equalDrift(before, drift));
  for (let i = 0; i < news.length; i += ROWS) {
    const batch = news.slice(i, i + ROWS);
    const written = new Set(await look.run.write((tx) => writeDrift(tx, look.began, batch)));
    for (const { id } of batch) if (!written.has(id)) settled.delete(id);
  }
  const { run, cluster } = look;
  run.log.debug("Looked at a cluster", { cluster: cluster.name, spokes: sights.length, doubts: doubts.length });
  return doubts.flatMap(({ sight: { spoke } }) => settled.has(spoke.id) ? [] : spoke.namespace);
}

async function askAll(look: SweepCheck, doubts: readonly Doubt[]): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  let left = look.pace.asks, unasked = 0;
  const [certain, doubtful] = [false, true].map((is) =>
    shuffled(doubts.filter(({ doubtful }) => doubtful.length > 0 === is))
  );
  for (const doubt of [...doubtful!, ...certain!]) {
    if (doubt.doubtful.length > left) {
      unasked++;
      continue;
    }
    left -= doubt.doubtful.length;
    const secrets = doubt.secrets.length > left ? [] : doubt.secrets;
    left -= secrets.length;
    const asked = [...doubt.doubtful, ...secrets];
    const kept = secrets.length > 0 ? [] : earlierOf(doubt.sight).filter(({ object }) => object.startsWith("Secret/"));
    if (asked.length > 0) await sleep(look.pace.pauseMs, look.run.signal);
    try {
      verdicts.push(verdictOf(look, doubt.sight, [...kept, ...await ask(look, doubt.sight, asked)]));
    } catch (error) {
      if (!(error instanceof ClusterError)) throw error;
      // The other spokes can still be checked. The next run checks this spoke again.
      look.run.log.warn("Cannot tell whether a spoke has drifted", { spoke: doubt.sight.spoke.id, error });
      if (error.transient) break;
    }
  }
  if (unasked > 0) look.run.log.warn("So much seems to have drifted that not all was asked about", { unasked });
  return verdicts;
}

function earlierOf({ spoke }: SpokeFacts): readonly DriftedObject[] {
  return (spoke.drift as Drift | null)?.objects ?? [];
}

async function ask(
  { app, cluster, run }: SweepCheck,
  { spoke }: SpokeFacts,
  asked: readonly ExpectedObject[],
): Promise<DriftedObject[]> {
  const place = { cluster, space: cluster.space(spoke.namespace, spoke.namespaceUid) };
  const found: DriftedObject[] = [];
  for (const { object, comparison } of asked) {
    const known = spoke.blueprintRevision === app.blueprint.revision;
    const drifted = await checkObjectDrift(place, { object, comparison: known ? comparison : "presence" }, run);
    if (drifted) found.push(drifted);
  }
  return found;
}

function verdictOf(look: SweepCheck, sight: SpokeFacts, found: readonly DriftedObject[]): Verdict {
  const { app } = look, { spoke } = sight, objects = [...found, ...movedImages(look, sight)];
  const from = spoke.blueprintRevision, to = app.blueprint.revision;
  return { id: spoke.id, before: spoke.drift, drift: createDrift(objects, from === to ? null : { from, to }) };
}

function shuffled<T>(list: readonly T[]): T[] {
  return list.map((item) => [Math.random(), item] as const).sort(([a], [b]) => a - b).map(([, item]) => item);
}
