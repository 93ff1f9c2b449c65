/** Tests restore requests: creation by hub admins, visibility, and decision by operators. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createId } from "#lib/base/ids.ts";
import { createTestUser } from "#test/support/users.ts";
import { parsePage } from "#test/support/page.ts";
import { openScene, type Scene } from "#test/support/scene.ts";

const test = suite<{ scene: Scene; path: string; backupId: string }>("/api/spokes/{spokeId}/restore-requests");
test.before.each(async (context) => {
  const scene = context.scene = await openScene({ env: { PORTAL: "on" } });
  context.path = `/api/spokes/${scene.spoke}/restore-requests`;
  context.backupId = await backup(scene);
});
test.after.each(({ scene }) => scene.close());

async function backup({ db, spoke, hub }: Scene): Promise<string> {
  const id = createId("bak");
  await db.rows.insertInto("backups").values({
    id,
    spokeId: spoke,
    federationId: hub,
    operationId: createId("op"),
    cluster: "default",
    namespace: "spoke-oak",
    kind: "nightly",
    state: "ready",
    readyAt: new Date(),
  }).execute();
  return id;
}

const kinds = async ({ db }: Scene) =>
  (await db.sql("select kind from audit_events where kind like 'restore_%' order by at")).map(({ kind }) => kind);

test("POST notifies and emails the operators, who see the command", async ({ scene, path, backupId }) => {
  const reason = "A course was <b>deleted</b>";
  const { status, body, headers } = await scene.as("hubAdmin", "cli").post(path, { backupId, reason });
  assert.is(status, 201, JSON.stringify(body));
  assert.is(headers.get("location"), path);
  assert.equal([body.state, body.backupId, body.reason, body.command, body.requestedBy.email], [
    "open",
    backupId,
    reason,
    null,
    scene.people.hubAdmin.email,
  ]);
  const { body: all } = await scene.as("operator", "readonly").get("/api/restore-requests?state=open");
  assert.equal(all.map((each: { id: string }) => each.id), [body.id]);
  assert.is(all[0].command, `wheelwright restore ${scene.spoke} --backup ${backupId}`);
  const mails = await scene.db.sql("select payload from jobs where lane like 'bulk-mail:%'");
  assert.equal(mails.map(({ payload }) => [payload.letter.template, payload.letter.to.email]), [
    ["restore-requested", scene.people.operator.email],
  ]);
  assert.is(mails[0]!.payload.letter.about.command, all[0].command);
  assert.equal(await kinds(scene), ["restore_requested"]);
  const { body: events } = await scene.as("operator").get("/api/notifications");
  assert.is(events[0].kind, "restore_requested");
});

test("POST creates one open request per backup, repeatable by its key", async ({ scene, path, backupId }) => {
  const ask = (key: string) => scene.as("hubAdmin").post(path, { backupId, reason: "Why" }, { "idempotency-key": key });
  const [first, again] = [await ask("one"), await ask("one")];
  assert.equal([first.status, again.status, again.body.id], [201, 201, first.body.id]);
  const other = await ask("two");
  assert.equal([other.status, other.body.code], [409, "restore_requested"]);
  assert.equal(await kinds(scene), ["restore_requested"]);
});

test("POST refuses a backup that is not ready or another spoke's, and an eleventh request", async (context) => {
  const { scene, path, backupId } = context;
  await scene.db.sql("update backups set state = 'failed', failed_at = now() where id = $1", [backupId]);
  for (const id of [backupId, createId("bak")]) {
    const { status, body } = await scene.as("hubAdmin").post(path, { backupId: id, reason: "Why" });
    assert.equal([status, body.code], [409, "backup_unusable"]);
  }
  for (let i = 0; i < 10; i++) {
    const { status } = await scene.as("hubAdmin").post(path, { backupId: await backup(scene), reason: "Why" });
    assert.is(status, 201);
  }
  const { body } = await scene.as("hubAdmin").post(path, { backupId: await backup(scene), reason: "Why" });
  assert.is(body.code, "too_many_pending");
  const mails = await scene.db.sql("select id from jobs where lane like 'bulk-mail:%'");
  assert.is(mails.length, 1, "only the first request of a user within an hour is emailed");
});

test("is for hub admins, and its decision for operators", async ({ scene, path, backupId }) => {
  assert.is((await scene.as("spokeAdmin").get(path)).status, 403);
  assert.is((await scene.as("spokeAdmin").post(path, { backupId, reason: "Why" })).status, 403);
  assert.is((await scene.as("stranger").get(path)).status, 404);
  assert.is((await scene.as("hubAdmin").get("/api/restore-requests")).status, 403);
  const decide = `/api/restore-requests/${createId("rsr")}/decide`;
  assert.is((await scene.as("hubAdmin").post(decide, { state: "done" })).status, 403);
  assert.is((await scene.as("operator").post(decide, { state: "done" })).status, 404);
});

test("decide declines once, with a reason that the requester sees", async ({ scene, path, backupId }) => {
  const { body: { id } } = await scene.as("hubAdmin").post(path, { backupId, reason: "Why" });
  const decide = (body: object) => scene.as("operator", "cli").post(`/api/restore-requests/${id}/decide`, body);
  assert.is((await decide({ state: "declined" })).body.code, "reason_needed");
  assert.is((await decide({ state: "done", declineReason: "Restored" })).body.code, "reason_unused");
  const { status, body } = await decide({ state: "declined", declineReason: "Too old" });
  assert.equal([status, body.state, body.declineReason, body.decidedBy.email], [
    200,
    "declined",
    "Too old",
    scene.people.operator.email,
  ]);
  assert.is((await decide({ state: "done" })).body.code, "request_decided");
  const { body: [shown] } = await scene.as("hubAdmin").get(path);
  assert.equal([shown.state, shown.declineReason], ["declined", "Too old"]);
  assert.equal(await kinds(scene), ["restore_requested", "restore_request_declined"]);
  const { status: anew } = await scene.as("hubAdmin").post(path, { backupId, reason: "Still" });
  assert.is(anew, 201);
});

test("works on the backups page", async ({ scene, backupId }) => {
  const path = `/spokes/${scene.spoke}/backups`;
  assert.not.match((await parsePage(scene, path, "spokeAdmin")).text, "Restore requests");
  const page = await parsePage(scene, path, "hubAdmin");
  const wrong = await page.submit("Request a restore", { Reason: "" });
  assert.is(wrong.status, 400);
  const done = await wrong.submit("Request a restore", { Reason: "A course <i>is</i> gone" });
  assert.match(done.text, "Restore requested");
  assert.match(done.text, "A course <i>is</i> gone");
  assert.not.match(done.text, "wheelwright restore");
  assert.match((await parsePage(scene, "/requests", "operator")).text, scene.people.hubAdmin.email);
  const own = await parsePage(scene, path, "operator");
  assert.match(own.text, `wheelwright restore ${scene.spoke} --backup ${backupId}`);
  const { body: [{ id }] } = await scene.as("operator").get("/api/restore-requests");
  const marked = await own.submit(`Mark as done ${id}`, {});
  assert.match(marked.text, "Request marked as done");
  assert.match((await parsePage(scene, path, "hubAdmin")).text, "Done");
});

test("is decided by one of two operators, and created once of two simultaneous requests", async ({ scene, path, backupId }) => {
  const responses = await Promise.all([1, 2].map(() => scene.as("hubAdmin").post(path, { backupId, reason: "Why" })));
  assert.equal(responses.map(({ status }) => status).sort(), [201, 409]);
  await createTestUser(scene.db, "second", { operator: true });
  const id = responses.find(({ status }) => status === 201)!.body.id;
  const decided = await Promise.all(
    [{ state: "done" }, { state: "declined", declineReason: "Why" }].map((body) =>
      scene.as("operator").post(`/api/restore-requests/${id}/decide`, body)
    ),
  );
  assert.equal(decided.map(({ status }) => status).sort(), [200, 409]);
});

test.run();
