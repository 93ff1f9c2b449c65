/** Deliveries by replicas that die, and by several replicas at the same time. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { wrapStepFunctions } from "#lib/scheduler/handler.ts";
import { LeaseLapsedError } from "#lib/scheduler/stop-reasons.ts";
import { numbersOf, openWebhookScene, untilDelivered, type WebhookScene } from "./scene.ts";
import type { WebhookReceiver } from "#test/support/receiver.ts";
import { until } from "#test/support/until.ts";

const test = suite<{ scene: WebhookScene }>("deliverWebhook after crashes");
test.after.each(({ scene }) => scene.close());

/** The numbers in the order of their first arrival. Each repeated message must have the same ID and body. */
function firstArrivals({ messages }: WebhookReceiver): number[] {
  const first = new Map<unknown, string>();
  for (const { headers, body } of messages) {
    const id = headers["webhook-id"];
    assert.is(first.get(id) ?? body, body);
    first.set(id, body);
  }
  return [...new Set(numbersOf(messages))];
}

test("repeats a message with the same ID if a replica dies after sending it", async (context) => {
  let deaths = 0;
  const scene = context.scene = await openWebhookScene((app) => ({
    ...app,
    webhookSender: {
      ...app.webhookSender,
      async send(message, signal) {
        const result = await app.webhookSender.send(message, signal);
        if (deaths++ < 2) throw new LeaseLapsedError(); // the replica dies before it records the answer
        return result;
      },
    },
  }));
  const receiver = await scene.receiver(), { id } = await scene.webhook(receiver.url);
  await scene.replica();
  await scene.replica();
  await scene.emit(3);
  await untilDelivered(scene, id);
  assert.equal(firstArrivals(receiver), [1, 2, 3]);
  assert.is(receiver.messages.length, 5);
});

test("loses nothing if replicas die before and after their work", async (context) => {
  const scene = context.scene = await openWebhookScene(), died = new Set<string>();
  const receiver = await scene.receiver(), { id } = await scene.webhook(receiver.url);
  const dying = () =>
    scene.replica((handler) =>
      handler.kind.kind !== "webhook" ? handler : wrapStepFunctions(handler, (work) => async (run) => {
        const fate = ["before", "after"].find((each) => !died.has(each));
        if (fate) died.add(fate);
        if (fate === "before") throw new LeaseLapsedError();
        await work(run);
        if (fate === "after") throw new LeaseLapsedError();
      })
    );
  await dying();
  await dying();
  for (let i = 0; i < 5; i++) {
    await scene.emit(2);
    await until(() => Promise.resolve(receiver.messages.length >= i)); // spreads the events over several jobs
  }
  await untilDelivered(scene, id);
  assert.equal(firstArrivals(receiver), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  assert.is(receiver.messages.length, 10);
  assert.equal([...died], ["before", "after"]);
});

test("delivers each event once and in order with two replicas and concurrent writers", async (context) => {
  const scene = context.scene = await openWebhookScene();
  const receiver = await scene.receiver(), { id } = await scene.webhook(receiver.url);
  await scene.replica();
  await scene.replica();
  await Promise.all(Array.from({ length: 4 }, () => scene.emit(10)));
  await untilDelivered(scene, id);
  assert.equal(numbersOf(receiver.messages), Array.from({ length: 40 }, (_, i) => i + 1));
});

test("continues after a restart of all replicas, without a further event", async (context) => {
  const scene = context.scene = await openWebhookScene();
  const receiver = await scene.receiver(), { id } = await scene.webhook(receiver.url);
  receiver.respond = () => {};
  const first = await scene.replica();
  await scene.emit(2);
  await receiver.waitFor(1);
  await first.close();
  receiver.respond = (_, response) => void response.writeHead(204).end();
  await scene.replica();
  await untilDelivered(scene, id);
  assert.equal(firstArrivals(receiver), [1, 2]);
});

test.run();
