/** Runs the chaos test. Customers keep hubs busy while replicas are killed, stopped or disconnected, one at a time.
 * After the last fault, checks the guarantees. The seed determines the faults and the customers' requests. */
import { type Bench, openBench } from "#test/support/bench/bench.ts";
import * as checks from "#test/support/bench/checks.ts";
import { type Customer, type EventReader, openCustomer, openEventReader } from "#test/support/bench/client.ts";
import { isTakeover, readHolderTimeline } from "#test/support/bench/holder-timeline.ts";
import { findStateMismatches } from "#test/support/bench/states.ts";
import { createSeededRandom } from "#test/support/bench/random.ts";
import { injectRandomFault } from "#test/support/bench/inject-fault.ts";
import { until } from "#test/support/until.ts";
import { queryRows } from "#test/support/bench/query.ts";

export interface ChaosOptions {
  readonly seed: number;
  readonly rounds: number;
  readonly hubs: number;
  readonly print: (line: string) => void;
}

export interface ChaosResult {
  /** The violated guarantees, each described in a sentence. */
  readonly breaches: readonly string[];
  /** The number of log entries for each error that replicas logged. An error is not always a violation. */
  readonly errors: Readonly<Record<string, number>>;
  /** The number of events during the run, keyed by kind of event. */
  readonly counts: Readonly<Record<string, number>>;
}

const SETTLE = 300_000;

export async function runChaos({ seed, rounds, hubs, print: tell }: ChaosOptions): Promise<ChaosResult> {
  const random = createSeededRandom(seed);
  const bench = await openBench({ replicas: 3, delayMs: 150 });
  const readers: EventReader[] = [];
  try {
    const slugs = Array.from({ length: hubs }, (_, i) => `hub-${i + 1}`);
    for (const slug of slugs) await bench.hub(slug);
    // Opens two readers per hub, so that the second reader joins an event feed that the first reader already uses.
    readers.push(...slugs.flatMap((slug) => [0, 1].map((first) => openEventReader(bench, slug, first))));
    const customers = slugs.map((slug) => openCustomer(bench, slug, random.branch()));
    const troubles = random.branch();
    for (let round = 1; round <= rounds; round++) {
      await injectRandomFault(bench, troubles, (what) => tell(`round ${round}: ${what}`));
    }
    tell("stopping the customers");
    await Promise.all(customers.map((customer) => customer.leave()));
    tell("waiting until nothing is queued or running");
    const unsettled = await settle(bench, readers);
    return await checkGuarantees(bench, customers, readers, unsettled);
  } finally {
    for (const reader of readers) reader.leave();
    tell("closing");
    await bench.close();
  }
}

/** Waits until no operation is queued or running and the readers received all events. Returns timeouts as text. */
async function settle({ db }: Bench, readers: readonly EventReader[]): Promise<string[]> {
  try {
    await until(async () => {
      const live = await queryRows(db, "select id from jobs where visible and state in ('queued', 'running')");
      return live.length === 0;
    }, SETTLE);
    const last = await lastNumbers(db);
    await until(() => readers.every(({ hub, seen }) => seen().length >= last.get(hub)!), 120_000);
    return [];
  } catch (error) {
    return [`Operations did not end in time: ${(error as Error).message}`];
  }
}

async function checkGuarantees(
  bench: Bench,
  customers: readonly Customer[],
  readers: readonly EventReader[],
  unsettled: readonly string[],
): Promise<ChaosResult> {
  const { db, cluster, replicas } = bench;
  const holdings = await checks.readOwnedNamespaces(db),
    holds = await readHolderTimeline(db),
    last = await lastNumbers(db);
  const [writes, jobs, namespaces] = [
    await cluster.writes(),
    await cluster.history("Job"),
    await cluster.history("Namespace"),
  ];
  const logged = replicas.flatMap((replica) => replica.log());
  const mistakes = logged.filter(({ level, message, error }) =>
    (level === "error" && /^Step failed|^Operation failed|internal|unhandled|uncaught/i.test(message)) ||
    /unhandled|uncaught/i.test(JSON.stringify(error ?? ""))
  );
  const ended = await queryRows(
    db,
    "select kind, count(*)::int from jobs where visible and state = 'succeeded' group by 1",
  );
  return {
    breaches: [
      ...unsettled,
      ...checks.findOverlappingInstalls(jobs, holdings),
      ...checks.findDuplicateNamespaces(namespaces, holdings),
      ...checks.findWritesByOthers(writes, namespaces, holds, holdings),
      ...checks.findEarlyTakeovers(holds),
      ...await checks.findInconsistentRows(db),
      ...readers.flatMap(({ hub, seen }) => checks.findMissedEvents(hub, seen(), last.get(hub)!)),
      ...await findStateMismatches(cluster, holdings),
      ...customers.flatMap((customer) => customer.complaints()),
      ...readers.flatMap((reader) => reader.complaints()),
      ...replicas.flatMap((replica) => replica.complaints()),
      ...cluster.complaints(),
      ...mistakes.map((entry) => `A replica logged an error: ${JSON.stringify(entry).slice(0, 1000)}`),
    ],
    errors: tally(logged.filter(({ level }) => level === "error").map(({ message }) => message)),
    counts: {
      ...Object.fromEntries(ended.map(({ kind, count }) => [kind, count])),
      accepted: customers.reduce((sum, customer) => sum + customer.accepted(), 0),
      takeovers: holds.filter(isTakeover).length,
      writes: writes.length,
      refused: writes.filter(({ status }) => status === 422 || status === 409).length,
      events: [...last.values()].reduce((sum, number) => sum + number, 0),
      returns: readers.reduce((sum, reader) => sum + reader.returns(), 0),
      processes: replicas.reduce((sum, { ids }) => sum + ids.length, 0),
    },
  };
}

function tally(texts: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const text of texts) counts[text] = (counts[text] ?? 0) + 1;
  return counts;
}

/** Returns the number of each hub's last event, keyed by the hub's slug. */
async function lastNumbers(db: Bench["db"]): Promise<Map<string, number>> {
  const rows = await queryRows(
    db,
    `select slug, coalesce(max(number), 0)::int as last from federations
     left join stream_events on federation_id = federations.id group by 1`,
  );
  return new Map(rows.map(({ slug, last }) => [slug, last]));
}
