/** Tests all actions on the spokes of two hubs: first a different action on each spoke, then each action on all spokes
 * in bulk. Kills a replica during each round. Then checks the rows, the audit log, the event stream and the
 * cluster. */
import { type Bench, openBench } from "#test/support/bench/bench.ts";
import * as checks from "#test/support/bench/checks.ts";
import { isTakeover, readHolderTimeline } from "#test/support/bench/holder-timeline.ts";
import { queryRows } from "#test/support/bench/query.ts";
import { readStepTimes } from "#test/support/bench/steps.ts";
import { findRepeatedUpgrades, findSiteMismatches } from "#test/support/bench/sites.ts";
import { withToken } from "#test/support/client.ts";
import { addHubAdmin, createTestToken, createTestUser } from "#test/support/users.ts";
import { until } from "#test/support/until.ts";

export interface TrialOptions {
  /** The total number of spokes. Each of the two hubs has half of them. */
  readonly spokes: number;
  readonly rounds: readonly TrialRound[];
  readonly print: (line: string) => void;
}

export interface TrialRound {
  /** The actions to run in bulk on all spokes, one after another. */
  readonly actions: readonly TrialAction[];
  /** The action during which a replica is killed. */
  readonly kill?: string;
}

export interface TrialAction {
  readonly action: string;
  readonly size?: string;
  readonly lmsVersion?: string;
}

export interface TrialResult {
  /** The violated guarantees, each described in a sentence. */
  readonly breaches: readonly string[];
  readonly counts: Readonly<Record<string, number>>;
}

/** The actions to run on a single spoke each. Risky actions are last: nothing can be queued after them. */
const ALONE: readonly TrialAction[] = [
  { action: "restart" },
  { action: "purge-caches" },
  { action: "run-cron" },
  { action: "reset-admin-password" },
  { action: "backup" },
  { action: "resize", size: "medium" },
  { action: "suspend" },
  { action: "maintenance-on" },
  { action: "upgrade", lmsVersion: "5.2.2" },
  { action: "reapply" },
];

/** Actions that restore a spoke's previous state, keyed by the action that changed the state. */
const BACK: ReadonlyMap<string, TrialAction> = new Map([
  ["suspend", { action: "resume" }],
  ["maintenance-on", { action: "maintenance-off" }],
]);

/** Error codes that the API returns if a spoke already has the requested version or size. */
const ITS_OWN = ["version_unchanged", "version_not_newer", "addon_unsupported", "size_unchanged"];
const PATIENCE = 900_000; // milliseconds; an idle machine needs only a fraction of this time

export async function runTrial({ spokes, rounds, print: tell }: TrialOptions): Promise<TrialResult> {
  const bench = await openBench({ replicas: 2, delayMs: 5 });
  try {
    const [north, south] = [await bench.hub("north"), await bench.hub("south")];
    const ids: string[] = [];
    for (let i = 0; i < spokes; i++) ids.push(await bench.spoke(i % 2 === 0 ? north : south, `spoke-${i}`));
    await settle(bench);
    tell(`${spokes} spokes are installed`);
    const { seconds, steps } = await readStepTimes(bench, ids.at(-1)!, "provision", PATIENCE);
    tell(`the last installation took ${seconds} s: ${steps.map((step) => `${step.name} ${step.seconds}`).join(", ")}`);
    const requestedCounts = new Map<string, number>(), breaches: string[] = [];
    const count = (action: string, times: number) =>
      requestedCounts.set(action, (requestedCounts.get(action) ?? 0) + times);

    const idOf = (i: number) => ids[i % ids.length]!;
    for (const [i, request] of ALONE.entries()) await askOne(bench, idOf(i), request);
    for (const { action } of ALONE) count(action, 1);
    await killHolder(bench, "upgrade", tell);
    breaches.push(...await checkSites(bench, "alone"));
    for (const [i, { action }] of ALONE.entries()) {
      const request = BACK.get(action);
      if (!request) continue;
      await askOne(bench, idOf(i), request);
      count(request.action, 1);
    }
    tell("ran each action on a single spoke");

    for (const { actions: wishes, kill } of rounds) {
      for (const request of wishes) {
        const { accepted, refused } = await askAll(bench, bench.token, ids, request);
        count(request.action, accepted.length);
        const wrong = refused.filter(({ code }) => !ITS_OWN.includes(code));
        breaches.push(...wrong.map(({ message }) => `${request.action} was refused: ${message}`));
      }
      if (kill) await killHolder(bench, kill, tell);
      else await settle(bench);
      const names = wishes.map(({ action }) => action).join(", ");
      breaches.push(...await checkSites(bench, names));
      tell(`ran on all spokes: ${names}; violations so far: ${breaches.length}`);
    }

    breaches.push(...await checkScope(bench, north, ids));
    count("restart", ids.filter((_, i) => i % 2 === 0).length);
    return await checkResults(bench, requestedCounts, breaches);
  } finally {
    await bench.close();
  }
}

async function askOne(bench: Bench, id: string, request: TrialAction): Promise<void> {
  await ask(bench, bench.token, `/api/spokes/${id}/actions`, request);
}

/** Sends the request without retries, because a retry is refused if the first request succeeded. */
async function ask(
  { replicas }: Bench,
  token: string,
  path: string,
  body: TrialAction & { readonly ids?: readonly string[] },
  // deno-lint-ignore no-explicit-any
): Promise<any> {
  const answer = await withToken(replicas[0]!.url, token).send("POST", path, body);
  if (answer.status === 202) return answer.body;
  throw new Error(`POST ${path} ${body.action}: ${answer.status} ${JSON.stringify(answer.body)}`);
}

