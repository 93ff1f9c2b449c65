/** Tests all failures of calls with the program's own driver. */
import http from "node:http";
import type { AddressInfo } from "node:net";
import { inspect } from "node:util";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { PaymentError, type PaymentProvider } from "#lib/drivers/payments/payments.ts";
import { recordTelemetry } from "#test/support/recorded-telemetry.ts";
import {
  createPayments,
  customerOf,
  NEVER_ABORTED,
  openPaymentsSetup,
  type PaymentsSetup,
} from "#test/support/payments.ts";
import { rejection, until } from "#test/support/until.ts";

const test = suite<PaymentsSetup>("openPaymentProvider");
test.before.each(async (context) => {
  Object.assign(context, await openPaymentsSetup());
});
test.after.each(({ provider }) => provider.close());

const look = (payments: PaymentProvider, signal = NEVER_ABORTED) => payments.readSubscription("sub_1", signal);

/** Returns the error of a call: a PaymentError with only text and numbers. */
async function troubleOf(promise: Promise<unknown>): Promise<PaymentError> {
  const error = await rejection(promise);
  assert.instance(error, PaymentError);
  assert.not.match(
    inspect(error, { depth: 9, showHidden: true }),
    /sk_test_double|whsec_double|authorization|headers/i,
  );
  return error as PaymentError;
}

