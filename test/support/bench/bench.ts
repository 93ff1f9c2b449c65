/** Runs several replicas of the real program, each as a separate process, with one database and one simulated cluster.
 *
 *   const bench = await openBench({ replicas: 3, delayMs: 150 });
 *   const spoke = await bench.spoke(await bench.hub("math"), "algebra");
 *   await bench.close();                 stops everything that it started, in any state
 *
 * Each replica connects to the database and the cluster through its own proxies. The database records which replica
 * runs each job (holder-timeline.ts), and the cluster records every write (cluster.ts). */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ClusterProcess, openClusterProcess } from "#test/support/bench/cluster.ts";
import {
  type HolderChange,
  isTakeover,
  readHolderTimeline,
  recordHolders,
} from "#test/support/bench/holder-timeline.ts";
import { requestUntilFinal } from "#test/support/bench/client.ts";
import { openReplica, type Replica } from "#test/support/bench/replica.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { createTestToken, createTestUser } from "#test/support/users.ts";
import { until } from "#test/support/until.ts";
import { queryRows } from "#test/support/bench/query.ts";

export interface Bench {
  readonly db: TestDatabase;
  readonly cluster: ClusterProcess;
  readonly replicas: readonly Replica[];
  /** Starts another replica. `program` is the path to the main module of another release. */
  join(program?: string | null): Promise<Replica>;
  /** An operator's token, which all replicas accept. */
  readonly token: string;
  /** Creates a hub through the API and returns the hub's ID. */
  hub(slug: string): Promise<string>;
  /** Creates a spoke through the API and returns the spoke's ID. */
  spoke(hub: string, slug: string): Promise<string>;
  /** Requests an action on the spoke and returns the ID of the operation. */
  act(spokeId: string, action: string): Promise<string>;
  becomes(spokeId: string, state: string): Promise<SpokeState>;
  /** Waits until the spoke's running operation reaches this step. Returns the operation and its replica. */
  caught(spokeId: string, step: string): Promise<CaughtCall>;
  /** Creates a spoke in a new hub. The installation of the spoke pauses halfway until `goesOn` is called. */
  installing(slug: string): Promise<CaughtCall & { readonly spoke: string; readonly goesOn: () => Promise<void> }>;
  /** Waits until another replica takes over the job. Returns the record of this takeover. */
  takeover(caught: CaughtCall): Promise<HolderChange>;
  close(): Promise<void>;
}

export interface SpokeState {
  readonly id: string;
  readonly state: string;
  readonly namespace: string;
  readonly namespaceUid: string | null;
}

export interface CaughtCall {
  readonly job: string;
  readonly fence: number;
  readonly holder: Replica;
  /** The replica ID of the process that runs the operation. A restarted replica has a new ID. */
  readonly id: string;
}

export interface BenchOptions {
  readonly replicas: number;
  /** Milliseconds until a new object in the simulated cluster is ready. */
  readonly delayMs: number;
  /** A factor. If set, objects are ready after the time measured in a real cluster, multiplied by this factor. */
  readonly measured?: number;
  /** A database that the test opens and closes. By default, the bench opens its own database. */
  readonly db?: TestDatabase;
  /** Additional configuration variables for the replicas. */
  readonly env?: Readonly<Record<string, string>>;
  /** The path to the main module of another release, if the replicas should run that release. */
  readonly program?: string | null;
}

const LOG_LINES = 15;
const PATIENCE = 300_000; // milliseconds; an idle machine needs only a fraction of this time

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
    await recordHolders(db);
    const token = await createTestToken(db, await createTestUser(db, "ada", { operator: true }), "cli");
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

  async function spokeRow(id: string): Promise<SpokeState> {
    return (await queryRows(db, "select id, state, namespace, namespace_uid from spokes where id = $1", [id]))[0];
  }

  async function explain(id: string, wanted: string): Promise<string> {
    const jobs = await queryRows(
      db,
      "select kind, state, holder, attempt, label, failure from jobs where spoke_id = $1",
      [
        id,
      ],
    );
    const logs = replicas.map(({ name, id, log }) => ({
      name,
      id,
      log: log().slice(-LOG_LINES).map(({ time, message, operation, step, error }) => ({
        time,
        message,
        operation,
        step,
        error,
      })),
    }));
    return `The spoke did not reach the state ${wanted}: ${JSON.stringify([await spokeRow(id), jobs, logs], null, 1)}`;
  }

  const bench: Omit<Bench, "close" | "join"> = {
    ...parts,
    async hub(slug) {
      return requireStatus(await requestUntilFinal(parts, "POST", "/api/federations", { slug }), 201).id;
    },
    async spoke(hub, slug) {
      return requireStatus(
        await requestUntilFinal(parts, "POST", `/api/federations/${hub}/spokes`, { slug, size: "small" }),
        201,
      ).id;
    },
    async installing(slug) {
      const goesOn = await parts.cluster.holdPods("install-");
      const spoke = await bench.spoke(await bench.hub(slug), "algebra");
      return { ...await bench.caught(spoke, "install"), spoke, goesOn };
    },
    async act(id, action) {
      return requireStatus(await requestUntilFinal(parts, "POST", `/api/spokes/${id}/actions`, { action }), 202)
        .operation.id;
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
        const [row] = await queryRows(
          db,
          `select id as job, fence::int, holder from jobs where spoke_id = $1 and visible and state = 'running'
             and step_names[cardinality(finished_steps) + 1] = $2`,
          [spokeId, step],
        );
        const holder = replicas.find(({ id }) => id === row?.holder);
        return holder && { job: row.job, fence: row.fence, holder, id: holder.id };
      }, PATIENCE),
    takeover: ({ job, fence, id }) =>
      until(
        async () =>
          (await readHolderTimeline(db, job)).find((hold) =>
            hold.fence > fence && hold.holderBefore === id && isTakeover(hold)
          ),
        PATIENCE,
      ),
  };
  return bench;
}

// deno-lint-ignore no-explicit-any
function requireStatus(answer: { readonly status: number; readonly body: any }, status: number): any {
  if (answer.status === status) return answer.body;
  throw new Error(`Expected ${status}, got ${answer.status}: ${JSON.stringify(answer.body)}`);
}
