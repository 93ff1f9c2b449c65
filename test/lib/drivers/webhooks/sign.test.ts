import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Webhook } from "standardwebhooks";
import { createMessageId, createWebhookHeaders, createWebhookSecret } from "#lib/drivers/webhooks/sign.ts";

const test = suite("createWebhookHeaders");

const now = () => Math.floor(Date.now() / 1000);

test("signs messages so that a library for Standard Webhooks verifies them", () => {
  const secret = createWebhookSecret(), body = JSON.stringify({ type: "SpokeUpdateActive", data: { name: "Grün" } });
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  const headers = createWebhookHeaders({ id: "msg_1", timestamp: now(), body }, [secret]);
  assert.equal(new Webhook(secret).verify(body, headers), JSON.parse(body));
  assert.throws(() => new Webhook(createWebhookSecret()).verify(body, headers));
  assert.throws(() => new Webhook(secret).verify(`${body} `, headers));
  assert.throws(() => new Webhook(secret).verify(body, { ...headers, "webhook-id": "msg_2" }));
});

test("signs with both secrets while one is rotated", () => {
  const former = createWebhookSecret(), current = createWebhookSecret();
  const headers = createWebhookHeaders({ id: "msg_1", timestamp: now(), body: "{}" }, [current, former]);
  assert.is(headers["webhook-signature"].split(" ").length, 2);
  for (const secret of [former, current]) assert.equal(new Webhook(secret).verify("{}", headers), {});
});

test("gives a repeated message the same ID, and other messages another one", () => {
  const id = createMessageId("whk_1", "fed_1", 7);
  assert.match(id, /^msg_[\w-]{27}$/);
  assert.is(createMessageId("whk_1", "fed_1", 7), id);
  for (const other of [createMessageId("whk_1", "fed_1", 8), createMessageId("whk_2", "fed_1", 7)]) {
    assert.is.not(other, id);
  }
});

test.run();