interface Outcome {
  readonly id: string;
  readonly accepted: boolean;
  readonly error?: { readonly code: string; readonly message: string };
}

async function askAll(bench: Bench, token: string, ids: readonly string[], request: TrialAction) {
  const outcomes: readonly Outcome[] = await ask(bench, token, "/api/spokes/actions", { ids, ...request });
  return {
    accepted: outcomes.filter(({ accepted }) => accepted).map(({ id }) => id),
    refused: outcomes.flatMap(({ error }) => error ?? []),
  };
}

/** Kills the replica that runs the most operations of this action, then starts the replica again. */
async function killHolder({ db, replicas }: Bench, action: string, tell: (line: string) => void): Promise<void> {
  const holder = await until(async () => {
    const [busiest] = await queryRows(
      db,
      `select holder as id, count(*)::int, array_agg(distinct kind) as kinds from jobs
       where visible and state = 'running' and (cardinality(finished_steps) > 0 or cardinality(step_names) = 1)
       group by 1 order by count(*) filter (where kind = $1) desc`,
      [action],
    );
    const waits = await queryRows(db, "select 1 from jobs where kind = $1 and state in ('queued', 'running') limit 1", [
      action,
    ]);
    if (waits.length === 0) return { id: null, count: 0, kinds: [] }; // the action ended too early for a kill
    return busiest?.kinds.includes(action) && busiest;
  }, PATIENCE);
  const replica = replicas.find(({ id }) => id === holder.id) ?? replicas[0]!;
  await replica.kill();
  tell(`killed ${replica.name}, which ran ${holder.count} operations: ${holder.kinds}`);
  await Promise.all([replica.start(), settle({ db })]);
}

/** Waits until all operations are done. After a timeout, throws an error that lists the remaining operations. */
async function settle({ db }: Pick<Bench, "db">): Promise<void> {
  const live = () =>
    queryRows(
      db,
      "select kind, state, attempt, label from jobs where visible and state in ('queued', 'running') order by seq",
    );
  await until(async () => (await live()).length === 0, PATIENCE).catch(async (error) => {
    throw new Error(`Operations did not end in time: ${JSON.stringify((await live()).slice(0, 5))}`, { cause: error });
  });
}

async function checkSites({ db, cluster }: Bench, round: string): Promise<string[]> {
  return (await findSiteMismatches(db, cluster)).map((what) => `After ${round}: ${what}`);
}

/** Checks that a hub admin can run actions on all spokes of the hub, but on no spoke of the other hub. */
async function checkScope(bench: Bench, north: string, ids: readonly string[]): Promise<string[]> {
  const { db } = bench, person = await createTestUser(db, "north-admin");
  await addHubAdmin(db, person, north);
  const { plaintext } = await createTestToken(db, person, "cli");
  const jobs = (own: string) =>
    queryRows(db, `select id from jobs where visible and federation_id ${own} $1 order by id`, [north]);
  const before = await jobs("<>");
  const { accepted, refused } = await askAll(bench, plaintext, ids, { action: "restart" });
  await settle(bench);
  const own = ids.filter((_, i) => i % 2 === 0);
  const same = JSON.stringify(accepted) === JSON.stringify(own) && refused.length === 0;
  const touched = (await jobs("<>")).length - before.length;
  return [
    ...(same ? [] : [`The hub admin's actions: ${accepted.length} accepted, ${refused.length} refused`]),
    ...(touched === 0 ? [] : [`The admin of one hub created ${touched} operations in the other hub`]),
  ];
}

async function checkResults(
  bench: Bench,
  requestedCounts: ReadonlyMap<string, number>,
  found: readonly string[],
): Promise<TrialResult> {
  const { db, cluster, replicas } = bench;
  const holdings = await checks.readOwnedNamespaces(db), holds = await readHolderTimeline(db);
  const [writes, namespaces, jobs] = [
    await cluster.writes(),
    await cluster.history("Namespace"),
    await cluster.history("Job"),
  ];
  const done = await queryRows(
    db,
    `select kind, count(*)::int from jobs where visible and state = 'succeeded'
       and kind not in ('provision', 'provision-hub') and payload ->> 'kind' is distinct from 'nightly' group by 1`,
  );
  const kinds = new Map<string, number>(done.map(({ kind, count }) => [kind, count]));
  const events = await queryRows(
    db,
    `select count(*)::int from audit_events where kind = 'spoke_actioned'`,
  );
  const total = [...requestedCounts.values()].reduce((sum, times) => sum + times, 0);
  return {
    breaches: [
      ...found,
      ...await checkSites(bench, "all of it"),
      ...[...requestedCounts].filter(([kind, times]) => kinds.get(kind) !== times)
        .map(([kind, times]) => `${kind} was accepted ${times} times, but succeeded ${kinds.get(kind) ?? 0} times`),
      ...(events[0].count === total ? [] : [`${total} actions were accepted, but ${events[0].count} audited`]),
      ...checks.findOverlappingInstalls(jobs, holdings),
      ...findRepeatedUpgrades(jobs),
      ...checks.findDuplicateNamespaces(namespaces, holdings),
      ...checks.findWritesByOthers(writes, namespaces, holds, holdings),
      ...checks.findEarlyTakeovers(holds),
      ...await checks.findInconsistentRows(db),
      ...replicas.flatMap((replica) => replica.complaints()),
      ...cluster.complaints(),
    ],
    counts: {
      ...Object.fromEntries(kinds),
      takeovers: holds.filter(isTakeover).length,
      writes: writes.length,
    },
  };
}
