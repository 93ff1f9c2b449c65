import { suite } from "uvu";
import * as assert from "uvu/assert";
import { toColumnName } from "#lib/drivers/db/naming.ts";
import { queryRows } from "#test/support/bench/query.ts";
import { openScene, type Scene } from "#test/support/scene.ts";
import { deleteRows, selectRows, updateRows } from "#test/support/rows.ts";

interface Context {
  scene: Scene;
  path: string;
}

const ENV = { STRIPE_SECRET_KEY: "sk_test_x", STRIPE_WEBHOOK_SECRET: "whsec_x" }; // nothing calls it in this test
const EMAIL = "treasurer@example.org";
const NOT_BILLED = {
  ...{ connected: false, email: null, status: null, pastDueSince: null, currency: null, items: [], monthly: null },
  ...{ invoice: null, pending: false, difference: null, error: null, checkedAt: null },
};

const reading = suite<Context>("GET /api/federations/{id}/billing");
const connecting = suite<Context>("POST /api/federations/{id}/billing");
const reconciling = suite<Context>("POST /api/federations/{id}/billing/reconcile");

for (const test of [reading, connecting, reconciling]) {
  test.before(async (context) => {
    context.scene = await openScene({ env: ENV });
    context.path = `/api/federations/${context.scene.hub}/billing`;
  });
  test.before.each(async ({ scene }) => {
    await deleteRows(scene.db, "subscriptions");
    await deleteRows(scene.db, "jobs");
  });
  test.after(({ scene }) => scene.close());
}

/** Stores the provider's report: 3 small spokes and an overdue invoice. */
async function subscribe({ scene: { db, hub } }: Context, more: object = {}): Promise<void> {
  const items = [{ id: "si_1", price: "price_1", size: "small", quantity: 3, monthly: 1900 }];
  const invoice = {
    ...{ id: "in_1", number: "N-1", status: "open", total: 5700, remaining: 5700, currency: "EUR" },
    ...{ dueAt: "2026-11-01T00:00:00.000Z", url: "https://pay.example/i" },
  };
  const row = {
    ...{ federationId: hub, email: EMAIL, customerId: "cus_1", subscriptionId: "sub_1", status: "past_due" },
    ...{ currency: "EUR", sentQuantities: { small: 3 }, items, invoice, checkedAt: "2026-11-20T00:00:00.000Z" },
    ...{ pastDueSince: "2026-11-02T00:00:00.000Z", ...more },
  };
  const text = `insert into subscriptions select * from jsonb_populate_record(null::subscriptions,
    $1::text::jsonb || jsonb_build_object('created_at', now(), 'updated_at', now()))`;
  await queryRows(db, text, [
    JSON.stringify(Object.fromEntries(Object.entries(row).map(([k, v]) => [toColumnName(k), v]))),
  ]);
}

async function audits({ scene: { db, hub } }: Context): Promise<unknown[][]> {
  const text = "select kind, actor_email, metadata from audit_events where federation_id = $1 order by at";
  return (await queryRows(db, text, [hub])).map(({ kind, actorEmail, metadata }) => [kind, actorEmail, metadata]);
}

reading("shows that a hub is not billed", async ({ scene, path }) => {
  const { status, body } = await scene.as("hubAdmin", "readonly").get(path);
  assert.equal([status, body], [200, NOT_BILLED]);
});

reading("shows the billed quantities, the cost and the overdue invoice", async (context) => {
  const { scene, path } = context;
  await subscribe(context);
  const { body } = await scene.as("hubAdmin").get(path);
  assert.equal(body, {
    ...{ ...NOT_BILLED, connected: true, email: EMAIL, status: "past_due", currency: "EUR", monthly: 5700 },
    pastDueSince: "2026-11-02T00:00:00.000Z",
    checkedAt: "2026-11-20T00:00:00.000Z",
    items: [{ size: "small", quantity: 3, monthly: 5700 }],
    pending: true, // the hub has one spoke
    invoice: {
      ...{ number: "N-1", status: "open", total: 5700, remaining: 5700, currency: "EUR" },
      ...{ dueAt: "2026-11-01T00:00:00.000Z", url: "https://pay.example/i" },
    },
  });
});

reading("shows differences in a sentence, and no total if a price is missing", async (context) => {
  const items = [{ id: "si_1", price: "price_1", size: null, quantity: 1, monthly: null }];
  await subscribe(context, { items, difference: "It counts what is no spoke", sentQuantities: {} });
  const { body } = await context.scene.as("hubAdmin").get(context.path);
  assert.equal([body.difference, body.monthly], [{ message: "It counts what is no spoke", sizes: [] }, null]);
});

