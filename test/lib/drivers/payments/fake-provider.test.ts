/** Tests how the fake provider checks requests: keys, versions, forms and idempotency. */
import type Stripe from "stripe";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { clientOf } from "#test/support/provider/client.ts";
import { openProvider, type Provider } from "#test/support/provider/provider.ts";
import { VERSION } from "#test/support/provider/world.ts";
import { rejection, until } from "#test/support/until.ts";

interface Scene {
  provider: Provider;
  stripe: Stripe;
}

const test = suite<Scene>("fake provider");

test.before.each(async (scene) => {
  scene.provider = await openProvider();
  scene.stripe = clientOf(scene.provider);
});
test.after.each(({ provider }) => provider.close());

const FORM = "application/x-www-form-urlencoded";

/** Sends an invalid request. Returns the status, the error and the headers. */
async function post(provider: Provider, path: string, body: string, headers: Record<string, string> = {}) {
  const good = { authorization: `Bearer ${provider.key}`, "stripe-version": VERSION, "content-type": FORM };
  const response = await fetch(provider.url + path, { method: "POST", body, headers: { ...good, ...headers } });
  const { error = {}, ...rest } = await response.json();
  return { status: response.status, error, rest, headers: response.headers };
}

const refused = async (promise: Promise<unknown>) => {
  const { type, code, param, statusCode } = await rejection(promise) as Stripe.errors.StripeError;
  return [type, statusCode, code ?? null, param ?? null];
};

test("accepts only its key", async ({ provider }) => {
  await clientOf(provider).customers.create();
  const stranger = clientOf({ url: provider.url, key: "sk_test_other" });
  assert.equal(await refused(stranger.customers.create()), ["StripeAuthenticationError", 401, null, null]);
  assert.is((await fetch(`${provider.url}/v1/customers`)).status, 401);
});

test("uses one API version and returns it in every response", async ({ provider }) => {
  for (const version of ["2025-03-31.basil", ""]) {
    const { status, error } = await post(provider, "/v1/customers", "", { "stripe-version": version });
    assert.equal([status, error.type], [400, "invalid_request_error"]);
  }
  const { headers } = await post(provider, "/v1/customers", "");
  assert.is(headers.get("stripe-version"), VERSION);
  assert.match(headers.get("request-id")!, /^req_/);
});

test("uses the API version of the installed package", async ({ stripe, provider }) => {
  await stripe.customers.create();
  assert.is(provider.calls[0]!.status, 200);
});

test("accepts only forms", async ({ provider }) => {
  for (const [type, body] of [["application/json", '{"name":"North"}'], ["text/plain", "name=North"]] as const) {
    const { status, error } = await post(provider, "/v1/customers", body, { "content-type": type });
    assert.equal([status, error.type], [400, "invalid_request_error"]);
  }
  assert.is(provider.state.customers.size, 0);
});

const PRICE = "currency=eur&unit_amount=1&product_data[name]=A";
const MISTAKES:
  readonly (readonly [what: string, path: string, body: string, code: string | undefined, param: string])[] = [
    ["an unknown parameter", "/v1/customers", "emial=a@example.org", "parameter_unknown", "emial"],
    [
      "an unknown nested parameter",
      "/v1/prices",
      `${PRICE}&recurring[every]=1`,
      "parameter_unknown",
      "recurring[every]",
    ],
    ["a missing parameter", "/v1/prices", "unit_amount=1", "parameter_missing", "currency"],
    [
      "a missing nested parameter",
      "/v1/prices",
      "currency=eur&product_data[active]=true",
      "parameter_missing",
      "product_data[name]",
    ],
    [
      "a word for a number",
      "/v1/prices",
      `${PRICE}&recurring[interval]=month&recurring[interval_count]=two`,
      "parameter_invalid_integer",
      "recurring[interval_count]",
    ],
    [
      "a fraction",
      "/v1/prices",
      "currency=eur&product_data[name]=A&unit_amount=1.5",
      "parameter_invalid_integer",
      "unit_amount",
    ],
    [
      "less than nothing",
      "/v1/prices",
      "currency=eur&product_data[name]=A&unit_amount=-1",
      "parameter_invalid_integer",
      "unit_amount",
    ],
    ["an invalid boolean", "/v1/prices", `${PRICE}&active=yes`, undefined, "active"],
    [
      "an invalid enum value",
      "/v1/prices",
      `${PRICE}&recurring[interval]=fortnight`,
      undefined,
      "recurring[interval]",
    ],
    ["nothing where something must be", "/v1/prices", `${PRICE}&lookup_key=`, "parameter_invalid_empty", "lookup_key"],
    ["text for a map", "/v1/prices", `${PRICE}&recurring=month`, undefined, "recurring"],
    ["a map for text", "/v1/customers", "email[a]=b", undefined, "email"],
    ["an invalid address", "/v1/customers", "email=nobody", "email_invalid", "email"],
    ["a metadata key that is too long", "/v1/customers", `metadata[${"x".repeat(41)}]=y`, undefined, "metadata"],
    ["a field that cannot be expanded", "/v1/customers", "expand[]=email", undefined, "expand"],
  ];
