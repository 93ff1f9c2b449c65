import { suite } from "uvu";
import * as assert from "uvu/assert";
import { requireJobData } from "#lib/jobs/data.ts";
import { BILLING_EVENT_JOB } from "#lib/domains/billing/events.ts";
import { PaymentError } from "#lib/drivers/payments/payments.ts";
import {
  arrive,
  audited,
  connected,
  type Context,
  ended,
  item,
  rowOf,
  showing,
  unhandled,
  withEvents,
} from "#test/lib/workers/billing/event-scene.ts";
import { until } from "#test/support/until.ts";
import { updateRows } from "#test/support/rows.ts";

const test = suite<Context>("billingEventHandler");
withEvents(test);

const OWED = {
  id: "in_1",
  number: "WW-0007",
  status: "open",
  total: 1900,
  remaining: 1800,
  currency: "EUR",
  dueAt: new Date("2026-11-20T10:00:00.000Z"),
  url: "https://pay.example.org/i/secret",
};

test("stores the provider's current state, and reports overdue payments once", async (context) => {
  const hub = await connected(context);
  context.provider.subscription = () => showing(hub, { status: "past_due", invoice: OWED });
  const first = await ended(context, await arrive(context, "invoice.overdue", hub));
  await ended(context, await arrive(context, "customer.subscription.updated", hub));
  assert.is(first[0]!.state, "succeeded");
  const row = await rowOf(context, hub);
  assert.equal([row.status, row.currency, row.pastDueSince !== null, row.checkedAt !== null], [
    "past_due",
    "EUR",
    true,
    true,
  ]);
  assert.equal(row.invoice, { ...OWED, dueAt: "2026-11-20T10:00:00.000Z" });
  assert.equal(await audited(context, hub), [[
    "billing_subscription_past_due",
    "system",
    {
      status: "past_due",
      amountDue: 1800,
      currency: "EUR",
      invoice: "WW-0007",
      dueAt: "2026-11-20T10:00:00.000Z",
    },
  ]]);
  assert.equal(await unhandled(context), []);
});

test("ends the dunning after a payment, and reports the next one", async (context) => {
  const hub = await connected(context);
  const since: (Date | null)[] = [];
  for (const status of ["past_due", "unpaid", "active", "past_due"] as const) {
    context.provider.subscription = () => showing(hub, { status });
    await ended(context, await arrive(context, "customer.subscription.updated", hub));
    since.push((await rowOf(context, hub)).pastDueSince);
  }
  assert.equal(
    (await audited(context, hub)).map(([kind, , metadata]) => [kind, (metadata as { status: unknown }).status]),
    [
      ["billing_subscription_past_due", "past_due"],
      ["billing_subscription_updated", { from: "past_due", to: "unpaid" }],
      ["billing_subscription_updated", { from: "unpaid", to: "active" }],
      ["billing_subscription_past_due", "past_due"],
    ],
  );
  assert.equal(since[0], since[1]);
  assert.is(since[2], null);
  assert.ok(since[3]! >= since[0]!);
});

test("reads once for all waiting events, and again for an event during the read", async (context) => {
  const hub = await connected(context), { provider } = context;
  const { promise: answer, resolve } = Promise.withResolvers<void>();
  provider.subscription = async () => {
    if (provider.asked.length === 1) await answer;
    return showing(hub, { items: [item(provider.asked.length)] });
  };
  const waiting = await arrive(context, "invoice.created", hub, 20);
  await until(() => provider.asked.length > 0);
  const late = await arrive(context, "customer.subscription.updated", hub);
  resolve();
  await ended(context, [...waiting, ...late]);
  assert.equal(provider.asked, [hub.subscription, hub.subscription]);
  assert.equal((await rowOf(context, hub)).items, [item(2)]);
  assert.equal(await unhandled(context), []);
});

test("records a deleted subscription, and keeps the owed amount", async (context) => {
  const hub = await connected(context);
  context.provider.subscription = () => showing(hub, { status: "past_due", invoice: OWED });
  await ended(context, await arrive(context, "invoice.overdue", hub));
  context.provider.subscription = () => null;
  await ended(context, await arrive(context, "customer.subscription.deleted", hub));
  const { status, subscriptionId, invoice, difference, pastDueSince } = await rowOf(context, hub);
  assert.equal([status, subscriptionId, pastDueSince], ["canceled", hub.subscription, null]);
  assert.is(invoice.number, "WW-0007");
  assert.is(difference, "The subscription has ended (canceled), but the hub still has billable spokes");
});

