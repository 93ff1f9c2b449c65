/** Sets up the API, a payment provider over HTTP, a catalog with prices, and a replica that runs only billing jobs. */
import type { Test } from "uvu";
import { loadCatalog } from "#lib/catalog/load.ts";
import { createLog } from "#lib/base/log.ts";
import { createId } from "#lib/base/ids.ts";
import { openPaymentProvider } from "#lib/drivers/payments/open.ts";
import type { JobRun } from "#lib/scheduler/handler.ts";
import { openScheduler, type Scheduler } from "#lib/scheduler/scheduler.ts";
import { checkBilling } from "#lib/workers/billing/check.ts";
import { planBillingChecks, planBillingSyncs } from "#lib/workers/billing/plan.ts";
import { syncBilling } from "#lib/workers/billing/sync.ts";
import { queryRows } from "#test/support/bench/query.ts";
import { openProvider, type Provider } from "#test/support/provider/provider.ts";
import type { Subscription } from "#test/support/provider/records.ts";
import { insertHub, insertSpoke } from "#test/support/insert-rows.ts";
import { openScene, type Scene } from "#test/support/scene.ts";
import { until } from "#test/support/until.ts";
import { deleteRows, insertRow, selectRows, updateRows } from "#test/support/rows.ts";

export const PRICES = `
sizes:
  - { name: small, title: A small one, price: { currency: EUR, monthly: 1900 } }
  - { name: medium, price: { currency: EUR, monthly: 4900 } }
  - { name: large }
`;

export type Counts = Readonly<Record<string, number>>;

export interface Context {
  provider: Provider;
  scene: Scene;
  scheduler: Scheduler;
  // deno-lint-ignore no-explicit-any
  log: any[];
}

/** Sets up billing for the tests of a suite. Each test creates its own hubs. */
export function withBilling(test: Test<Context>): void {
  test.before(async (context) => {
    const provider = context.provider = await openProvider();
    const scene = context.scene = await openScene({ env: provider.env });
    context.log = [];
    const log = createLog({ level: "debug", format: "json", write: (line) => context.log.push(JSON.parse(line)) });
    const { app } = scene;
    const payments = openPaymentProvider({ ...app.config.stripe!, settleMs: 20 });
    Object.assign(app, { log, payments, catalog: loadCatalog(PRICES, app.blueprint) });
    const retry = { firstMs: 20, maxMs: 50 };
    const handlers = [syncBilling, checkBilling].map((make) => make(app, payments));
    context.scheduler = await openScheduler(app, { handlers, lanes: 8, retry });
  });
  test.after(async ({ provider, scene, scheduler }) => {
    await scheduler?.close();
    await scene?.close();
    await provider?.close();
  });
}

let count = 0;

/** Creates a billed hub with these spokes, which the provider does not know yet. */
export async function billedHub(context: Context, spokes: Counts = {}): Promise<string> {
  const { db, people } = context.scene, slug = `hub-${++count}`;
  const id = await insertHub(db, people.operator.id, slug);
  await insertRow(db, "subscriptions", { federationId: id, email: `${slug}@example.org` });
  await setSpokes(context, id, spokes);
  return id;
}

/** Replaces the hub's spokes by these active ones. */
export async function setSpokes({ scene: { db, people } }: Context, hub: string, spokes: Counts): Promise<void> {
  await deleteRows(db, "spokes", { federationId: hub });
  for (const [size, quantity] of Object.entries(spokes)) {
    for (let i = 0; i < quantity; i++) {
      const id = await insertSpoke(db, people.operator.id, hub, createId("spk").slice(4).toLowerCase());
      await updateRows(db, "spokes", { state: "active", size }, { id });
    }
  }
}

/** Runs the plan of every 15 seconds. */
export async function plan({ scene: { app } }: Context, batch?: number): Promise<void> {
  await planBillingSyncs(app, batch).steps.compare!(idle());
}

/** Runs the hourly plan of checks. */
export async function reconcile({ scene: { app } }: Context, most?: number): Promise<void> {
  await planBillingChecks(app, most).steps.unseen!(idle());
}

function idle(): JobRun {
  return { signal: new AbortController().signal, throwIfStopped: () => {} } as unknown as JobRun;
}

/** Runs the plan, and waits until the hub has no billing job. */
export async function synced(context: Context, hub: string): Promise<void> {
  await plan(context);
  await ended(context, hub);
}

export async function ended({ scene: { db } }: Context, hub: string): Promise<void> {
  await db.transact((tx) => Promise.resolve(void tx.wakes.add("jobs"))); // the clock may have been moved
  await until(async () => (await live(db, hub)).length === 0);
}

async function live(db: Scene["db"], hub: string): Promise<unknown[]> {
  return await queryRows(
    db,
    `select 1 from jobs where federation_id = $1 and not visible
       and (state = 'running' or state = 'queued' and run_at < wheelwright_now() + interval '10 seconds')`,
    [hub],
  );
}

export async function rowOf({ scene: { db } }: Context, hub: string) {
  return (await db.rows.selectFrom("subscriptions").selectAll().where("federationId", "=", hub).executeTakeFirst())!;
}

/** Returns the hub's subscriptions at the provider, oldest first. */
export function subscriptionsOf({ provider }: Context, hub: string): Subscription[] {
  return [...provider.state.subscriptions.values()].filter(({ metadata }) => metadata["federationId"] === hub);
}

/** Returns the provider's quantities per size: `["small 2"]`. */
export function quantitiesOf(context: Context, hub: string): string[] {
  return subscriptionsOf(context, hub).filter(({ status }) => status !== "canceled")
    .flatMap(({ items }) => items.data.map(({ quantity, metadata }) => `${metadata["size"]} ${quantity}`)).sort();
}

/** Returns the requests to the provider since then: `POST /v1/customers`. */
export function requestsOf({ provider }: Context, since = 0): string[] {
  return provider.calls.slice(since).filter(({ method }) => method !== "GET")
    .map(({ method, path }) => `${method} ${path.replace(/_\w+/, "_…")}`);
}

export async function audited({ scene: { db } }: Context, hub: string): Promise<unknown[][]> {
  const rows = await selectRows(db, "audit_events", { federationId: hub }, {
    columns: ["kind", "metadata"],
    orderBy: "at",
  });
  return rows.map(({ kind, metadata }) => [kind, metadata]);
}
