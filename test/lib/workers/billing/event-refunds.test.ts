import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { ChargeRefunds, RefundedObject } from "#lib/drivers/payments/payments.ts";
import {
  arrive,
  audited,
  connected,
  type Context,
  ended,
  showing,
  unhandled,
  withEvents,
} from "#test/lib/workers/billing/event-scene.ts";
import { selectRows } from "#test/support/rows.ts";

const test = suite<Context>("billingEventHandler, of refunds");
withEvents(test);

function refund(id: string, status: string, amount = 500): ChargeRefunds["refunds"][number] {
  return { id, charge: "ch_1", status, amount, currency: "EUR", createdAt: new Date("2026-11-21T10:00:00.000Z") };
}

test("reports each successful refund once, whatever events arrive", async (context) => {
  const hub = await connected(context), other = await connected(context);
  const [one, two] = [`re_${hub.id}_1`, `re_${hub.id}_2`];
  const show = (...refunds: ChargeRefunds["refunds"]) => {
    context.provider.refunds = () => ({ customer: hub.customer, refunds });
  };
  const refundAudit = (id: string, amount: number) => [
    "billing_subscription_refunded",
    "system",
    { refund: id, amount, currency: "EUR" },
  ];
  const failed = refund(`re_${hub.id}_0`, "failed");
  show(refund(one, "succeeded"), refund(two, "pending", 300), failed, refund(one, "succeeded"));
  await ended(context, [
    ...await arrive(context, "charge.refunded", hub, 3),
    ...await arrive(context, "refund.created", null, 3),
  ]);
  assert.equal(await audited(context, hub), [refundAudit(one, 500)]);
  show(refund(one, "succeeded"), refund(two, "succeeded", 300), failed);
  await ended(context, await arrive(context, "refund.updated", null, 2));
  assert.equal(await audited(context, hub), [refundAudit(one, 500), refundAudit(two, 300)]);
  assert.equal(await audited(context, other), []);
  assert.equal(await unhandled(context), []);
});

test("is not handled by a read of the subscription", async (context) => {
  const hub = await connected(context);
  const { promise: answer, resolve } = Promise.withResolvers<void>();
  context.provider.subscription = async () => {
    await answer;
    return showing(hub);
  };
  context.provider.refunds = () => ({ customer: hub.customer, refunds: [refund(`re_${hub.id}_3`, "succeeded")] });
  const paid = await arrive(context, "invoice.paid", hub);
  const refunded = await arrive(context, "charge.refunded", hub);
  resolve();
  await ended(context, [...paid, ...refunded]);
  assert.equal((await audited(context, hub)).map(([kind]) => kind), ["billing_subscription_refunded"]);
  assert.equal(await unhandled(context), []);
});

test("looks up a refund by the object of the event", async (context) => {
  const lookups: RefundedObject[] = [];
  context.provider.refunds = (of) => {
    lookups.push(of);
    return null;
  };
  for (const type of ["charge.refunded", "refund.created", "charge.refund.updated"]) {
    await ended(context, await arrive(context, type, null));
  }
  assert.equal(lookups, [{ charge: "x_1" }, { refund: "x_1" }, { refund: "x_1" }]);
});

test("ignores refunds of foreign, missing or deleted customers", async (context) => {
  const hub = await connected(context);
  for (const customer of ["cus_elsewhere", null]) {
    context.provider.refunds = () => ({ customer, refunds: [refund("re_elsewhere", "succeeded")] });
    // The fetched refund decides whose customer it is, not the event.
    await ended(context, await arrive(context, "charge.refunded", hub));
  }
  context.provider.refunds = () => null;
  await ended(context, await arrive(context, "refund.failed", hub));
  assert.equal(await audited(context, hub), []);
  assert.equal(await selectRows(context.scene.db, "billing_refunds", { id: "re_elsewhere" }), []);
  assert.equal(await unhandled(context), []);
});

test.run();
