import { suite } from "uvu";
import * as assert from "uvu/assert";
import { HOUR, SECOND } from "#lib/base/time.ts";
import type { ClientResponse } from "#test/support/client.ts";
import { openProvider, type Provider } from "#test/support/provider/provider.ts";
import { openScene, type Scene } from "#test/support/scene.ts";
import { deleteRows, insertRow } from "#test/support/rows.ts";

interface Context {
  provider: Provider;
  scene: Scene;
}

const URL = "/api/billing/webhook";
const CUSTOMER = "cus_north";

const test = suite<Context>("POST /api/billing/webhook");

test.before(async (context) => {
  context.provider = await openProvider();
  context.scene = await openScene({ env: context.provider.env });
  const { db, hub } = context.scene;
  await insertRow(db, "subscriptions", { federationId: hub, email: "pay@example.org", customerId: CUSTOMER });
});
test.after(async ({ provider, scene }) => {
  await scene.close();
  await provider.close();
});
test.before.each(async ({ scene: { db } }) => {
  await deleteRows(db, "billing_events");
  await deleteRows(db, "jobs");
});

type Shape = Readonly<Record<string, unknown>>;

/** Returns an event body of the provider with a unique ID. */
function event(more: Shape = {}, object: Shape = {}): string {
  const id = `evt_${crypto.randomUUID().replaceAll("-", "")}`;
  return JSON.stringify({
    id,
    object: "event",
    type: "customer.subscription.updated",
    api_version: "2026-10-28.endive",
    created: 1795262400,
    livemode: false,
    data: { object: { id: "sub_1", object: "subscription", customer: CUSTOMER, ...object } },
    ...more,
  });
}

type Headers = Readonly<Record<string, string>>;

async function deliver({ scene, provider }: Context, body: string, headers: Headers = {}): Promise<ClientResponse> {
  const at = Math.floor((await scene.db.now()).getTime() / SECOND);
  return await send(scene, body, { "stripe-signature": provider.sign(body, at), ...headers });
}

function send({ send }: Scene, body: BodyInit, headers: Headers): Promise<ClientResponse> {
  return send(URL, {
    method: "POST",
    body,
    headers: { "content-type": "application/json; charset=utf-8", ...headers },
  });
}

/** Returns the stored events without times. */
async function storedEvents({ scene: { db } }: Context): Promise<unknown[][]> {
  const rows = await db.sql(
    `select type, object_id, customer_id, federation_id, handled_at is not null as handled from billing_events order by 1`,
  );
  return rows.map((row) => Object.values(row));
}

async function jobs({ scene: { db } }: Context): Promise<unknown[]> {
  const rows = await db.sql(
    `select kind, jobs.federation_id as hub, lane is null as loose, visible
     from jobs join billing_events on billing_events.id = payload->>'event'`,
  );
  return rows.map((row) => ({ ...row }));
}

test("stores an event of a hub's subscription, and queues a job in the hub's lane", async (context) => {
  const { status, body } = await deliver(context, event());
  assert.equal([status, body], [200, { received: true }]);
  const { hub } = context.scene;
  assert.equal(await storedEvents(context), [["customer.subscription.updated", "sub_1", CUSTOMER, hub, false]]);
  assert.equal(await jobs(context), [{ kind: "billing-event", hub, loose: false, visible: false }]);
});

test("stores an event once, even if it arrives many times simultaneously", async (context) => {
  const body = event({ type: "invoice.payment_failed" }, { id: "in_1", object: "invoice" });
  const answers = await Promise.all(Array.from({ length: 10 }, () => deliver(context, body)));
  answers.push(await deliver(context, body));
  assert.equal([...new Set(answers.map(({ status }) => status))], [200]);
  assert.is((await storedEvents(context)).length, 1);
  assert.is((await jobs(context)).length, 1);
});

test("never calls the provider, whatever the state", async (context) => {
  const repair = context.provider.break({ what: "down" });
  const before = context.provider.calls.length;
  assert.is((await deliver(context, event())).status, 200);
  assert.is(context.provider.calls.length, before);
  repair();
});

test("stores and ignores events of unknown customers and irrelevant types", async (context) => {
  assert.is((await deliver(context, event({}, { customer: "cus_of_another_account" }))).status, 200);
  assert.is((await deliver(context, event({ type: "payout.paid" }))).status, 200);
  assert.is((await deliver(context, event({ type: "invoiceitem.created" }))).status, 200);
  const { hub } = context.scene;
  assert.equal(await storedEvents(context), [
    ["customer.subscription.updated", "sub_1", "cus_of_another_account", null, true],
    ["invoiceitem.created", "sub_1", CUSTOMER, hub, true],
    ["payout.paid", "sub_1", CUSTOMER, hub, true],
  ]);
  assert.equal(await jobs(context), []);
});

test("queues a job for a refund, whether its hub is known or not", async (context) => {
  const refund = { id: "re_1", object: "refund", charge: "ch_1", customer: undefined };
  await deliver(context, event({ type: "refund.created" }, refund));
  await deliver(context, event({ type: "charge.refunded" }, { id: "ch_1", object: "charge" }));
  const { hub } = context.scene;
  const found = await jobs(context);
  assert.equal(found.map((job) => (job as { hub: string | null }).hub).sort(), [hub, null].sort());
  assert.ok(found.every((job) => !(job as { loose: boolean }).loose), "a hanging provider must not block all lanes");
});

