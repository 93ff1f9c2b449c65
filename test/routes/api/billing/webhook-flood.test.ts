/** Tests that the webhook rejects requests without a database. Here it has none, and a query would fail. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { SECOND } from "#lib/base/time.ts";
import { manifest } from "#src/manifest.ts";
import { openTestHandler } from "#test/support/handler.ts";
import { openProvider, type Provider } from "#test/support/provider/provider.ts";

const URL = "/api/billing/webhook";
const BODY = JSON.stringify({ id: "evt_1", object: "event", type: "invoice.paid", created: 1795262400, data: {} });

const test = suite<{ provider: Provider }>("POST /api/billing/webhook without a database");
test.before(async (context) => void (context.provider = await openProvider()));
test.after(({ provider }) => provider.close());

test("rejects a flood of forged events without a query", async ({ provider }) => {
  const now = Math.floor(Date.now() / SECOND); // irrelevant for rejected requests
  const handler = await openTestHandler(manifest, { env: provider.env });
  const forged = Array.from({ length: 1000 }, async (_, i) => {
    const headers = { "stripe-signature": provider.sign(BODY, now - (i % 2) * 1000, "whsec_forged") };
    return (await handler.send(URL, { method: "POST", body: BODY, headers })).status;
  });
  const statuses = new Set(await Promise.all(forged));
  assert.equal([...statuses].filter((status) => status !== 400 && status !== 503), []); // too many simultaneous requests are refused
  assert.ok(statuses.has(400));
});

test("is missing without a payment provider", async () => {
  const handler = await openTestHandler(manifest);
  const { status, body } = await handler.send(URL, { method: "POST", body: BODY });
  assert.equal([status, body.message], [404, "No payment provider is connected to this service"]);
});

test.run();
