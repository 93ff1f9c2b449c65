/** Tests faults and events of the fake provider. */
import type Stripe from "stripe";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { clientOf } from "#test/support/provider/client.ts";
import type { ProviderFault } from "#test/support/provider/faults.ts";
import { openProvider, type Provider } from "#test/support/provider/provider.ts";
import { VERSION } from "#test/support/provider/world.ts";
import { rejection, until } from "#test/support/until.ts";

interface Scene {
  provider: Provider;
  stripe: Stripe;
}

const faults = suite<Scene>("fake provider faults");
const events = suite<Scene>("fake provider events");
for (const test of [faults, events]) {
  test.before.each(async (scene) => {
    scene.provider = await openProvider();
    scene.stripe = clientOf(scene.provider);
  });
  test.after.each(({ provider }) => provider.close());
}

const TROUBLE: readonly (readonly [fault: ProviderFault, type: string, made: number])[] = [
  [{ what: "down" }, "StripeConnectionError", 0],
  [{ what: "500" }, "StripeAPIError", 0],
  [{ what: "429", retryAfter: 7 }, "StripeRateLimitError", 0],
  [{ what: "hang" }, "StripeConnectionError", 0],
  [{ what: "slow" }, "StripeConnectionError", 0],
  [{ what: "lost answer" }, "StripeConnectionError", 1],
];
for (const [fault, type, made] of TROUBLE) {
  faults(
    `${fault.what} is a ${type} until it is fixed, with ${made} customers created`,
    async ({ provider, stripe }) => {
      const fix = provider.break(fault);
      const caller = ["hang", "slow"].includes(fault.what) ? clientOf(provider, 50) : stripe; // only these are abandoned
      const { type: met, headers } = await rejection(caller.customers.create()) as Stripe.errors.StripeError;
      assert.equal([met, provider.state.customers.size], [type, made]);
      if (fault.what === "429") assert.is(headers?.["retry-after"], "7");
      fix();
      await stripe.customers.create();
    },
  );
}

faults("returns a lost answer again for its key", async ({ provider, stripe }) => {
  const fix = provider.break({ what: "lost answer" });
  await rejection(stripe.customers.create({}, { idempotencyKey: "one" }));
  fix();
  const { id } = await stripe.customers.create({}, { idempotencyKey: "one" });
  assert.equal([...provider.state.customers.keys()], [id]);
});

faults("completes a slow call although the caller has left", async ({ provider, stripe }) => {
  const fix = provider.break({ what: "slow" }), patience = new AbortController();
  const headers = {
    ...{ authorization: `Bearer ${provider.key}`, "stripe-version": VERSION, "idempotency-key": "one" },
    "content-type": "application/x-www-form-urlencoded",
  };
  const call = fetch(`${provider.url}/v1/customers`, { method: "POST", headers, signal: patience.signal });
  await until(() => provider.hanging() === 1);
  patience.abort();
  await rejection(call);
  assert.is(provider.state.customers.size, 0);
  fix();
  await until(() => provider.state.customers.size === 1);
  const { id } = await stripe.customers.create({}, { idempotencyKey: "one" });
  assert.equal([...provider.state.customers.keys()], [id]);
});

faults("repeats a stored 500 for its key only", async ({ provider, stripe }) => {
  provider.break({ what: "500", kept: true, times: 1 });
  const createCustomer = (idempotencyKey: string) => stripe.customers.create({}, { idempotencyKey });
  await rejection(createCustomer("one"));
  assert.is((await rejection(createCustomer("one")) as Stripe.errors.StripeError).statusCode, 500);
  await createCustomer("two");
  assert.is(provider.state.customers.size, 1);
});

faults("applies a fault to the matching calls, the given number of times", async ({ provider, stripe }) => {
  provider.break({ what: "500", method: "POST", path: /^\/v1\/customers\/cus_/, times: 2 });
  const { id } = await stripe.customers.create();
  await rejection(stripe.customers.update(id, { name: "x" }));
  await stripe.customers.retrieve(id);
  await rejection(stripe.customers.update(id, { name: "x" }));
  assert.is((await stripe.customers.update(id, { name: "x" })).name, "x");
  assert.equal(provider.calls.map(({ status }) => status), [200, 500, 200, 500, 200]);
});

events("contain the object and its previous values", async ({ provider, stripe }) => {
  const { id } = await stripe.customers.create({ name: "North" });
  await stripe.customers.update(id, { name: "South" }, { idempotencyKey: "one" });
  await stripe.customers.update(id, { name: "South" });
  const eventData = provider.events.map(({ type, data }) => [type, data.object.name, data.previous_attributes?.name]);
  assert.equal(eventData, [["customer.created", "North", undefined], ["customer.updated", "South", "North"]]);
  const { api_version, livemode, request } = provider.events[1]!;
  assert.equal([api_version, livemode, request.idempotency_key], [VERSION, false, "one"]);
});

events("can be read, and listed by type, newest first", async ({ provider, stripe }) => {
  const { id } = await stripe.customers.create();
  await stripe.customers.del(id);
  const [created, deleted] = provider.events;
  const { data } = await stripe.events.list({ types: ["customer.created", "customer.deleted"] });
  assert.equal(data.map((event) => event.id), [deleted!.id, created!.id]);
  assert.is((await stripe.events.list({ type: "customer.deleted" })).data.length, 1);
  assert.is((await stripe.events.retrieve(created!.id)).type, "customer.created");
});

events("are signed as the provider's package expects", async ({ provider, stripe }) => {
  const body = '{"id":"evt_1","object":"event","type":"customer.created"}', at = provider.now();
  const read = (signature: string, text = body) =>
    stripe.webhooks.constructEventAsync(text, signature, provider.webhookSecret, 300, undefined, at * 1000);
  assert.is((await read(provider.sign(body))).id, "evt_1");
  assert.is((await read(provider.sign(body, at - 299))).id, "evt_1");
  for (
    const signature of [
      ...[
        provider.sign(body, at, "whsec_other"),
        provider.sign(body, at - 301),
        provider.sign(`${body} `),
        "t=1,v1=00",
      ],
    ]
  ) assert.is((await rejection(read(signature)) as Stripe.errors.StripeError).type, "StripeSignatureVerificationError");
});

events("are delivered unchanged or forged", async ({ provider, stripe }) => {
  await stripe.customers.create();
  const got: { signature: unknown; body: string }[] = [];
  const hook = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => body += chunk);
    request.on("end", () => {
      got.push({ signature: request.headers["stripe-signature"], body });
      response.writeHead(202).end("{}");
    });
  });
  await new Promise<void>((resolve) => hook.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(hook.address() as AddressInfo).port}/hook`, [event] = provider.events;
  for (const instead of [undefined, { signature: "t=1,v1=00", body: "{}" }]) {
    const response = await provider.deliver(url, event!, instead);
    assert.equal([response.status, await response.text()], [202, "{}"]);
  }
  hook.closeAllConnections();
  await new Promise((resolve) => hook.close(resolve));
  const [real, forged] = got;
  assert.equal([JSON.parse(real!.body), real!.signature], [event, provider.sign(real!.body)]);
  assert.equal(forged, { signature: "t=1,v1=00", body: "{}" });
});

faults.run();
events.run();
