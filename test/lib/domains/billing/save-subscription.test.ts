import { suite } from "uvu";
import * as assert from "uvu/assert";
import { SYSTEM_REQUESTER } from "#lib/audit/requester.ts";
import { logBillingDifferences, saveSubscription } from "#lib/domains/billing/save-subscription.ts";
import { lockSubscription, recordRefunds } from "#lib/domains/billing/store.ts";
import { recordChange } from "#lib/changes/record.ts";
import { createLog } from "#lib/base/log.ts";
import type { Subscription } from "#lib/drivers/payments/payments.ts";
import { addHubAdmin, createTestSession, createTestUser } from "#test/support/users.ts";
import { insertHub } from "#test/support/insert-rows.ts";
import { openScene, type Scene, type SceneRole } from "#test/support/scene.ts";
import { insertRow } from "#test/support/rows.ts";

const test = suite<{ scene: Scene }>("saveSubscription");

test.before(async (context) => {
  context.scene = await openScene();
  const { db, hub } = context.scene;
  await insertRow(db, "subscriptions", { federationId: hub, email: "a@example.org", customerId: "cus_1" });
});
test.after(({ scene }) => scene.close());

const OWED: Subscription = {
  id: "sub_1",
  customer: "cus_1",
  federationId: null,
  status: "past_due",
  currency: "EUR",
  items: [],
  invoice: {
    id: "in_1",
    number: "WW-0007",
    status: "open",
    total: 1900,
    remaining: 1800,
    currency: "EUR",
    dueAt: null,
    url: "https://pay.example.org/i/secret",
  },
};

test("notifies hub admins and operators of overdue payments and refunds, and nobody else", async ({ scene }) => {
  const { db, hub, people } = scene;
  const other = await createTestUser(db, "other-hub-admin");
  await addHubAdmin(db, other, await insertHub(db, people.operator.id, "south"));
  await db.transact(async (tx) => {
    const row = (await lockSubscription(tx, hub))!;
    const refund = {
      id: "re_1",
      charge: "ch_1",
      status: "succeeded",
      amount: 500,
      currency: "EUR",
      createdAt: new Date(),
    };
    const audit = [...await saveSubscription(tx, row, OWED, {}), ...await recordRefunds(tx, hub, [refund])];
    await recordChange(tx, SYSTEM_REQUESTER, { audit });
  });
  const kindsFor = async (call: (path: string) => Promise<{ body: { kind: string }[] }>) =>
    (await call("/api/notifications")).body.map(({ kind }) => kind);
  const both = ["billing_subscription_refunded", "billing_subscription_past_due"];
  const expected: Readonly<Record<SceneRole, readonly string[]>> = {
    operator: both,
    hubAdmin: both,
    spokeAdmin: [],
    stranger: [],
  };
  for (const [who, kinds] of Object.entries(expected)) {
    assert.equal([who, await kindsFor(scene.as(who as SceneRole).get)], [who, kinds]);
    const { body } = await scene.as(who as SceneRole).get("/api/notifications/unread-count");
    assert.equal([who, body.count], [who, kinds.length]);
  }
  const cookie = `wheelwright=${(await createTestSession(db, other)).secret}`;
  assert.equal(await kindsFor((path) => scene.send(path, { headers: { cookie } })), []);
  assert.equal((await scene.as("spokeAdmin").get(`/api/spokes/${scene.spoke}/activity`)).body, []);
});

test("leaves an invoice's payment URL out of events", async ({ scene }) => {
  const { body } = await scene.as("operator").get("/api/audit");
  const [event] = (body as { kind: string; metadata: unknown }[]).filter(({ kind }) =>
    kind === "billing_subscription_past_due"
  );
  assert.equal(event!.metadata, {
    status: "past_due",
    amountDue: 1800,
    currency: "EUR",
    invoice: "WW-0007",
    dueAt: null,
  });
  assert.not.match(JSON.stringify(body), /pay\.example/);
});

test("logs differences for operators", () => {
  // deno-lint-ignore no-explicit-any
  const lines: any[] = [];
  const log = createLog({ level: "debug", format: "json", write: (line) => lines.push(JSON.parse(line)) });
  const about = { objectType: "federation", objectId: "fed_1", federationId: "fed_1" } as const;
  logBillingDifferences(log, [
    { kind: "billing_subscription_updated", ...about, metadata: {} },
    { kind: "billing_difference_found", ...about, metadata: { difference: "It has ended" } },
  ]);
  assert.equal(lines.map(({ level, federation, difference }) => [level, federation, difference]), [
    ["warn", "fed_1", "It has ended"],
  ]);
});

test.run();