/** Starts a fake server that returns the given responses. */
async function answering(status: number, body: string, headers: Record<string, string> = {}) {
  const requestHeaders: http.IncomingHttpHeaders[] = [];
  const server = http.createServer((request, response) => {
    requestHeaders.push(request.headers);
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const apiBase = `http://127.0.0.1:${(server.address() as AddressInfo).port}/stripe`;
  return { apiBase, seen: requestHeaders, close: () => new Promise((resolve) => server.close(resolve)) };
}

async function refusalFor(
  { provider }: PaymentsSetup,
  status: number,
  error: object,
  headers = {},
): Promise<PaymentError> {
  const other = await answering(status, JSON.stringify({ error }), headers);
  const trouble = await troubleOf(
    createPayments(provider, { apiBase: other.apiBase, secretKey: "odd.key-1" }).findSubscription(
      { customer: "cus_1", federationId: "fed_1" },
      NEVER_ABORTED,
    ),
  );
  await other.close();
  return trouble;
}

test("sends its API version and application name, but nothing about the machine", async (paying) => {
  const other = await answering(404, '{"error": {"type": "invalid_request_error", "message": "No"}}');
  assert.is(await look(createPayments(paying.provider, { apiBase: other.apiBase })), null);
  await other.close();
  const [headers] = other.seen;
  assert.is(headers!["stripe-version"], "2026-10-28.endive");
  assert.match(headers!["user-agent"]!, /wheelwright/);
  assert.is(headers!["x-stripe-client-telemetry"], undefined);
  assert.not.match(String(headers!["x-stripe-client-user-agent"]), /"platform"/);
});

test("treats a lost connection as transient, without a retry", async ({ payments, provider }) => {
  provider.break("down");
  const { code, transient, message } = await troubleOf(look(payments));
  assert.equal([code, transient, provider.calls.length], ["unreachable", true, 1]);
  assert.match(message, /^GET 127\.0\.0\.1:\d+\/v1\/subscriptions\/sub_1: /);
  provider.break({ what: "lost answer", method: "POST" });
  await troubleOf(
    payments.updateCustomer("cus_1", { federationId: "fed_1", name: "x", email: "x@y.example" }, NEVER_ABORTED),
  );
  assert.is(provider.calls.length, 2);
});

test("treats a refused connection as transient", async ({ payments, provider }) => {
  await provider.close();
  assert.equal((await troubleOf(look(payments))).transient, true);
});

test("times out after its deadline", async ({ provider }) => {
  provider.break("hang");
  const trouble = troubleOf(look(createPayments(provider, { deadline: 1000 })));
  await until(() => provider.hanging() === 1);
  const { code, transient } = await trouble;
  assert.equal([code, transient], ["deadline", true]);
});

test("rejects immediately when a running or queued call is aborted", async ({ payments, provider }) => {
  const fix = provider.break("hang");
  const called = new AbortController(), reason = new Error("called off");
  const calls = Array.from({ length: 9 }, () => rejection(look(payments, called.signal)));
  await until(() => provider.hanging() === 4); // the concurrency limit
  called.abort(reason);
  for (const call of calls) assert.is(await call, reason);
  assert.is(await rejection(look(payments, called.signal)), reason);
  assert.is(provider.calls.length, 4);
  fix();
  assert.is(await look(payments), null); // the slots are free again
});

test("does not delay previews behind background calls", async ({ payments, provider }) => {
  const fix = provider.break({ what: "hang", path: "/v1/subscriptions/sub_1" }), called = new AbortController();
  const calls = Array.from({ length: 5 }, () => rejection(look(payments, called.signal)));
  await until(() => provider.hanging() === 4);
  assert.is(await payments.preview({ customer: "cus_1", subscription: "sub_2", sizes: [] }, NEVER_ABORTED), null);
  called.abort(new Error("enough"));
  await Promise.all(calls);
  fix();
});

test("treats provider failures as transient, with the requested wait", async (paying) => {
  const { payments, provider } = paying;
  provider.break({ what: "500", times: 1 });
  assert.is((await troubleOf(look(payments))).transient, true);
  provider.break({ what: "429", retryAfter: 7, times: 1 });
  const { transient, retryAfterMs } = await troubleOf(look(payments));
  assert.equal([transient, retryAfterMs], [true, 7000]);
  const busy = await refusalFor(paying, 409, { type: "invalid_request_error", code: "lock_timeout", message: "Busy" });
  assert.equal([busy.code, busy.transient], ["lock_timeout", true]);
  const forEver = await refusalFor(paying, 503, { type: "api_error", message: "Away" }, { "retry-after": "9e9" });
  assert.equal([forEver.transient, forEver.retryAfterMs], [true, undefined]);
});

test("treats a refused key as transient, with a hint", async ({ provider }) => {
  const wrong = await troubleOf(look(createPayments(provider, { secretKey: "sk_test_wrong" })));
  assert.equal([wrong.code, wrong.transient], ["key_refused", true]);
  assert.match(wrong.hint!, /STRIPE_SECRET_KEY/);
  assert.not.match(wrong.message, /sk_test_/);
  const broken = await troubleOf(look(createPayments(provider, { secretKey: "sk_test_\nx" })));
  assert.equal([broken.code, broken.transient], ["unsendable", true]);
});

test("treats missing permissions as transient, and other refusals as permanent", async (paying) => {
  const may = await refusalFor(paying, 403, { type: "invalid_request_error", message: "Not with rk_live_51Abc" });
  assert.equal([may.code, may.transient, may.message], ["key_not_permitted", true, "Not with …"]);
  const card = await refusalFor(paying, 402, { type: "card_error", code: "card_declined", message: "Declined" });
  assert.equal([card.code, card.transient, card.message], ["card_declined", false, "Declined"]);
  const bad = await refusalFor(paying, 400, { type: "invalid_request_error", message: "Bad" });
  assert.equal([bad.code, bad.transient], ["invalid_request_error", false]);
});

test("returns the provider's message without secrets on one line", async (paying) => {
  const words = "Cannot use odd.key-1,\n\u0007whsec_other or pi_1_secret_AbC9 with sk_live_*****1234 " +
    "x".repeat(999);
  const { message } = await refusalFor(paying, 400, { type: "invalid_request_error", message: words });
  assert.match(message, /^Cannot use …, … or pi_1_secret_… with … x+$/);
  assert.is(message.length, 500);
});

test("treats an incomplete or stalled response as transient", async ({ provider }) => {
  const server = http.createServer((request, response) => {
    response.writeHead(200, { "content-type": "application/json", "content-length": "99" }).write('{"id": "sub_1"');
    if (request.headers.authorization?.endsWith("cut")) setTimeout(() => request.socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const apiBase = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const cut = await troubleOf(look(createPayments(provider, { apiBase, secretKey: "cut" })));
  const stalled = await troubleOf(look(createPayments(provider, { apiBase, deadline: 50 })));
  assert.equal([cut.code, cut.transient, stalled.code, stalled.transient], ["unreachable", true, "deadline", true]);
  await new Promise((resolve) => server.close(resolve));
});

test("treats responses of proxies and other services as transient", async (paying) => {
  const others: [number, string][] = [[502, "<html>"], [302, "{}"], [200, "[]"], [200, ""], [404, '{"detail": "no"}']];
  for (const [status, body] of others) {
    const other = await answering(status, body);
    const { code, transient, hint } = await troubleOf(
      look(createPayments(paying.provider, { apiBase: other.apiBase })),
    );
    assert.equal([code, transient], ["bad_answer", true], `${status} ${body}`);
    assert.match(hint!, /STRIPE_API_BASE/);
    await other.close();
  }
  const other = await answering(200, '{"id": "sub_1", "customer": 7, "items": {"data": []}}');
  const { code, message } = await troubleOf(look(createPayments(paying.provider, { apiBase: other.apiBase })));
  await other.close();
  assert.is(code, "bad_answer");
  assert.match(message, /^The payment provider returned an invalid subscription: customer, status/);
});

test("reads all pages, and rejects an invalid page", async ({ provider }) => {
  const refund = (id: string) => ({ id, charge: "ch_1", amount: 100, currency: "eur", created: 1 });
  let pages: Record<string, object> = {};
  const server = http.createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url!, "http://x");
    const page = pages[searchParams.get("starting_after") ?? ""];
    response.end(JSON.stringify(pathname.includes("/charges/") ? { id: "ch_1", customer: "cus_1" } : page));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const apiBase = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const read = () => createPayments(provider, { apiBase }).readRefunds({ charge: "ch_1" }, NEVER_ABORTED);
  pages = {
    "": { data: [refund("re_3"), refund("re_2")], has_more: true },
    "re_2": { data: [refund("re_1")], has_more: false },
  };
  assert.equal((await read())?.refunds.map(({ id }) => id), ["re_3", "re_2", "re_1"]);
  for (const page of [{ data: 7 }, { data: [], has_more: true }, { data: [{ id: "re_1" }], has_more: false }]) {
    pages = { "": page };
    const { code, transient } = await troubleOf(read());
    assert.equal([code, transient], ["bad_answer", true], JSON.stringify(page));
  }
  await new Promise((resolve) => server.close(resolve));
});

test("records a span for each call with its resource and outcome, without IDs", async (paying) => {
  const { telemetry, spans } = recordTelemetry(), payments = createPayments(paying.provider, { telemetry });
  await customerOf({ ...paying, payments });
  assert.is(await look(payments), null);
  await troubleOf(look(createPayments(paying.provider, { telemetry, apiBase: "http://127.0.0.1:1" })));
  const spanNames = spans.map(({ labels, outcome }) => `${(labels as { call: string }).call} ${outcome}`);
  assert.ok(spanNames.includes("POST customers succeeded"), spanNames.join());
  assert.equal(spanNames.slice(-2), ["GET subscriptions refused", "GET subscriptions failed"]);
});

test("refuses to send a live key unencrypted", ({ provider }) => {
  const open = (secretKey: string, apiBase: string) => () => createPayments(provider, { secretKey, apiBase });
  for (const key of ["sk_live_1", "rk_live_1"]) {
    assert.throws(open(key, "http://proxy.example"), /STRIPE_API_BASE must/);
  }
  open("sk_live_1", "https://proxy.example")();
  open("sk_test_1", "http://proxy.example")();
});

test.run();
