/** Injects a fault into a single replica: kills or stops the replica, or disconnects it from its database or cluster.
 * Then ends the fault. */
import { sleep } from "#lib/base/time.ts";
import type { Bench } from "#test/support/bench/bench.ts";
import type { SeededRandom } from "#test/support/bench/random.ts";
import type { Replica } from "#test/support/bench/replica.ts";
import { queryRows } from "#test/support/bench/query.ts";
import type { TcpProxy } from "#test/support/proxy.ts";
import { until } from "#test/support/until.ts";

const KINDS = {
  "is killed": 25,
  "is stopped": 25,
  "loses its database": 13,
  "hears nothing from its database": 13,
  "loses its cluster": 12,
  "hears nothing from its cluster": 12,
} as const;
export type ReplicaFault = keyof typeof KINDS;

/** Injects a random fault into a random replica for a random time. Reports the fault. Resolves when the fault ends. */
export async function injectRandomFault(
  bench: Bench,
  random: SeededRandom,
  tell: (what: string) => void,
): Promise<void> {
  const replica = random.pick(bench.replicas), kind = random.weighted(KINDS);
  const ms = kind === "is killed"
    ? random.between(0, 2_000)
    : kind === "is stopped"
    ? random.between(3_000, 9_000)
    : random.between(1_000, 8_000);
  tell(`${replica.name} ${kind} for ${(ms / 1000).toFixed(1)} s`);
  if (kind === "is killed" || kind === "is stopped") await untilBusy(bench, replica);
  await trouble(replica, kind, ms);
  await sleep(random.between(0, 1_500));
}

/** Waits until the replica runs a job that other replicas can take over, but at most 3 s. */
async function untilBusy({ db }: Bench, { id }: Replica): Promise<void> {
  const held = () => queryRows(db, "select 1 from jobs where visible and state = 'running' and holder = $1", [id]);
  await until(async () => (await held()).length > 0, 3_000).catch(() => {});
}

async function trouble(replica: Replica, kind: ReplicaFault, ms: number): Promise<void> {
  switch (kind) {
    case "is killed":
      await replica.kill();
      await sleep(ms);
      return await replica.start();
    case "is stopped":
      replica.tell("SIGSTOP");
      await sleep(ms);
      return replica.tell("SIGCONT");
    case "loses its database":
      return await lose(replica.database, ms);
    case "loses its cluster":
      return await lose(replica.cluster, ms);
    case "hears nothing from its database":
      return await silence(replica.database, ms);
    case "hears nothing from its cluster":
      return await silence(replica.cluster, ms);
  }
}

async function lose(proxy: TcpProxy, ms: number): Promise<void> {
  proxy.refuse();
  proxy.cut();
  await sleep(ms);
  await proxy.heal();
}

async function silence(proxy: TcpProxy, ms: number): Promise<void> {
  proxy.stall();
  await sleep(ms);
  await proxy.heal();
}
