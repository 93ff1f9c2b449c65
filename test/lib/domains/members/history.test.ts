/** Tests that events before a membership count as read, for each way to become a member. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { assertCountsAreExact } from "#test/lib/domains/notifications/recount.ts";
import { recordEvents, resetNotifications } from "#test/lib/domains/notifications/record-events.ts";
import { openScene, type Scene, type SceneRole } from "#test/support/scene.ts";
import { insertSpoke } from "#test/support/insert-rows.ts";
import { deleteRows, selectRows } from "#test/support/rows.ts";

const test = suite<{ scene: Scene }>("markHistoryAsRead");

test.before(async (context) => {
  context.scene = await openScene();
});
test.after(({ scene }) => scene.close());
test.before.each(({ scene }) => resetNotifications(scene));

const delegate = async ({ as, people, spoke }: Scene, who: SceneRole, id = spoke) =>
  assert.is((await as("operator").post(`/api/spokes/${id}/delegate`, { email: people[who].email })).status, 200);
const invite = async ({ as, people, hub }: Scene, who: SceneRole) =>
  assert.is(
    (await as("operator").post(`/api/federations/${hub}/members`, { email: people[who].email })).status,
    200,
  );
const unread = async ({ as }: Scene, who: SceneRole) =>
  (await as(who).get("/api/notifications/unread-count")).body.count;
const kinds = async ({ as }: Scene, who: SceneRole, query = "") =>
  (await as(who).get(`/api/notifications${query}`)).body.map((
    { kind, read, readAt }: { kind: string; read: boolean; readAt: string | null },
  ) => [kind, read, readAt]);

test("marks events from before the membership as read for a new spoke admin", async ({ scene }) => {
  const { db, hub, spoke } = scene;
  await recordEvents(db, { hub, spoke }, { hub, spoke }, { hub });
  await delegate(scene, "stranger");
  assert.is(await unread(scene, "stranger"), 1);
  assert.equal(await kinds(scene, "stranger"), [
    ["spoke_delegated", false, null],
    ["spoke_actioned", true, null],
    ["spoke_actioned", true, null],
  ]);
  assert.equal(await kinds(scene, "stranger", "?unreadOnly=true"), [["spoke_delegated", false, null]]);
  await recordEvents(db, { hub, spoke });
  assert.is(await unread(scene, "stranger"), 2);
  assert.equal((await scene.as("stranger").post("/api/notifications/read-all")).body, { marked: 2 });
  await assertCountsAreExact(db);
});

test("ignores marking events from before the membership", async ({ scene }) => {
  const { db, hub, spoke } = scene;
  await recordEvents(db, { hub, spoke });
  const [{ id }] = await selectRows(db, "audit_events", { kind: "spoke_actioned" }, { columns: ["id"] });
  await delegate(scene, "stranger");
  const { status, body } = await scene.as("stranger").post(`/api/notifications/${id}/read`);
  assert.equal([status, body.read, body.readAt], [200, true, null]);
  assert.is(await unread(scene, "stranger"), 1);
  await assertCountsAreExact(db);
});

test("marks a hub's history as read for a new admin, except unread events of the admin's own spokes", async ({ scene }) => {
  const { db, hub, spoke, people } = scene;
  const elm = await insertSpoke(db, people.operator.id, hub, "elm");
  await recordEvents(db, { hub, spoke: elm }, { hub });
  await delegate(scene, "stranger");
  await recordEvents(db, { hub, spoke }, { hub, spoke: elm }, { hub });
  await invite(scene, "stranger");
  assert.is(await unread(scene, "stranger"), 2);
  assert.equal(await kinds(scene, "stranger", "?unreadOnly=true"), [
    ["spoke_actioned", false, null],
    ["spoke_delegated", false, null],
  ]);
  await assertCountsAreExact(db);
  await deleteRows(db, "federation_members", { userId: people.stranger.id });
  assert.is(await unread(scene, "stranger"), 2);
});

test("leaves the history unchanged when all is marked as read", async ({ scene }) => {
  const { db, hub, spoke, people } = scene;
  const elm = await insertSpoke(db, people.operator.id, hub, "elm");
  await delegate(scene, "stranger");
  await recordEvents(db, { hub, spoke }, { hub, spoke: elm }, { hub });
  await invite(scene, "stranger");
  assert.equal((await scene.as("stranger").post("/api/notifications/read-all")).body, { marked: 2 });
  await assertCountsAreExact(db);
});

test("keeps unread events of users who could already see the object", async ({ scene }) => {
  const { db, hub, spoke } = scene;
  await recordEvents(db, { hub, spoke }, { hub });
  await delegate(scene, "hubAdmin");
  assert.is(await unread(scene, "hubAdmin"), 3);
  await delegate(scene, "operator");
  await invite(scene, "operator");
  assert.is(await unread(scene, "operator"), 4);
  await assertCountsAreExact(db);
});

test("skips the events of the time between two memberships", async ({ scene }) => {
  const { db, hub, spoke, people } = scene;
  await delegate(scene, "stranger");
  assert.is((await scene.as("operator").delete(`/api/spokes/${spoke}/members/${people.stranger.id}`)).status, 204);
  await recordEvents(db, { hub, spoke });
  await delegate(scene, "stranger");
  assert.is(await unread(scene, "stranger"), 1);
  await assertCountsAreExact(db);
});

test.run();
