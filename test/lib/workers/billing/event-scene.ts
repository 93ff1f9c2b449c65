/** Replicas that handle the provider's events, with a provider that answers as each test says. */
import type { Test } from "uvu";
import { createBillingEventJob, insertBillingEvent } from "#lib/domains/billing/events.ts";
import { enqueueJob } from "#lib/jobs/store.ts";
import { createId } from "#lib/base/ids.ts";
import { isFinalJobState, type Job } from "#lib/jobs/job.ts";
import { createLog } from "#lib/base/log.ts";
import type { ChargeRefunds, PaymentProvider, RefundedObject, Subscription } from "#lib/drivers/payments/payments.ts";
import { billingEventHandler } from "#lib/workers/billing/event.ts";
import { openScene, type Scene } from "#test/lib/scheduler/scene.ts";
import { selectRows } from "#test/support/rows.ts";

/** The provider's answers, set by each test, and the received requests. */
export interface Provider {
  subscription(id: string): Promise<Subscription | null> | Subscription | null;
  refunds(of: RefundedObject): Promise<ChargeRefunds | null> | ChargeRefunds | null;
  readonly asked: string[];
}

export interface Context {
  scene: Scene;
  provider: Provider;
  // deno-lint-ignore no-explicit-any
  log: any[];
}

/** Runs two replicas that handle events, for all tests of the suite. Each test creates its own hubs. */
export function withEvents(test: Test<Context>): void {
  test.before(async (context) => {
    context.scene = await openScene();
    context.log = [];
    context.provider = { asked: [], subscription: () => null, refunds: () => null };
    const { provider } = context;
    const payments: Partial<PaymentProvider> = {
      readSubscription: async (id) => {
        provider.asked.push(id);
        return await provider.subscription(id);
      },
      readRefunds: async (of) => {
        provider.asked.push(Object.values(of)[0]!);
        return await provider.refunds(of);
      },
    };
    const log = createLog({ level: "debug", format: "json", write: (line) => context.log.push(JSON.parse(line)) });
    const catalog = { priceOf: () => ({ currency: "EUR", monthly: 900 }) } as never;
    const handler = billingEventHandler({ db: context.scene.db, log, catalog }, payments as PaymentProvider);
    await context.scene.open([handler]);
    await context.scene.open([handler], { on: await context.scene.db.openAgain() });
  });
  test.after(({ scene }) => scene.close());
  test.before.each((context) => {
    context.provider.asked.length = 0;
    context.provider.subscription = () => null;
    context.provider.refunds = () => null;
    context.log.length = 0;
  });
}

export interface Hub {
  readonly id: string;
  readonly customer: string;
  readonly subscription: string;
}

/** Creates a connected hub with one active spoke and an active subscription. */
export async function connected({ scene }: Context): Promise<Hub> {
  const { id, spokes } = await scene.hub(1);
  await scene.db.sql("update spokes set state = 'active', ready_at = now() where id = any($1)", [spokes]);
  const customer = `cus_${id.slice(4)}`, subscription = `sub_${id.slice(4)}`;
  await scene.db.sql(
    `insert into subscriptions (federation_id, email, customer_id, subscription_id, status, sent_quantities, items)
     values ($1, 'pay@example.org', $2, $3, 'active', '{"small": 1}', $4::text::jsonb)`,
    [id, customer, subscription, JSON.stringify([item(1)])],
  );
  return { id, customer, subscription };
}

export const item = (quantity: number) => ({ id: "si_1", price: "price_1", size: "small", quantity, monthly: 900 });

export function showing(hub: Hub, more: Partial<Subscription> = {}): Subscription {
  return {
    id: hub.subscription,
    customer: hub.customer,
    federationId: hub.id,
    status: "active",
    currency: "EUR",
    items: [item(1)],
    invoice: null,
    ...more,
  };
}

/** Inserts events like `receiveEvent`. Returns their jobs. */
export async function arrive(
  { scene: { db, asker } }: Context,
  type: string,
  hub: Hub | null,
  count = 1,
): Promise<Job[]> {
  return await db.transact(async (tx) => {
    const found: Job[] = [];
    for (let i = 0; i < count; i++) {
      const id = createId("evt");
      const object = { id: "x_1", type: null, customer: hub?.customer ?? null, subscription: null, charge: null };
      const about = { federationId: hub?.id ?? null, handled: false };
      await insertBillingEvent(tx, { id, type, createdAt: new Date(), live: false, object }, about);
      found.push(await enqueueJob(tx, asker, createBillingEventJob(id, hub?.id ?? null)));
    }
    return found;
  });
}

export async function ended({ scene }: Context, jobs: readonly Job[]): Promise<Job[]> {
  return await Promise.all(jobs.map(({ id }) => scene.until(id, ({ state }) => isFinalJobState(state))));
}

export async function rowOf({ scene: { db } }: Context, { id }: Hub) {
  return (await db.rows.selectFrom("subscriptions").selectAll().where("federationId", "=", id).executeTakeFirst())!;
}

export async function audited({ scene: { db } }: Context, { id }: Hub): Promise<unknown[][]> {
  const rows = await selectRows(db, "audit_events", { federationId: id }, {
    columns: ["kind", "actorId", "metadata"],
    orderBy: "at",
  });
  return rows.map(({ kind, actorId, metadata }) => [kind, actorId, metadata]);
}

export async function unhandled({ scene: { db } }: Context): Promise<string[]> {
  return (await selectRows(db, "billing_events", { handledAt: null })).map(({ type }) => type);
}
