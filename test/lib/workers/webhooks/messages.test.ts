/** Test messages, repeated messages, secret rotation, and upkeep. */
import { Webhook } from "standardwebhooks";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { DAY } from "#lib/base/time.ts";
import { pruneDeliveries } from "#lib/workers/webhooks/upkeep.ts";
import { openWebhookScene, untilDelivered, type WebhookScene } from "./scene.ts";
import type { ReceivedMessage } from "#test/support/receiver.ts";
import { updateRows } from "#test/support/rows.ts";
import { until } from "#test/support/until.ts";

const test = suite<{ scene: WebhookScene }>("webhook messages");
test.before.each(async (context) => {
  context.scene = await openWebhookScene();
});
test.after.each(({ scene }) => scene.close());

const verifies = (secret: string, { body, headers }: ReceivedMessage): boolean => {
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
};
const pathOf = (scene: WebhookScene, id: string, rest = "") => `/api/federations/${scene.hub}/webhooks/${id}${rest}`;

test("sends a test message once, also while the webhook is disabled", async ({ scene }) => {
  const receiver = await scene.receiver(), { id, secret } = await scene.webhook(receiver.url);
  const admin = scene.as("hubAdmin", "cli");
  await admin.patch(pathOf(scene, id), { state: "disabled" });
  await scene.replica();
  receiver.respond = (_, response) => void response.writeHead(500).end("not yet");
  const { status, body: { messageId } } = await admin.post(pathOf(scene, id, "/test"));
  assert.is(status, 202);
  const [message] = await receiver.waitFor(1);
  assert.equal([message!.event.type, message!.headers["webhook-id"]], ["WebhookTest", messageId]);
  assert.ok(verifies(secret, message!));
  const delivery = await until(async () => (await admin.get(pathOf(scene, id, "/deliveries"))).body[0]);
  assert.equal([delivery.messageId, delivery.trigger, delivery.status, delivery.answer], [
    ...[messageId, "test", 500, "not yet"],
  ]);
  assert.equal([delivery.error, delivery.body], ["The receiver answered 500", message!.body]);
});

test("sends a message again with the same ID and body", async ({ scene }) => {
  const receiver = await scene.receiver(), { id } = await scene.webhook(receiver.url);
  const admin = scene.as("hubAdmin", "cli");
  await scene.replica();
  await scene.emit(1);
  await untilDelivered(scene, id);
  const [{ id: deliveryId }] = (await admin.get(pathOf(scene, id, "/deliveries"))).body;
  assert.is((await admin.post(pathOf(scene, id, `/deliveries/${deliveryId}/redeliver`))).status, 202);
  const [first, second] = await receiver.waitFor(2);
  assert.equal([second!.headers["webhook-id"], second!.body], [first!.headers["webhook-id"], first!.body]);
  await until(async () => (await scene.deliveries(id)).length === 2);
  assert.equal((await scene.deliveries(id)).map(({ trigger }) => trigger), ["event", "redelivery"]);
});

test("signs with both secrets for a day after a rotation", async ({ scene }) => {
  const receiver = await scene.receiver(), { id, secret: former } = await scene.webhook(receiver.url);
  const { status, body: { secret, formerSecretEndsAt } } = await scene.as("hubAdmin", "cli")
    .post(pathOf(scene, id, "/rotate-secret"));
  assert.is(status, 200);
  assert.is.not(secret, former);
  assert.ok(formerSecretEndsAt);
  await scene.replica();
  await scene.emit(1);
  const [during] = await receiver.waitFor(1);
  assert.equal([verifies(former, during!), verifies(secret, during!)], [true, true]);
  await scene.db.shiftClock(DAY + 1);
  await scene.emit(1);
  const [, after] = await receiver.waitFor(2);
  assert.equal([verifies(former, after!), verifies(secret, after!)], [false, true]);
});

test("enqueues events that were written while the webhook was being created", async ({ scene }) => {
  const receiver = await scene.receiver(), { id } = await scene.webhook(receiver.url);
  await scene.emit(2);
  await scene.db.rows.deleteFrom("jobs").where("kind", "=", "webhook").execute();
  await scene.replica(); // runs the upkeep job
  await receiver.waitFor(2);
  await untilDelivered(scene, id);
});

test("skips the events that were not delivered with from=now", async ({ scene }) => {
  const receiver = await scene.receiver(), { id } = await scene.webhook(receiver.url);
  const admin = scene.as("hubAdmin", "cli");
  await admin.patch(pathOf(scene, id), { state: "disabled" });
  await scene.emit(3);
  await admin.patch(`${pathOf(scene, id)}?from=now`, { state: "active" });
  await scene.emit(1);
  await scene.replica();
  const [message] = await receiver.waitFor(1);
  assert.is(message!.event.data.id, "4");
});

test("ends the webhooks of a removed hub once they have delivered its last event", async ({ scene }) => {
  const receiver = await scene.receiver(), { id } = await scene.webhook(receiver.url);
  receiver.respond = (_, response) => void response.writeHead(500).end();
  const webhooks = async () => (await scene.db.rows.selectFrom("webhooks").select("id").execute()).map(({ id }) => id);
  await updateRows(scene.db, "federations", { state: "removed", removedAt: await scene.db.now() }, { id: scene.hub });
  await scene.emit(1);
  const replica = await scene.replica();
  await until(async () => (await scene.cursor(id)).attempt === 1);
  assert.equal(await webhooks(), [id]);
  receiver.respond = (_, response) => void response.writeHead(204).end();
  await scene.retryNow();
  await untilDelivered(scene, id);
  await replica.close();
  await updateRows(scene.db, "jobs", { runAt: new Date(0) }, { kind: "keep-webhooks", state: "queued" });
  await scene.replica();
  await until(async () => (await webhooks()).length === 0);
});

test("keeps a thousand deliveries of the last 14 days", async ({ scene }) => {
  const { id } = await scene.webhook((await scene.receiver()).url), now = (await scene.db.now()).getTime();
  const row = (i: number, age: number) => ({
    ...{ id: `whd_${i}`, webhookId: id, trigger: "test" as const, messageId: "msg_1", type: "t", body: "{}" },
    ...{ federationId: null, number: null, attempt: 1, status: 200, answer: "", error: null, durationMs: 1 },
    createdAt: new Date(now - age),
  });
  await scene.db.rows.insertInto("webhook_deliveries").values([
    ...Array.from({ length: 1005 }, (_, i) => row(i, i * 1000)),
    row(2000, 15 * DAY),
  ]).execute();
  const run = { throwIfStopped: () => {} };
  await pruneDeliveries(scene.app).steps.deliveries!(run as never);
  const left = (await scene.deliveries(id)).map(({ id }) => id);
  assert.equal([left.length, left.includes("whd_1004"), left.includes("whd_2000"), left.includes("whd_0")], [
    ...[1000, false, false, true],
  ]);
});

test.run();