test("rejects IDs that cannot be the provider's", async (context) => {
  for (const id of ["../customers/cus_1", "sub 1", "sub_1?expand", "sub_\u0000", "é", "", "x".repeat(256)]) {
    assert.is((await deliver(context, event({ type: "refund.created" }, { id, customer: id }))).status, 200, id);
  }
  assert.equal([...new Set((await storedEvents(context)).map((row) => JSON.stringify(row)))], [
    JSON.stringify(["refund.created", null, null, null, true]),
  ]);
  assert.equal(await jobs(context), []);
});

test("ignores tokens, cookies and the origin", async (context) => {
  const { cookie } = await context.scene.as("stranger").credentials();
  for (
    const headers of [
      { authorization: "Bearer ww_cli_none" },
      { authorization: "Basic x" },
      { cookie: cookie! },
      { cookie: cookie!, origin: "https://elsewhere.example", "sec-fetch-site": "cross-site" },
      { "content-type": "text/plain" },
    ]
  ) assert.is((await deliver(context, event(), headers as unknown as Headers)).status, 200, JSON.stringify(headers));
  const operator = await context.scene.as("operator").credentials();
  assert.is((await send(context.scene, event(), operator)).status, 400, "an operator's token is not a signature");
});

test("rejects unsigned and old events, and stores nothing", async (context) => {
  const { scene, provider } = context;
  const body = event(), now = Math.floor((await scene.db.now()).getTime() / SECOND);
  const good = provider.sign(body, now), [, hex] = good.split(",v1=") as [string, string];
  const refused: readonly (readonly [string, string, Headers])[] = [
    ["no signature", body, {}],
    ["an empty one", body, { "stripe-signature": "" }],
    ["one of another secret", body, { "stripe-signature": provider.sign(body, now, "whsec_other") }],
    ["one of the secret key", body, { "stripe-signature": provider.sign(body, now, provider.key) }],
    ["one of another body", body, { "stripe-signature": provider.sign(`${body} `, now) }],
    ["a body changed by one byte", body.replace("sub_1", "sub_2"), { "stripe-signature": good }],
    ["a time that was not signed", body, { "stripe-signature": `t=${now - 1},v1=${hex}` }],
    ["another scheme", body, { "stripe-signature": `t=${now},v0=${hex}` }],
    ["no time", body, { "stripe-signature": `v1=${hex}` }],
    ["no number as its time", body, { "stripe-signature": `t=now,v1=${hex}` }],
    ["one of 301 seconds ago", body, { "stripe-signature": provider.sign(body, now - 302) }],
    ["a times' header of two", body, { "stripe-signature": `t=${now},${provider.sign(body, now - 400)}` }],
    ["nothing at all", "", { "stripe-signature": provider.sign("", now) }],
  ];
  for (const [what, sent, headers] of refused) {
    const { status, body } = await send(scene, sent, headers);
    assert.equal([what, status, body.error], [what, 400, "Bad Request"]);
    assert.not.match(body.message, /[0-9a-f]{16}|whsec|sk_/);
  }
  assert.equal(await storedEvents(context), []);
  assert.is((await send(scene, body, { "stripe-signature": provider.sign(body, now - 280) })).status, 200);
});

test("measures the age by the database's clock", async (context) => {
  const { scene, provider } = context;
  const body = event(), signed = Math.floor((await scene.db.now()).getTime() / SECOND);
  await scene.db.shiftClock(HOUR);
  try {
    assert.is((await send(scene, body, { "stripe-signature": provider.sign(body, signed) })).status, 400);
    assert.is((await deliver(context, body)).status, 200);
  } finally {
    await scene.db.shiftClock(0);
  }
});

test("rejects signed bodies that are not events, and stores nothing", async (context) => {
  const bodies = [
    ...["{}", "[]", "null", "0", '"evt_1"', "{", "\u0000", `${event()}\u0000`, '{"id": "evt_1"}'],
    event({ id: "e".repeat(300) }),
    event({ id: "" }),
    event({ id: "evt_1/../2" }),
    event({ id: "evt_\u0000" }),
    event({ id: 7 }),
    event({ type: "x".repeat(300) }),
    event({ type: "a\u0000b" }),
    event({ created: "today" }),
    event({ created: 1e15 }),
    event({ created: -1 }),
    event({ data: null }),
  ];
  for (const body of bodies) assert.is((await deliver(context, body)).status, 400, body.slice(0, 200));
  assert.equal(await storedEvents(context), []);
});

test("rejects bodies that are not UTF-8", async (context) => {
  const { scene, provider } = context;
  const now = Math.floor((await scene.db.now()).getTime() / SECOND);
  const text = event({ note: "\ufffd" }), bytes = new TextEncoder().encode(text);
  const at = bytes.findIndex((byte, i) => byte === 0xef && bytes[i + 1] === 0xbf);
  // A lenient decoder would produce the same text for both, and accept a signature of the other.
  const other = new Uint8Array([...bytes.slice(0, at), 0xff, ...bytes.slice(at + 3)]);
  assert.is((await send(scene, other, { "stripe-signature": provider.sign(text, now) })).status, 400);
  assert.is((await send(scene, bytes, { "stripe-signature": provider.sign(text, now) })).status, 200);
});

test("rejects oversized bodies", async (context) => {
  const body = event({ note: "x".repeat(context.scene.app.config.bodyLimitBytes) });
  assert.is((await deliver(context, body)).status, 413);
});

test.run();