for (const [what, path, body, code, param] of MISTAKES) {
  test(`refuses ${what}`, async ({ provider }) => {
    const { status, error } = await post(provider, path, body);
    assert.equal([status, error.type, error.code, error.param], [400, "invalid_request_error", code, param]);
    assert.ok(error.message && error.request_log_url);
    assert.is(provider.state.prices.size, 0);
  });
}

test("returns 404 for missing objects in a URL and for unknown URLs", async ({ provider, stripe }) => {
  const missing = ["StripeInvalidRequestError", 404, "resource_missing", "id"];
  assert.equal(await refused(stripe.customers.retrieve("cus_none")), missing);
  assert.equal(await refused(stripe.subscriptions.update("sub_none", { metadata: { a: "b" } })), missing);
  assert.equal(await refused(stripe.charges.retrieve("ch_none")), missing);
  assert.is((await post(provider, "/v1/unheard_of", "")).status, 404);
});

test("returns 400 for missing objects in a parameter", async ({ stripe }) => {
  const promise = stripe.prices.create({ currency: "eur", unit_amount: 1, product: "prod_none" });
  assert.equal(await refused(promise), ["StripeInvalidRequestError", 400, "resource_missing", "product"]);
});

test("returns the same answer for a repeated key", async ({ provider, stripe }) => {
  const createCustomer = () => stripe.customers.create({ name: "North" }, { idempotencyKey: "one" });
  const [first, second] = [await createCustomer(), await createCustomer()];
  assert.is(second.id, first.id);
  assert.is(provider.state.customers.size, 1);
  const { rest, headers } = await post(provider, "/v1/customers", "name=North", { "idempotency-key": "one" });
  assert.equal([rest.id, headers.get("idempotent-replayed")], [first.id, "true"]);
  assert.is(headers.get("original-request"), first.lastResponse.requestId);
  assert.is.not(headers.get("request-id"), first.lastResponse.requestId);
});

test("refuses a key with other parameters or another path", async ({ provider, stripe }) => {
  await stripe.customers.create({ name: "North" }, { idempotencyKey: "one" });
  const other = ["StripeIdempotencyError", 400, null, null];
  assert.equal(await refused(stripe.customers.create({ name: "South" }, { idempotencyKey: "one" })), other);
  assert.equal(await refused(stripe.products.create({ name: "North" }, { idempotencyKey: "one" })), other);
  assert.equal([provider.state.customers.size, provider.state.products.size], [1, 0]);
});

test("stores refusals for a key, except validation errors", async ({ provider, stripe }) => {
  const price = { currency: "eur", unit_amount: 1, product: "prod_late" };
  const key = { idempotencyKey: "one" };
  await rejection(stripe.prices.create(price, key));
  await stripe.products.create({ id: "prod_late", name: "Late" });
  assert.equal((await refused(stripe.prices.create(price, key)))[2], "resource_missing");
  await post(provider, "/v1/customers", "nmae=North", { "idempotency-key": "two" });
  assert.is((await post(provider, "/v1/customers", "name=North", { "idempotency-key": "two" })).status, 200);
});

