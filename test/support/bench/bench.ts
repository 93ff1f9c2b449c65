/**
 * The bench: several replicas of the real program on one database and one simulated cluster, each a process of its own.
 *
 *   const bench = await openBench({ replicas: 3, delayMs: 150 });
 *   const spoke = await bench.spoke(await bench.hub("math"), "algebra");
 *   await bench.close();                 ends everything that it started, whatever state that is in
 *
 * Each replica reaches the database and the cluster through proxies of its own. Who held a job when is told by the
 * database (holders.ts), who wrote what by the cluster (cluster.ts).
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ClusterProcess, openClusterProcess } from "#test/support/bench/cluster.ts";
import { type Hold, isTakeover, keepHolders, readHolders } from "#test/support/bench/holders.ts";
import { insist } from "#test/support/bench/client.ts";
import { openReplica, type Replica } from "#test/support/bench/replica.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { makePerson, makeToken } from "#test/support/people.ts";
import { until } from "#test/support/until.ts";
import { query } from "#test/support/bench/query.ts";

export interface Bench {
  readonly db: TestDatabase;
  readonly cluster: ClusterProcess;
  readonly replicas: readonly Replica[];
  /** Starts one more; `program` is the main module of another release. */
  join(program?: string | null): Promise<Replica>;
  /** Of an operator, good at every replica. */
  readonly token: string;
  /** Makes a hub by the API; its id. */
  hub(slug: string): Promise<string>;
  /** Makes a spoke by the API; its id. */
  spoke(hub: string, slug: string): Promise<string>;
  /** Asks for an action, and gives back its operation. */
  act(spokeId: string, action: string): Promise<string>;
  becomes(spokeId: string, state: string): Promise<SpokeFacts>;
  /** The spoke's running operation as soon as it is in this step, and the replica that holds it. */
  caught(spokeId: string, step: string): Promise<Caught>;
  /** A spoke of a hub of its own, caught in its install, which takes until it is let go on. */
  installing(slug: string): Promise<Caught & { readonly spoke: string; readonly goesOn: () => Promise<void> }>;
  /** The claim by which a job went from this holder to another, as soon as that has happened. */
  takeover(caught: Caught): Promise<Hold>;
  close(): Promise<void>;
}

export interface SpokeFacts {
  readonly id: string;
  readonly state: string;
  readonly namespace: string;
  readonly namespaceUid: string | null;
}

export interface Caught {
  readonly job: string;
  readonly fence: number;
  readonly holder: Replica;
  /** The id of the holder's process, which goes with it. */
  readonly id: string;
}

export interface BenchOptions {
  readonly replicas: number;
  /** Milliseconds that an object of the cluster takes to become ready. */
  readonly delayMs: number;
  /** Has everything take as long as it was measured to, times this, and not the same delay. */
  readonly measured?: number;
  /** One that the test has for itself, and closes; else the bench opens one. */
  readonly db?: TestDatabase;
  /** More variables of the replicas' configuration. */
  readonly env?: Readonly<Record<string, string>>;
  /** The main module of another release, which the replicas run. */
  readonly program?: string | null;
}

const PATIENCE = 90_000; // ms; a fraction of it on a machine that has nothing else to do

export async function openBench(
  { replicas: count, delayMs, measured, db: own, env = {}, program: first = null }: BenchOptions,
): Promise<Bench> {
  const closers: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const one of closers.splice(0).reverse()) await one();
  };
  try {
    const directory = await mkdtemp(join(tmpdir(), "wheelwright-bench-"));
    closers.push(() => rm(directory, { recursive: true, force: true }));
    const db = own ?? await openTestDatabase();
    if (!own) closers.push(() => db.close());
    await keepHolders(db);
    const token = await makeToken(db, await makePerson(db, "ada", { operator: true }), "cli");
    const cluster = await openClusterProcess(directory, delayMs, measured);
    closers.push(() => cluster.close());
    const replicas: Replica[] = [];
    const add = async (program: string | null): Promise<Replica> => {
      const name = "abcdefghijkl"[replicas.length]!, { url: address, kubeconfig } = cluster;
      const one = await openReplica({ name, directory, database: db.url, cluster: address, kubeconfig, env, program });
      closers.push(() => one.close());
      replicas.push(one);
      return one;
    };
    for (let i = 0; i < count; i++) await add(first);
    await Promise.all(replicas.map((one) => one.start()));
    return {
      ...scene({ db, cluster, replicas, token: token.plaintext }),
      async join(program = null) {
        const one = await add(program);
        await one.start();
        return one;
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function scene(parts: Pick<Bench, "db" | "cluster" | "replicas" | "token">): Omit<Bench, "close" | "join"> {
  const { db, replicas } = parts;

  async function spokeRow(id: string): Promise<SpokeFacts> {
    return (await query(db, "select id, state, namespace, namespace_uid from spokes where id = $1", [id]))[0];
  }

  async function explain(id: string, wanted: string): Promise<string> {
    const jobs = await query(db, "select kind, state, holder, attempt, label, failure from jobs where spoke_id = $1", [
      id,
    ]);
    return `The spoke did not become ${wanted}: ${JSON.stringify([await spokeRow(id), jobs], null, 1)}`;
  }

  const bench: Omit<Bench, "close" | "join"> = {
    ...parts,
    async hub(slug) {
      return demand(await insist(parts, "POST", "/api/federations", { slug }), 201).id;
    },
    async spoke(hub, slug) {
      return demand(await insist(parts, "POST", `/api/federations/${hub}/spokes`, { slug, size: "small" }), 201).id;
    },
    async installing(slug) {
      const goesOn = await parts.cluster.holdPods("install-");
      const spoke = await bench.spoke(await bench.hub(slug), "algebra");
      return { ...await bench.caught(spoke, "install"), spoke, goesOn };
    },
    async act(id, action) {
      return demand(await insist(parts, "POST", `/api/spokes/${id}/actions`, { action }), 202).operation.id;
    },
    async becomes(id, state) {
      const look = async () => {
        const row = await spokeRow(id);
        return row.state === state && row;
      };
      return await until(look, PATIENCE).catch(async () => {
        throw new Error(await explain(id, state));
      });
    },
    caught: (spokeId, step) =>
      until(async () => {
        const [row] = await query(
          db,
          `select id as job, fence::int, holder from jobs where spoke_id = $1 and visible and state = 'running'
             and step_names[cardinality(steps_done) + 1] = $2`,
          [spokeId, step],
        );
        const holder = replicas.find(({ id }) => id === row?.holder);
        return holder && { job: row.job, fence: row.fence, holder, id: holder.id };
      }, PATIENCE),
    takeover: ({ job, fence, id }) =>
      until(
        async () =>
          (await readHolders(db, job)).find((hold) =>
            hold.fence > fence && hold.holderBefore === id && isTakeover(hold)
          ),
        PATIENCE,
      ),
  };
  return bench;
}

// deno-lint-ignore no-explicit-any
function demand(answer: { readonly status: number; readonly body: any }, status: number): any {
  if (answer.status === status) return answer.body;
  throw new Error(`Expected ${status}, got ${answer.status}: ${JSON.stringify(answer.body)}`);
}