reading("shows the provider's refusal to operators only, also during retries", async (context) => {
  const { scene, path } = context, { db, hub } = scene;
  await subscribe(context, { error: "The price is archived" });
  const readBoth = () => Promise.all((["operator", "hubAdmin"] as const).map((who) => scene.as(who).get(path)));
  assert.equal((await readBoth()).map(({ body }) => body.error), ["The price is archived", null]);
  await updateRows(db, "subscriptions", { error: null });
  assert.equal((await readBoth()).map(({ body }) => body.error), [null, null]);
  await scene.as("operator").post(`${path}/reconcile`);
  await updateRows(db, "jobs", { failure: '{"message": "away"}' }, { federationId: hub });
  assert.equal((await readBoth()).map(({ body }) => body.error), ["away", null]);
});

reading("is 403 for a spoke admin and 404 for a stranger", async ({ scene, path }) => {
  const answers = await Promise.all((["spokeAdmin", "stranger"] as const).map((who) => scene.as(who).get(path)));
  assert.equal(answers.map(({ status }) => status), [403, 404]);
});

connecting("starts billing once, and queues the job that notifies the provider", async (context) => {
  const { scene, path } = context, operator = scene.as("operator", "cli"), { db, hub } = scene;
  const { status, body } = await operator.post(path, { email: "Treasurer@Example.org" });
  assert.equal([status, body], [200, { ...NOT_BILLED, connected: true, email: EMAIL, pending: true }]);
  await operator.post(path, { email: EMAIL });
  const { prefix } = (await selectRows(db, "api_tokens", { scope: "cli" }, { columns: ["prefix"] }))[0];
  const by = scene.people.operator.email;
  assert.equal(await audits(context), [["billing_connected", by, { email: EMAIL, token: prefix }]]);
  const jobs = await queryRows(db, "select kind, federation_id as hub, visible from jobs");
  assert.equal(jobs, [{ kind: "sync-billing", hub, visible: false }]);
});

connecting("changes the address, also at the provider", async (context) => {
  const { scene, path } = context;
  await subscribe(context, { error: "no", retryAt: "2100-01-01T00:00:00Z" });
  const { body } = await scene.as("operator").post(path, { email: "other@example.org" });
  assert.equal([body.email, body.pending, body.error, body.status], ["other@example.org", true, null, "past_due"]);
  const [row] = await selectRows(scene.db, "subscriptions", {}, {
    columns: ["sentQuantities", "retryAt", "subscriptionId"],
  });
  assert.equal(row, { sentQuantities: null, retryAt: null, subscriptionId: "sub_1" });
  assert.equal((await audits(context)).at(-1)![2], { email: "other@example.org", from: EMAIL });
});

connecting("is for operators, and requires a payment provider", async ({ scene, path }) => {
  const refused = await scene.as("hubAdmin").post(path, { email: EMAIL });
  assert.equal([refused.status, refused.body.message], [403, "Only operators can perform this action"]);
  const { payments } = scene.app;
  Object.assign(scene.app, { payments: null });
  const off = await Promise.all(
    [scene.as("operator").post(path, { email: EMAIL }), scene.as("operator").post(`${path}/reconcile`)],
  );
  Object.assign(scene.app, { payments });
  assert.equal(off.map(({ status }) => status), [404, 404]);
  assert.equal(await selectRows(scene.db, "subscriptions"), []);
});

reconciling("sends everything again, and keeps a running subscription", async (context) => {
  const { scene, path } = context;
  await subscribe(context, { retryAt: "2100-01-01T00:00:00Z", error: "no" });
  const { status, body } = await scene.as("operator", "cli").post(`${path}/reconcile`);
  assert.equal([status, body.pending, body.error, body.items.length], [202, true, null, 1]);
  const [row] = await selectRows(scene.db, "subscriptions", {}, {
    columns: ["sentQuantities", "retryAt", "subscriptionId", "customerId"],
  });
  assert.equal(row, { sentQuantities: null, retryAt: null, subscriptionId: "sub_1", customerId: "cus_1" });
  const [kind, , { customer, subscription }] = (await audits(context)).at(-1) as [
    string,
    string,
    Record<string, string>,
  ];
  assert.equal([kind, customer, subscription], ["billing_reconcile_requested", "cus_1", "sub_1"]);
  assert.is((await selectRows(scene.db, "jobs", { kind: "sync-billing" })).length, 1);
});

reconciling("replaces an ended subscription, and keeps the customer", async (context) => {
  const { scene, path } = context;
  await subscribe(context, { status: "canceled" });
  const { body } = await scene.as("operator").post(`${path}/reconcile`);
  assert.equal([body.status, body.items, body.pending, body.email], [null, [], true, EMAIL]);
  const [row] = await selectRows(scene.db, "subscriptions", {}, { columns: ["subscriptionId", "customerId"] });
  assert.equal(row, { subscriptionId: null, customerId: "cus_1" });
});

reconciling("is 409 for a hub that is not billed, and 403 for its admin", async ({ scene, path }) => {
  const { status, body } = await scene.as("operator").post(`${path}/reconcile`);
  const message = "Cannot reconcile a hub that is not connected to billing; connect the hub first";
  assert.equal([status, body.message], [409, message]);
  assert.is((await scene.as("hubAdmin").post(`${path}/reconcile`)).status, 403);
});

reading.run();
connecting.run();
reconciling.run();
