/** Sets up replicas of the real program, a simulated payment provider and billed hubs. The provider's courier delivers
 * each event to any replica until one accepts it. It delivers out of order, more than once, and adds forged events. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SILENT_LOG } from "#lib/base/log.ts";
import { openSimulator } from "#lib/dev/simulator/open.ts";
import { SECOND, sleep } from "#lib/base/time.ts";
import { queryRows } from "#test/support/bench/query.ts";
import type { SeededRandom } from "#test/support/bench/random.ts";
import { openReplica, type Replica } from "#test/support/bench/replica.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { openProvider, type Provider } from "#test/support/provider/provider.ts";
import { insertHub, insertSpoke, insertUser } from "#test/support/insert-rows.ts";

export interface BillingScene {
  readonly db: TestDatabase;
  readonly provider: Provider;
  readonly replicas: readonly Replica[];
  readonly hubs: readonly string[];
  close(): Promise<void>;
}

/** Opens the scene. Hub number n has n spokes. The provider has no data yet, and no replica runs jobs. */
export async function openBillingScene(counts: { replicas: number; hubs: number }): Promise<BillingScene> {
  const closers: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const one of closers.splice(0).reverse()) await one();
  };
  try {
    const directory = await mkdtemp(join(tmpdir(), "wheelwright-billing-"));
    closers.push(() => rm(directory, { recursive: true, force: true }));
    const db = await openTestDatabase();
    closers.push(() => db.close());
    const provider = await openProvider();
    closers.push(() => provider.close());
    const cluster = await openSimulator({ delayMs: 5, log: SILENT_LOG });
    closers.push(() => cluster.close());
    const hubs: string[] = [];
    const user = await insertUser(db);
    for (let i = 0; i < counts.hubs; i++) {
      const hub = await insertHub(db, user, `hub-${i}`);
      for (let j = 0; j <= i; j++) await insertSpoke(db, user, hub, `spoke-${j}`);
      await db.sql("insert into subscriptions (federation_id, email) values ($1, 'pay@example.org')", [hub]);
      hubs.push(hub);
    }
    await db.sql("update spokes set state = 'active', ready_at = now()");
    const catalog = `${directory}/catalog.yaml`;
    await writeFile(catalog, "sizes:\n  - { name: small, price: { currency: EUR, monthly: 1900 } }\n");
    const kubeconfig = cluster.kubeconfig();
    const replicas: Replica[] = [];
    for (let i = 0; i < counts.replicas; i++) {
      const one = await openReplica({
        name: "abc"[i]!,
        directory,
        database: db.url,
        cluster: cluster.url,
        kubeconfig: (server) => kubeconfig.replace(cluster.url, server),
        env: { ...provider.env, CATALOG: catalog, DATABASE_POOL: "3" },
      });
      closers.push(() => one.close());
      replicas.push(one);
    }
    return { db, provider, replicas, hubs, close };
  } catch (error) {
    await close();
    throw error;
  }
}

export interface EventCourier {
  /** Delivers all new events of the provider, each at least once. Resolves when all were accepted. */
  round(): Promise<void>;
  /** The IDs of accepted events. */
  readonly brought: ReadonlySet<string>;
  /** Wrong responses: an accepted forged event, or a refused genuine event. */
  readonly complaints: readonly string[];
}

const AT_ONCE = 4;

export function openEventCourier({ provider, replicas }: BillingScene, random: SeededRandom): EventCourier {
  const brought = new Set<string>(), complaints: string[] = [];
  let delivered = 0, forged = 0;

  /** Delivers a body, retrying until a replica responds, because replicas are killed meanwhile. */
  async function bring(body: string, signature: () => string | null): Promise<number> {
    for (;;) {
      const { url } = random.pick(replicas), sign = signature();
      const headers = { "content-type": "application/json", ...(sign !== null && { "stripe-signature": sign }) };
      const signal = AbortSignal.timeout(10 * SECOND); // the provider's own timeout
      const answer = await fetch(`${url}/api/billing/webhook`, { method: "POST", headers, body, signal })
        .then(async (reply) => (await reply.text(), reply.status), () => 0);
      if (answer !== 0 && answer < 500) return answer;
      await sleep(50);
    }
  }

  const now = () => Math.floor(Date.now() / SECOND);

  async function bringEvent(event: Provider["events"][number]): Promise<void> {
    const body = JSON.stringify(event, null, 2);
    const status = await bring(body, () => provider.sign(body, now()));
    if (status === 200) brought.add(event.id);
    else complaints.push(`${event.type} was answered with ${status}`);
  }

  /** Delivers a forged copy of an event, signed without knowledge of the secret. */
  async function bringForged(event: Provider["events"][number]): Promise<void> {
    const fake = { ...event, id: `evt_forged${++forged}` };
    const body = JSON.stringify(random.pick([fake, { ...fake, type: "customer.subscription.deleted" }]));
    const signature = random.pick([
      () => provider.sign(body, now(), "whsec_guessed"),
      () => provider.sign(JSON.stringify(event, null, 2), now()),
      () => provider.sign(body, now() - 3600),
      () => `t=${now()},v1=${"0".repeat(64)}`,
      () => null,
    ]);
    const status = await bring(body, signature);
    if (status !== 400) complaints.push(`A forged event was answered with ${status}`);
  }

  return {
    brought,
    complaints,
    async round() {
      const all = provider.events, fresh = all.slice(delivered);
      delivered = all.length;
      const twice = fresh.filter(() => random.next() < 0.4), again = fresh.map(() => random.pick(all)).slice(0, 5);
      const errands = [...fresh, ...twice, ...again].map((event) => () => bringEvent(event));
      errands.push(...again.map((event) => () => bringForged(event)));
      const shuffled = errands.map((errand) => ({ errand, place: random.next() })).sort((a, b) => a.place - b.place);
      await Promise.all(Array.from({ length: AT_ONCE }, async () => {
        for (let next = shuffled.pop(); next; next = shuffled.pop()) await next.errand();
      }));
    },
  };
}

export interface BillingState {
  readonly hub: string;
  readonly subscription: string | null;
  readonly status: string | null;
  readonly quantity: number;
}

/** Returns each hub's subscription according to the rows, in the order of the hubs. */
export async function readBillingRows({ db, hubs }: BillingScene): Promise<BillingState[]> {
  const rows = await queryRows(db, "select federation_id as hub, subscription_id, status, items from subscriptions");
  return hubs.map((hub) => {
    const { subscriptionId: subscription, status, items } = rows.find((row) => row.hub === hub);
    const quantity = items.reduce((sum: number, item: { quantity: number }) => sum + item.quantity, 0);
    return { hub, subscription, status, quantity };
  });
}

/** Returns each hub's subscription according to the provider. */
export function readProviderState({ provider, hubs }: BillingScene): BillingState[] {
  const all = [...provider.state.subscriptions.values()];
  return hubs.map((hub) => {
    const found = all.filter(({ metadata }) => metadata.federationId === hub);
    if (found.length > 1) throw new Error(`The hub ${hub} has ${found.length} subscriptions`);
    const [one] = found;
    const quantity = one?.items.data.reduce((sum, item) => sum + (item.quantity ?? 0), 0) ?? 0;
    return { hub, subscription: one?.id ?? null, status: one?.status ?? null, quantity };
  });
}
