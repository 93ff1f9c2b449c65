/** Webhooks of hubs and of the installation: who may do what, limits, and refused receivers. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openReceiver } from "#test/support/receiver.ts";
import { insertHub } from "#test/support/insert-rows.ts";
import { openScene, type Scene } from "#test/support/scene.ts";
import { ageSession, createTestSession } from "#test/support/users.ts";

const URL = "https://93.184.216.34/hook?key=s3cret";

const test = suite<{ scene: Scene; path: string }>("/api/federations/:federationId/webhooks");
test.before.each(async (context) => {
  context.scene = await openScene();
  context.path = `/api/federations/${context.scene.hub}/webhooks`;
});
test.after.each(({ scene }) => scene.close());

test("creates a webhook, and shows its secret once", async ({ scene, path }) => {
  const admin = scene.as("hubAdmin", "cli"), eventTypes = ["SpokeUpdateFailed", "SpokeUpdateFailed"];
  const { status, headers, body } = await admin.post(path, { url: URL, eventTypes, description: "Tickets" });
  assert.is(status, 201);
  assert.is(headers.get("location"), `${path}/${body.id}`);
  assert.match(body.secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  const { secret: _, ...shown } = body;
  assert.equal([shown.url, shown.eventTypes, shown.state, shown.description], [
    ...[URL, ["SpokeUpdateFailed"], "active", "Tickets"],
  ]);
  assert.equal((await admin.get(`${path}/${body.id}`)).body, shown);
  assert.equal((await admin.get(path)).body, [shown]);
  const [{ secret }] = await scene.db.sql("select secret from webhooks");
  assert.not.match(secret, body.secret.slice("whsec_".length));
});

test("writes audit events with the receiver's host, never with the rest of its URL or the secret", async ({ scene, path }) => {
  const admin = scene.as("hubAdmin", "cli");
  const { body: { id, secret } } = await admin.post(path, { url: URL });
  await admin.patch(`${path}/${id}`, { description: "x" });
  await admin.post(`${path}/${id}/rotate-secret`);
  await admin.post(`${path}/${id}/test`);
  await admin.delete(`${path}/${id}`);
  const { body } = await scene.as("operator").get(`/api/audit?objectId=${id}`);
  assert.equal(body.map(({ kind }: { kind: string }) => kind), [
    ...["webhook_deleted", "webhook_tested", "webhook_secret_rotated", "webhook_updated", "webhook_created"],
  ]);
  assert.ok(body.every(({ metadata }: { metadata: { host: string } }) => metadata.host === "93.184.216.34"));
  for (const text of ["s3cret", secret]) assert.not.match(JSON.stringify(body), text);
});

test("refuses receivers that are not public, at creation and at a change", async ({ scene, path }) => {
  const admin = scene.as("hubAdmin", "cli"), { body: { id } } = await admin.post(path, { url: URL });
  const urls = ["https://10.0.0.1/", "https://169.254.169.254/latest", "https://[fd00::1]/", "http://93.184.216.34/"];
  for (const url of urls) {
    for (const { status, body } of [await admin.post(path, { url }), await admin.patch(`${path}/${id}`, { url })]) {
      assert.equal([status, body.code], [400, "webhook_address"], url);
    }
  }
  for (const url of ["ftp://93.184.216.34/", "https://a:b@93.184.216.34/", "https://", "", "https://x.example/ a"]) {
    assert.equal((await admin.post(path, { url })).body.code, "invalid_input", url);
  }
});

test("allows ten webhooks per hub, also for concurrent requests", async ({ scene, path }) => {
  const admin = scene.as("hubAdmin", "cli");
  const replies = await Promise.all(Array.from({ length: 14 }, () => admin.post(path, { url: URL })));
  assert.is(replies.filter(({ status }) => status === 201).length, 10);
  assert.ok(replies.every(({ status, body }) => status === 201 || body.code === "too_many_webhooks"));
});

test("is for admins of the hub and operators only", async ({ scene, path }) => {
  const { body: { id } } = await scene.as("hubAdmin", "cli").post(path, { url: URL });
  for (const [who, status] of [["spokeAdmin", 403], ["stranger", 404], ["nobody", 401]] as const) {
    assert.is((await scene.as(who, "cli").get(path)).status, status, who);
    assert.is((await scene.as(who, "cli").get(`${path}/${id}/deliveries`)).status, status, who);
    assert.is((await scene.as(who, "cli").post(path, { url: URL })).status, status, who);
  }
  const south = await insertHub(scene.db, scene.people.operator.id, "south");
  assert.is((await scene.as("operator").get(`/api/federations/${south}/webhooks/${id}`)).status, 404);
});

test("shows the webhooks of the installation to operators, and finds webhooks by ID", async ({ scene, path }) => {
  const operator = scene.as("operator", "cli"), admin = scene.as("hubAdmin", "cli");
  const { body: { id } } = await operator.post("/api/webhooks", { url: URL });
  const { body: { id: hubId } } = await admin.post(path, { url: URL });
  assert.equal((await operator.get("/api/webhooks")).body.map(({ id }: { id: string }) => id), [id]);
  assert.is((await admin.get("/api/webhooks")).status, 403);
  assert.is((await admin.get(`/api/webhooks/${id}`)).status, 404);
  assert.is((await admin.get(`/api/webhooks/${hubId}`)).status, 200);
  assert.is((await scene.as("spokeAdmin").get(`/api/webhooks/${hubId}`)).status, 404);
  assert.is((await operator.get(`/api/webhooks/${hubId}`)).body.federationId, scene.hub);
});

test("requires a recent sign-in to change the URL, but not to disable", async ({ scene, path }) => {
  const { body: { id } } = await scene.as("hubAdmin", "cli").post(path, { url: URL });
  const session = await createTestSession(scene.db, scene.people.hubAdmin);
  await ageSession(scene.db, session);
  const patch = (body: object) =>
    scene.send(`${path}/${id}`, {
      method: "PATCH",
      headers: { cookie: `wheelwright=${session.secret}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  assert.equal((await patch({ url: URL })).body.code, "recent_sign_in_required");
  const { status, body } = await patch({ state: "disabled" });
  assert.equal([status, body.state, body.disabledReason], [
    ...[200, "disabled", `Disabled by ${scene.people.hubAdmin.email}`],
  ]);
});

test("names SECRETS_KEY if it is missing", async () => {
  const scene = await openScene({ env: { SECRETS_KEY: "" } });
  const { status, body } = await scene.as("operator", "cli").post("/api/webhooks", { url: URL });
  assert.equal([status, body.code], [409, "secrets_key_missing"]);
  assert.match(body.message, "SECRETS_KEY");
  await scene.close();
});

test("sends nothing to a stored loopback address outside of dev", async () => {
  const receiver = await openReceiver(), { app, ...scene } = await openScene();
  const { openWebhookSender } = await import("#lib/drivers/webhooks/sender.ts");
  const sender = openWebhookSender({ lookUp: app.dns.addresses, allowedNetworks: [], version: "1" });
  const message = { webhookId: "whk_1", url: receiver.url, messageId: "msg_1", body: "{}", secrets: [] };
  const result = await sender.send(message, new AbortController().signal);
  assert.ok(
    "error" in result && result.error === "Nothing was sent, because its address is private, local or reserved",
  );
  assert.is(receiver.messages.length, 0);
  await receiver.close();
  await scene.close();
});

test.run();