test("forgets a key after a day", async ({ provider, stripe }) => {
  const createCustomer = () => stripe.customers.create({}, { idempotencyKey: "one" });
  const { id } = await createCustomer();
  provider.setNow(provider.now() + 24 * 60 * 60 - 1);
  assert.is((await createCustomer()).id, id);
  provider.setNow(provider.now() + 1);
  assert.is.not((await createCustomer()).id, id);
});

test("returns 409 for a key whose first call is running", async ({ provider, stripe }) => {
  const fix = provider.break({ what: "slow", path: "/v1/customers", times: 1 });
  const first = stripe.customers.create({}, { idempotencyKey: "one" });
  await until(() => provider.hanging() === 1);
  const second = await refused(stripe.customers.create({}, { idempotencyKey: "one" }));
  assert.equal(second, ["StripeAPIError", 409, "idempotency_key_in_use", null]);
  fix();
  assert.is((await stripe.customers.create({}, { idempotencyKey: "one" })).id, (await first).id);
});

test("lists newest first, in pages", async ({ stripe }) => {
  const made: string[] = [];
  for (const name of ["a", "b", "c"]) made.unshift((await stripe.customers.create({ name })).id);
  const first = await stripe.customers.list({ limit: 2 });
  assert.equal([first.data.map(({ id }) => id), first.has_more], [made.slice(0, 2), true]);
  const rest = await stripe.customers.list({ limit: 2, starting_after: made[1]! });
  assert.equal([rest.data.map(({ id }) => id), rest.has_more], [made.slice(2), false]);
  const all = await stripe.customers.list({ limit: 1 }).autoPagingToArray({ limit: 10 });
  assert.equal(all.map(({ id }) => id), made);
  assert.equal(await refused(stripe.customers.list({ limit: 101 })), [
    ...["StripeInvalidRequestError", 400, "parameter_invalid_integer", "limit"],
  ]);
});

test("finds customers by metadata, with a delay for new ones", async ({ provider, stripe }) => {
  const find = async (id: string) => {
    const { data } = await stripe.customers.search({ query: `metadata["hub"]:"${id}"` });
    return data.map(({ name }) => name);
  };
  await stripe.customers.create({ name: "North", metadata: { hub: "one" } });
  const fix = provider.delaySearch();
  await stripe.customers.create({ name: "South", metadata: { hub: "two" } });
  assert.equal([await find("one"), await find("two")], [["North"], []]);
  fix();
  assert.equal([await find("two"), await find("tw")], [["South"], []]);
  assert.is((await refused(stripe.customers.search({ query: "hub is one" })))[1], 400);
});

test("keeps lookup keys unique, and transfers them on request", async ({ stripe }) => {
  const make = (amount: number, transfer_lookup_key = false) =>
    stripe.prices.create({
      ...{ currency: "EUR", unit_amount: amount, lookup_key: "small", transfer_lookup_key },
      product_data: { name: "Small" },
      recurring: { interval: "month" },
    });
  const holders = async () =>
    (await stripe.prices.list({ lookup_keys: ["small"], expand: ["data.product"] })).data
      .map(({ id, currency, product }) => [id, currency, (product as Stripe.Product).name]);
  const { id } = await make(100);
  assert.equal(await holders(), [[id, "eur", "Small"]]);
  assert.equal((await refused(make(200))).slice(1), [400, null, "lookup_key"]);
  const moved = await make(200, true);
  assert.equal(await holders(), [[moved.id, "eur", "Small"]]);
});

test("keeps only the name of a deleted customer", async ({ stripe }) => {
  const { id } = await stripe.customers.create();
  await stripe.customers.del(id);
  assert.equal({ ...await stripe.customers.retrieve(id) }, { id, object: "customer", deleted: true });
  assert.is((await refused(stripe.customers.update(id, { name: "x" })))[1], 404);
});

test.run();
