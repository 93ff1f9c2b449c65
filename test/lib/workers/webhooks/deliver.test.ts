/** Delivery of events to receivers that work and fail. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Webhook } from "standardwebhooks";
import { numbersOf, openWebhookScene, untilDelivered, type WebhookScene } from "./scene.ts";
import { insertHub } from "#test/support/insert-rows.ts";
import { DAY } from "#lib/base/time.ts";
import { updateRows } from "#test/support/rows.ts";
import { until } from "#test/support/until.ts";

const test = suite<{ scene: WebhookScene }>("deliverWebhook");
test.before.each(async (context) => {
  context.scene = await openWebhookScene();
});
test.after.each(({ scene }) => scene.close());

test("delivers a hub's events once, in order, signed, as the event stream sends them", async ({ scene }) => {
  const receiver = await scene.receiver(), { id, secret } = await scene.webhook(receiver.url);
  await scene.replica();
  await scene.emit(5);
  const messages = await receiver.waitFor(5);
  assert.equal(numbersOf(messages), [1, 2, 3, 4, 5]);
  for (const { body, headers, event } of messages) {
    assert.equal(new Webhook(secret).verify(body, headers as Record<string, string>), event);
    assert.equal([event.type, event.timestamp], ["SpokeUpdateActive", event.data.at as string]);
    assert.equal([event.data.spokeId, event.data.federationId], [scene.spoke, scene.hub]);
  }
  assert.is(new Set(messages.map(({ headers }) => headers["webhook-id"])).size, 5);
  await untilDelivered(scene, id);
  assert.equal((await scene.deliveries(id)).map(({ number, status, error }) => [Number(number), status, error]), [
    ...[1, 2, 3, 4, 5].map((number) => [number, 204, null]),
  ]);
});

test("sends no event from before its creation, and only the selected types", async ({ scene }) => {
  const receiver = await scene.receiver();
  await scene.emit(2);
  const { id } = await scene.webhook(receiver.url, scene.hub, { eventTypes: ["SpokeUpdateFailed"] });
  await scene.replica();
  await scene.emit(2);
  await scene.emit(1, scene.hub, "failed");
  assert.equal(numbersOf(await receiver.waitFor(1)), [5]);
  assert.is(receiver.messages[0]!.event.type, "SpokeUpdateFailed");
  await untilDelivered(scene, id);
  assert.is(receiver.messages.length, 1);
});

test("delivers the events of all hubs to a webhook of the installation, also of a new hub", async ({ scene }) => {
  const receiver = await scene.receiver(), { id } = await scene.webhook(receiver.url, null);
  await scene.replica();
  const south = await insertHub(scene.db, scene.people.operator.id, "south");
  await scene.emit(2);
  await scene.emit(2, south);
  const messages = await receiver.waitFor(4);
  for (const hub of [scene.hub, south]) {
    assert.equal(numbersOf(messages.filter(({ event }) => event.data.federationId === hub)), [1, 2]);
    await untilDelivered(scene, id, hub);
  }
});

test("keeps the order while the receiver fails, and repeats a message with the same ID", async ({ scene }) => {
  const receiver = await scene.receiver(), { id } = await scene.webhook(receiver.url);
  receiver.respond = (_, response) => void response.writeHead(500).end("no");
  await scene.replica();
  await scene.emit(3);
  await receiver.waitFor(1);
  await until(async () => (await scene.cursor(id)).attempt === 1);
  assert.ok((await scene.cursor(id)).failingSince);
  await scene.emit(1); // another job starts, but does not try before its time
  await scene.retryNow();
  await receiver.waitFor(2);
  await until(async () => (await scene.cursor(id)).attempt === 2);
  receiver.respond = (_, response) => void response.writeHead(200).end();
  await scene.retryNow();
  assert.equal(numbersOf(await receiver.waitFor(6)), [1, 1, 1, 2, 3, 4]);
  assert.is(new Set(receiver.messages.slice(0, 3).map(({ headers }) => headers["webhook-id"])).size, 1);
  await untilDelivered(scene, id);
  assert.equal(await scene.cursor(id), { number: 4, attempt: 0, failingSince: null });
  assert.equal((await scene.deliveries(id)).map(({ attempt, status }) => [attempt, status]), [
    ...[[1, 500], [2, 500], [3, 200], [1, 200], [1, 200], [1, 200]],
  ]);
});

test("does not delay other hubs' deliveries while a receiver hangs", async ({ scene }) => {
  const hanging = await scene.receiver(), receiver = await scene.receiver();
  hanging.respond = () => {};
  const south = await insertHub(scene.db, scene.people.operator.id, "south");
  for (let i = 0; i < 10; i++) await scene.webhook(`${hanging.url}/${i}`);
  const { id } = await scene.webhook(receiver.url, south);
  await scene.replica();
  await scene.emit(1);
  await hanging.waitFor(8); // as many as one host gets at the same time
  await scene.emit(3, south);
  assert.equal(numbersOf(await receiver.waitFor(3)), [1, 2, 3]);
  await untilDelivered(scene, id, south);
  assert.is(hanging.messages.length, 8);
});

test("is disabled after three days without a success, with an event and an email", async ({ scene }) => {
  const receiver = await scene.receiver(), { id } = await scene.webhook(receiver.url);
  receiver.respond = (_, response) => void response.writeHead(503).end();
  await scene.replica();
  await scene.emit(1);
  await until(async () => (await scene.cursor(id)).attempt === 1);
  await scene.db.shiftClock(3 * DAY);
  await scene.retryNow();
  const disabled = await until(async () => {
    const { body } = await scene.as("hubAdmin").get(`/api/federations/${scene.hub}/webhooks/${id}`);
    return body.state === "disabled" ? body : null;
  });
  const reason = "No delivery succeeded for 3 days. The last problem: The receiver answered 503";
  assert.is(disabled.disabledReason, reason);
  const { body: notifications } = await scene.as("hubAdmin").get("/api/notifications");
  assert.equal([notifications[0].kind, notifications[0].metadata.reason], ["webhook_disabled", reason]);
  const mails = await scene.db.rows.selectFrom("jobs").select("payload").where("kind", "=", "mail").execute();
  assert.equal(mails.map(({ payload: { letter } }) => [letter.template, letter.to.email, letter.about.hub]), [
    ["webhook-disabled", scene.people.hubAdmin.email, "north"],
  ]);
  await scene.emit(1);
  receiver.respond = (_, response) => void response.writeHead(204).end();
  await scene.as("hubAdmin", "cli").patch(`/api/federations/${scene.hub}/webhooks/${id}`, { state: "active" });
  assert.equal(numbersOf((await receiver.waitFor(4)).slice(-2)), [1, 2]);
  await untilDelivered(scene, id);
});

test("is disabled immediately if the receiver is gone", async ({ scene }) => {
  const receiver = await scene.receiver(), { id } = await scene.webhook(receiver.url);
  receiver.respond = (_, response) => void response.writeHead(410).end();
  await scene.replica();
  await scene.emit(2);
  await until(async () => {
    const { body } = await scene.as("operator").get(`/api/federations/${scene.hub}/webhooks/${id}`);
    return body.disabledReason === "The receiver answered 410 (Gone)";
  });
  assert.is(receiver.messages.length, 1);
});

test("reports that events were deleted before they could be delivered", async ({ scene }) => {
  const receiver = await scene.receiver(), { id } = await scene.webhook(receiver.url);
  await scene.emit(4);
  await updateRows(scene.db, "stream_heads", { prunedThrough: "3" }, { federationId: scene.hub });
  await scene.replica();
  const messages = await receiver.waitFor(2);
  assert.equal(messages.map(({ event }) => [event.type, event.data.id]), [["StreamReset", "3"], [
    "SpokeUpdateActive",
    "4",
  ]]);
  await untilDelivered(scene, id);
});

test.run();
