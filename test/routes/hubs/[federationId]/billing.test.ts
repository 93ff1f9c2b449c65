/** Tests a hub's billing page for admins and operators. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { loadCatalog } from "#lib/catalog/load.ts";
import { builtInBlueprint } from "#test/support/blueprint.ts";
import { type Page, parsePage } from "#test/support/page.ts";
import { PRICES } from "#test/support/payments.ts";
import { openScene, type Scene, type SceneRole } from "#test/support/scene.ts";

interface Context {
  scene: Scene;
  open(who?: SceneRole): Promise<Page>;
}

const ENV = {
  ...{ STRIPE_SECRET_KEY: "sk_test_x", STRIPE_WEBHOOK_SECRET: "whsec_x" },
  STRIPE_API_BASE: "http://127.0.0.1:9", // nothing answers there
};
const test = suite<Context>("the billing page of a hub");

test.before.each(async (context) => {
  const scene = context.scene = await openScene({ env: ENV });
  Object.assign(scene.app, { catalog: loadCatalog(PRICES, await builtInBlueprint()) });
  context.open = (who = "hubAdmin") => parsePage(scene, `/hubs/${scene.hub}/billing`, who);
});
test.after.each(({ scene }) => scene.close());

/** Stores the provider's report. */
async function show({ db, hub }: Scene, more: Readonly<Record<string, unknown>> = {}): Promise<void> {
  const invoice = {
    ...{ id: "in_1", number: "N-<1>", status: "open", total: 9300, remaining: 6200, currency: "EUR" },
    ...{ dueAt: "2026-11-01T00:00:00.000Z", url: "https://pay.example/i" },
  };
  const row = {
    ...{
      customer_id: "cus_1",
      subscription_id: "sub_1",
      status: "past_due",
      currency: "EUR",
      sent_quantities: {},
      invoice,
    },
    items: [{ id: "si_1", price: "price_1", size: "small", quantity: 3, monthly: 3100 }],
    past_due_since: "2026-11-02T00:00:00.000Z",
    checked_at: "2026-11-20T00:00:00.000Z",
    ...more,
  };
  await db.sql(
    `update subscriptions set (customer_id, subscription_id, status, currency, sent_quantities, invoice, items, past_due_since,
       checked_at, difference) = (select customer_id, subscription_id, status, currency, sent_quantities, invoice, items,
       past_due_since, checked_at, difference from jsonb_populate_record(null::subscriptions, $2::text::jsonb))
     where federation_id = $1`,
    [hub, JSON.stringify(row)],
  );
}

test("lets an operator start billing and change the address", async ({ open }) => {
  const before = await open("operator");
  assert.ok(before.has("heading", "This hub is not billed"));
  const wrong = await before.submit("Start billing", { "Send invoices to": "nobody" });
  assert.equal([wrong.status, wrong.field("Send invoices to").value], [400, "nobody"]);
  const done = await wrong.submit("Start billing", { "Send invoices to": "office@example.org" });
  assert.is(done.part("status", /saved/).text, "Changes saved.");
  assert.match(done.part("region", "Subscription").text, /office@example\.org/);
  const moved = await done.submit("Change address", { "Send invoices to": "desk@example.org" });
  assert.match(moved.part("region", "Subscription").text, /desk@example\.org/);
});

test("shows the subscription and the overdue invoice with its payment link", async (context) => {
  const { scene, open } = context;
  await scene.as("operator").post(`/api/federations/${scene.hub}/billing`, { email: "office@example.org" });
  await show(scene);
  const page = await open();
  assert.match(page.part("alert").text, /A payment has been overdue since 2 Nov 2026/);
  assert.match(page.part("region", "Subscription").text, /€93\.00 per month/);
  assert.equal(page.part("region", "Billed spokes").table(), [["Size", "Spokes", "Per month"], [
    "Small",
    "3",
    "€93.00",
  ]]);
  const invoice = page.part("region", "Invoice N-<1>");
  assert.match(invoice.text, /Open.*Amount €93\.00.*Amount due €62\.00.*Due 1 Nov 2026/);
  assert.is(invoice.link("Pay invoice"), "https://pay.example/i");
  assert.equal(page.part("region", "Prices per spoke").table()[1], ["Small", "€31.00"]);
});

test("shows differences from the provider, and lets an operator reconcile", async ({ scene, open }) => {
  await scene.as("operator").post(`/api/federations/${scene.hub}/billing`, { email: "office@example.org" });
  await show(scene, { difference: [{ size: "small", spokes: 1, billed: 3 }] });
  const page = await open("operator");
  assert.match(
    page.text,
    "The bill does not match this hub's spokes. The payment provider bills 3 instead of 1 spokes of size small",
  );
  const done = await page.submit("Reconcile");
  assert.match(done.part("status", /Reconciling/).text, "Reconciling billing with the payment provider");
});

test("is read-only for hub admins, and closed to others", async ({ scene, open }) => {
  const page = await open();
  assert.equal([page.has("button", /billing/), page.has("button", "Reconcile")], [false, false]);
  assert.match(page.text, "An operator can start billing");
  assert.is((await open("spokeAdmin")).status, 403);
  const headers = { ...await scene.as("hubAdmin").credentials(), "content-type": "application/x-www-form-urlencoded" };
  const sent = { method: "POST", headers, body: "email=me@example.org" };
  assert.is((await scene.send(`/hubs/${scene.hub}/billing`, sent)).status, 403);
  assert.is((await scene.send(`/hubs/${scene.hub}/billing/reconcile`, { ...sent, body: "" })).status, 403);
});

test("explains that billing is off without a payment provider", async () => {
  const scene = await openScene();
  const page = await parsePage(scene, `/hubs/${scene.hub}/billing`, "operator");
  assert.equal([page.has("heading", "No payment provider is configured"), page.has("button", /billing/)], [
    true,
    false,
  ]);
  assert.not.match(page.text, "free of charge");
  await scene.close();
});

test.run();