test("reports differing quantities once to operators, and nothing once they agree", async (context) => {
  const hub = await connected(context);
  for (const quantity of [5, 5, 1]) {
    context.provider.subscription = () => showing(hub, { items: [item(quantity)] });
    await ended(context, await arrive(context, "customer.subscription.updated", hub));
    const difference = quantity === 1 ? null : [{ size: "small", spokes: 1, billed: quantity }];
    assert.equal((await rowOf(context, hub)).difference, difference);
  }
  const kinds = (await audited(context, hub)).map(([kind]) => kind);
  assert.equal(kinds.filter((kind) => kind === "billing_difference_found").length, 1);
});

test("writes nothing for a lost job, whose next holder reads again", async (context) => {
  const hub = await connected(context), { provider, scene: { db } } = context;
  const { promise: answer, resolve } = Promise.withResolvers<void>();
  provider.subscription = async () => {
    if (provider.asked.length > 1) return showing(hub, { items: [item(2)] });
    await answer;
    return showing(hub, { status: "past_due" }); // the state at the time of the request
  };
  const [job] = await arrive(context, "invoice.overdue", hub);
  await until(() => provider.asked.length > 0);
  // Simulates a takeover by a holder that then is silent.
  await db.sql("insert into replicas (id, release, heartbeat_at) values ('silent', 'x', now() - interval '1 minute')");
  await db.sql("update jobs set holder = 'silent', fence = nextval('job_fences') where id = $1", [job!.id]);
  await until(() => provider.asked.length > 1);
  resolve();
  await ended(context, [job!]);
  const row = await rowOf(context, hub);
  assert.equal([row.status, row.items], ["active", [item(2)]]);
  assert.equal((await audited(context, hub)).map(([kind]) => kind).includes("billing_subscription_past_due"), false);
});

test("does not restore a subscription that was released during the read", async (context) => {
  const hub = await connected(context), { provider, scene: { db } } = context;
  provider.subscription = async () => {
    await updateRows(db, "subscriptions", { subscriptionId: null, status: null, sentQuantities: null }, {
      federationId: hub.id,
    });
    return showing(hub, { status: "canceled" });
  };
  await ended(context, await arrive(context, "customer.subscription.deleted", hub));
  const { subscriptionId, status } = await rowOf(context, hub);
  assert.equal([subscriptionId, status], [null, null]);
  assert.equal(await unhandled(context), []);
});

test("leaves a hub without a subscription to the sync that creates it", async (context) => {
  const hub = await connected(context);
  await updateRows(context.scene.db, "subscriptions", { subscriptionId: null, status: null }, { federationId: hub.id });
  const [job] = await ended(context, await arrive(context, "customer.subscription.created", hub));
  assert.is(job!.state, "succeeded");
  assert.equal(context.provider.asked, []);
  assert.equal(await unhandled(context), []);
});

test("retries while the provider is unavailable", async (context) => {
  const hub = await connected(context), { provider } = context;
  provider.subscription = () => {
    if (provider.asked.length < 3) throw new PaymentError("unreachable", "It is away", { transient: true });
    return showing(hub, { status: "unpaid" });
  };
  const [job] = await ended(context, await arrive(context, "invoice.overdue", hub));
  assert.equal([job!.state, job!.attempt], ["succeeded", 3]);
  assert.is((await rowOf(context, hub)).status, "unpaid");
});

test("logs an event that it cannot handle, and leaves it unhandled", async (context) => {
  const hub = await connected(context);
  context.provider.subscription = () => {
    throw new PaymentError("refused", "The provider refused", { transient: false });
  };
  const [job] = await ended(context, await arrive(context, "invoice.overdue", hub));
  assert.is(job!.state, "failed");
  assert.equal(await unhandled(context), ["invoice.overdue"]);
  const [entry] = context.log.filter(({ level }) => level === "error");
  assert.equal([entry.event, entry.federation, entry.reason], [
    requireJobData(BILLING_EVENT_JOB, job!).payload.event,
    hub.id,
    "The provider refused",
  ]);
  await context.scene.db.sql("update billing_events set handled_at = now() where handled_at is null");
});

test("is a persistent kind", () => {
  assert.ok(BILLING_EVENT_JOB.timeLimit > 365 * 24 * 3600 * 1000);
});

test.run();
