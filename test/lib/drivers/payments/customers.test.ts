import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { PaymentError } from "#lib/drivers/payments/payments.ts";
import {
  createPayments,
  customerOf,
  HUB_ID,
  NEVER_ABORTED,
  openPaymentsSetup,
  type PaymentsSetup,
  requestsTo,
  SECONDS_PER_DAY,
} from "#test/support/payments.ts";
import { rejection } from "#test/support/until.ts";

const test = suite<PaymentsSetup>("customerFor");
test.before.each(async (context) => {
  Object.assign(context, await openPaymentsSetup({ settleMs: 20 }));
});
test.after.each(({ provider }) => provider.close());

const CREATE = { method: "POST", path: "/v1/customers" };

test("creates a customer with the hub's ID, name and address", async (paying) => {
  const id = await customerOf(paying), made = paying.provider.state.customers.get(id)!;
  assert.equal([made.name, made.email, made.metadata], ["Northern schools", "pay@north.example", {
    federationId: HUB_ID,
  }]);
});

test("finds the customer again and updates changed fields", async (paying) => {
  const { payments, provider } = paying, id = await customerOf(paying), { length } = provider.calls;
  assert.is(await customerOf(paying), id);
  assert.equal(requestsTo(paying, length), ["GET /v1/customers/search"]);
  const request = { federationId: HUB_ID, name: "The north", email: "other@north.example" };
  assert.is(await payments.customerFor(request, NEVER_ABORTED), id);
  const { name, email } = provider.state.customers.get(id)!;
  assert.equal([name, email, provider.state.customers.size], ["The north", "other@north.example", 1]);
});

test("creates separate customers for hubs with the same address", async (paying) => {
  assert.is.not(await customerOf(paying), await customerOf(paying, "fed_north2"));
});

test("creates one customer despite a lost answer, an outdated search and a new name", async (paying) => {
  const { payments, provider } = paying;
  provider.delaySearch();
  provider.break({ ...CREATE, what: "lost answer", times: 1 });
  assert.is((await rejection(customerOf(paying))).code, "unreachable");
  await payments.customerFor({ federationId: HUB_ID, name: "The north", email: "other@north.example" }, NEVER_ABORTED);
  assert.is(provider.state.customers.size, 1);
  assert.is([...provider.state.customers.values()][0]!.name, "The north");
});

test("creates one customer for two concurrent replicas", async (paying) => {
  const { provider } = paying, other = { ...paying, payments: createPayments(provider) };
  provider.delaySearch();
  const [one, two] = await Promise.allSettled([customerOf(paying), customerOf(other)]);
  for (const answer of [one, two]) {
    if (answer!.status === "rejected") assert.is(answer.reason.transient, true); // the other call was running
  }
  assert.is(await customerOf(paying), await customerOf(other));
  assert.is(provider.state.customers.size, 1);
});

test("retries after a repeated failure of the provider", async (paying) => {
  const { provider } = paying;
  provider.break({ ...CREATE, what: "500", kept: true, times: 1 });
  const error = await rejection(customerOf(paying)) as PaymentError;
  assert.is(error.transient, true);
  await customerOf(paying);
  const keys = provider.calls.filter(({ method, path }) => method === "POST" && path === CREATE.path)
    .map(({ idempotencyKey, status }) => [idempotencyKey, status]);
  const [first, second] = [`wheelwright-customer-${HUB_ID}-1`, `wheelwright-customer-${HUB_ID}-2`];
  assert.equal(keys, [[first, 500], [first, 500], [second, 200]]);
});

test("creates another customer after a deletion, despite outdated search results and keys", async (paying) => {
  const { payments, provider } = paying, id = await customerOf(paying);
  provider.delaySearch();
  provider.state.customers.delete(id);
  const again = await payments.customerFor(
    { federationId: HUB_ID, name: "New", email: "a@north.example" },
    NEVER_ABORTED,
  );
  assert.is.not(again, id);
  assert.is(provider.state.customers.size, 1);
});

test("updates the address, and throws if the customer was deleted", async (paying) => {
  const { payments, provider } = paying, id = await customerOf(paying);
  const request = { federationId: HUB_ID, name: "Northern schools", email: "new@north.example" };
  await payments.updateCustomer(id, request, NEVER_ABORTED);
  assert.is(provider.state.customers.get(id)!.email, "new@north.example");
  const gone = await rejection(payments.updateCustomer("cus_none", request, NEVER_ABORTED)) as PaymentError;
  assert.equal([gone.name, gone.code, gone.transient], ["PaymentError", "customer_gone", false]);
});

test("finds the oldest of two customers", async (paying) => {
  const { provider } = paying, id = await customerOf(paying);
  const { metadata } = provider.state.customers.get(id)!;
  provider.setNow(provider.now() + SECONDS_PER_DAY);
  const other = {
    ...structuredClone(provider.state.customers.get(id)!),
    id: "cus_0",
    created: provider.now(),
    metadata,
  };
  provider.state.customers.set(other.id, other);
  assert.is(await customerOf(paying), id);
});

test("refuses an ID that would change the search query", async ({ payments, provider }) => {
  const request = { federationId: 'x" OR name:"y', name: "x", email: "x@y.example" };
  assert.instance(await rejection(payments.customerFor(request, NEVER_ABORTED)), TypeError);
  assert.is(provider.calls.length, 0);
});

test.run();
