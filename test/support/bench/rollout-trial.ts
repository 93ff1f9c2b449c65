/** Tests a rollout on many sites in many hubs with several replicas, of which one is killed in each wave. One site
 * fails at first: the rollout must pause, and end with all sites once the site is repaired and the rollout resumed. */
import type { RolloutDetail } from "#lib/domains/rollouts/views.ts";
import type { RecordedChange } from "#lib/dev/simulator/store/recorder.ts";
import { type Bench, openBench } from "#test/support/bench/bench.ts";
import { queryRows } from "#test/support/bench/query.ts";
import { withToken } from "#test/support/client.ts";
import { until } from "#test/support/until.ts";

export interface RolloutTrialOptions {
  readonly spokes: number;
  readonly hubs: number;
  /** How many sites may be unavailable at the same time. */
  readonly maxUnavailable: number;
  readonly print: (line: string) => void;
}

const PATIENCE = 7_200_000; // milliseconds; an idle machine needs a fraction of this time
/** Makes the next check of all sites and the next decision of the rollout due at once, so that waves need not wait. */
const HASTEN = `update jobs set run_at = wheelwright_now()
  where kind in ('sweep', 'run-rollout') and state = 'queued' and run_at > wheelwright_now()`;

/** Runs the trial. Returns the violated guarantees, each described in a sentence. */
export async function runRolloutTrial({ spokes, hubs, maxUnavailable, print }: RolloutTrialOptions): Promise<string[]> {
  const bench = await openBench({ replicas: 3, delayMs: 5 });
  try {
    await install(bench, spokes, hubs);
    print(`${spokes} sites in ${hubs} hubs are installed`);
    const before = await readGenerations(bench);
    const created: RolloutDetail = await ask(bench, "POST", "/api/rollouts", {
      action: "restart",
      selector: { all: true },
      canary: { spokes: 2, minutes: 1 },
      batch: "10%",
      maxUnavailable,
      maxFailures: 1,
    });
    const bad = created.spokes.find(({ wave }) => wave === 3)!, heal = await breakSite(bench, bad.spokeId);
    const paused = await follow(bench, created.id, "paused", print);
    print(`paused: ${paused.reason}; ${JSON.stringify(paused.counts)}`);
    const breaches = [
      ...(paused.reason === "One spoke failed" ? [] : [`The rollout paused because: ${paused.reason}`]),
      ...paused.spokes.filter(({ wave, state }) => (wave ?? 0) > 3 && state !== "waiting").map(({ domain }) =>
        `${domain} was changed although the rollout had paused before`
      ),
    ];
    await heal();
    await ask(bench, "POST", `/api/rollouts/${created.id}/resume`, {});
    const done = await follow(bench, created.id, "completed", print);
    const restarts = await countRestarts(bench, before);
    const atOnce = countUnavailable(await bench.cluster.history("Deployment"));
    print(`completed: ${JSON.stringify(done.counts)}; at most ${atOnce} sites were unavailable at the same time`);
    return [
      ...breaches,
      ...done.spokes.filter(({ state }) => state !== "succeeded").map(({ domain, state }) => `${domain} is ${state}`),
      ...restarts.filter(({ count }) => count !== 1).map(({ name, count }) => `${name} was restarted ${count} times`),
      ...(restarts.length === spokes ? [] : [`The cluster has ${restarts.length} of ${spokes} sites`]),
      ...(atOnce <= maxUnavailable ? [] : [`${atOnce} sites were unavailable at the same time`]),
    ];
  } finally {
    await bench.close();
  }
}

async function install(bench: Bench, spokes: number, hubs: number): Promise<void> {
  const ids: string[] = [];
  for (let i = 0; i < hubs; i++) ids.push(await bench.hub(`hub-${i}`));
  for (let i = 0; i < spokes; i++) await bench.spoke(ids[i % hubs]!, `spoke-${i}`);
  await until(async () => {
    const [{ left }] = await queryRows(bench.db, "select count(*)::int as left from spokes where state <> 'active'");
    return left === 0;
  }, PATIENCE);
}

async function breakSite({ db, cluster }: Bench, spokeId: string): Promise<() => Promise<void>> {
  const [{ namespace }] = await queryRows(db, "select namespace from spokes where id = $1", [spokeId]);
  return await cluster.refuse({ method: "PATCH", path: `/namespaces/${namespace}/deployments/` });
}

/** Waits for the rollout's state. Kills a replica in each wave, and does not wait for the next periodic checks. */
async function follow(
  bench: Bench,
  id: string,
  state: RolloutDetail["state"],
  print: (line: string) => void,
): Promise<RolloutDetail> {
  const { db, replicas } = bench;
  let wave = -1;
  return await until(async () => {
    const rollout: RolloutDetail = await ask(bench, "GET", `/api/rollouts/${id}`), { counts, currentWave } = rollout;
    if (rollout.state === state && counts.running + counts.checking === 0) return rollout;
    if (currentWave !== null && currentWave > wave && counts.running > 0) {
      wave = currentWave;
      const victim = replicas[1 + wave % (replicas.length - 1)]!;
      await victim.kill();
      await victim.start();
      print(`wave ${wave}: ${JSON.stringify(counts)}; killed replica ${victim.name}`);
    }
    const busy = await queryRows(db, "select from jobs where visible and state in ('queued', 'running') limit 1");
    if (busy.length === 0) await db.sql(HASTEN);
    return null;
  }, PATIENCE).catch(async (error) => {
    const jobs = await queryRows(
      db,
      "select kind, state, attempt, label, failure from jobs where state in ('queued', 'running') and (visible or kind = 'run-rollout')",
    );
    throw new Error(`The rollout is not ${state}: ${JSON.stringify(jobs.slice(0, 5))}`, { cause: error });
  });
}

/** Returns the generation of each site's Deployment, keyed by namespace. Each change to its pods increases this number. */
async function readGenerations({ cluster }: Bench): Promise<ReadonlyMap<string, number>> {
  const deployments = await cluster.list("/apis/apps/v1/deployments");
  return new Map(
    deployments.filter(({ metadata }) => metadata.name === "moodle")
      .map(({ metadata }) => [metadata.namespace, metadata.generation]),
  );
}

interface RestartedSite {
  readonly name: string;
  readonly count: number;
}

/** Returns how often the pods of each site were replaced, according to the cluster. */
async function countRestarts(bench: Bench, before: ReadonlyMap<string, number>): Promise<RestartedSite[]> {
  const after = await readGenerations(bench);
  return [...after].map(([name, generation]) => ({ name, count: generation - (before.get(name) ?? 0) }));
}

/** Returns the largest number of sites whose Deployment was unavailable at the same time after it had been available. */
function countUnavailable(changes: readonly RecordedChange[]): number {
  const wasAvailable = new Set<string>(), unavailable = new Set<string>();
  let most = 0;
  for (const { name, namespace, conditions } of changes) {
    if (name !== "moodle" || namespace === null) continue;
    if (conditions.some((condition) => condition.startsWith("Available=True"))) {
      wasAvailable.add(namespace);
      unavailable.delete(namespace);
    } else if (wasAvailable.has(namespace)) unavailable.add(namespace);
    most = Math.max(most, unavailable.size);
  }
  return most;
}

// deno-lint-ignore no-explicit-any
async function ask({ replicas, token }: Bench, method: "GET" | "POST", path: string, body?: object): Promise<any> {
  const answer = await withToken(replicas[0]!.url, token).send(method, path, body);
  if (answer.status < 300) return answer.body;
  throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
}
