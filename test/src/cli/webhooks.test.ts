/** Webhooks on the command line: from creation to the answer of a test, and events that are forwarded. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Webhook } from "standardwebhooks";
import { SYSTEM_REQUESTER } from "#lib/audit/requester.ts";
import { recordChange } from "#lib/changes/record.ts";
import { openScheduler } from "#lib/scheduler/scheduler.ts";
import { createHandlers } from "#lib/workers/handlers.ts";
import { openStage, type Stage } from "#test/lib/client/stage.ts";
import { openReceiver, type WebhookReceiver } from "#test/support/receiver.ts";
import { createTestToken } from "#test/support/users.ts";
import { type CliFixture, openCliFixture } from "./cli-fixture.ts";

const test = suite<{ stage: Stage; cli: CliFixture; receiver: WebhookReceiver }>("wheelwright webhooks");

test.before(async (context) => {
  const { scene, proxy } = context.stage = await openStage();
  const { plaintext } = await createTestToken(scene.db, scene.people.hubAdmin, "cli");
  context.cli = await openCliFixture({ WHEELWRIGHT_URL: proxy.url, WHEELWRIGHT_TOKEN: plaintext });
  context.receiver = await openReceiver();
});
test.after(async ({ stage, cli, receiver }) => {
  await cli.close();
  await receiver.close();
  await stage.close();
});

test("a hub admin creates a webhook, tests it, and sends a message again", async ({ stage: { scene }, cli, receiver }) => {
  const handlers = createHandlers(scene.app).filter(({ kind }) => kind.separate);
  const scheduler = await openScheduler(scene.app, { handlers, lanes: 1 });
  const secret = (await cli.run(["webhooks", "create", receiver.url, "--hub", "north"])).out.trim();
  const id = (await cli.run(["webhooks", "list", "--hub", "north", "-q"])).out.trim();
  const tested = await cli.run(["webhooks", "test", id]);
  assert.equal([tested.status, /The receiver answered 204/.test(tested.err)], [0, true], tested.err);
  const { body, headers } = receiver.messages[0]!;
  new Webhook(secret).verify(body, headers as Record<string, string>);
  const [delivery] = JSON.parse((await cli.run(["webhooks", "deliveries", id, "--json=id,type,status"])).out);
  assert.equal([delivery.type, delivery.status], ["WebhookTest", 204]);
  receiver.respond = (_, response) => void response.writeHead(500).end();
  const again = await cli.run(["webhooks", "redeliver", id, delivery.id]);
  assert.equal([again.status, /The receiver answered 500/.test(again.err)], [1, true], again.err);
  assert.is(receiver.messages[1]!.headers["webhook-id"], headers["webhook-id"]);
  await scheduler.close();
});

test("listen forwards events with a signature, until the hub is removed", async ({ stage: { scene }, cli, receiver }) => {
  receiver.messages.length = 0;
  receiver.respond = ({ event }, response) => void response.writeHead(event.type === "StreamEnd" ? 500 : 204).end();
  const emit = (state: string) =>
    scene.db.transact((tx) =>
      recordChange(tx, SYSTEM_REQUESTER, { events: [{ federationId: scene.hub, spokeId: null, state }] })
    );
  await emit("active");
  const running = cli.run(["webhooks", "listen", "--hub", "north", "--forward", receiver.url]);
  await receiver.waitFor(1); // the newest event
  await emit("removed");
  const { status, out, err } = await running;
  assert.is(status, 0, err);
  const secret = /whsec_\S+/.exec(err)![0];
  for (const { body, headers } of receiver.messages) {
    new Webhook(secret).verify(body, headers as Record<string, string>);
  }
  assert.equal(out.trim().split("\n").map((line) => line.split("\t").slice(2)), [
    ["FederationUpdateActive", "204"],
    ["FederationUpdateRemoved", "204"],
    ["StreamEnd", "500"],
  ]);
});

test.run();
