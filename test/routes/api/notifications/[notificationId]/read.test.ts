import { suite } from "uvu";
import * as assert from "uvu/assert";
import { markNotificationAsRead } from "#lib/domains/notifications/read.ts";
import { createId } from "#lib/base/ids.ts";
import { assertCountsAreExact } from "#test/lib/domains/notifications/recount.ts";
import { recordEvents, resetNotifications, toMarkingReader } from "#test/lib/domains/notifications/record-events.ts";
import { insertHub } from "#test/support/insert-rows.ts";
import { openScene, type Scene } from "#test/support/scene.ts";
import { deleteRows, selectRows } from "#test/support/rows.ts";

const test = suite<{ scene: Scene; ids: string[] }>("POST /api/notifications/:notificationId/read");
test.before(async (context) => void (context.scene = await openScene()));
test.before.each(async (context) => {
  const { db, hub, spoke } = context.scene;
  await resetNotifications(context.scene);
  await recordEvents(db, { hub, spoke }, { hub });
  const rows = await selectRows(db, "audit_events", {}, { columns: ["id"], orderBy: "at" });
  context.ids = rows.map(({ id }) => id);
});
test.after(({ scene }) => scene.close());

test("returns the notification, and the same when repeated", async ({ scene, ids }) => {
  const caller = scene.as("spokeAdmin", "cli");
  const [before] = (await caller.get("/api/notifications")).body;
  const { status, body } = await caller.post(`/api/notifications/${ids[0]}/read`);
  assert.is(status, 200);
  assert.equal(body, { ...before, read: true, readAt: body.readAt });
  const again = await caller.post(`/api/notifications/${ids[0]}/read`);
  assert.equal([again.status, again.body], [200, body]);
  assert.equal((await caller.get("/api/notifications/unread-count")).body, { count: 0 });
  assert.equal((await scene.as("hubAdmin").get("/api/notifications/unread-count")).body, { count: 2 });
});

test("finds the notification before it checks the body", async ({ scene, ids }) => {
  for (const id of [createId("evt"), "nothing"]) {
    const { status } = await scene.as("spokeAdmin", "cli").post(`/api/notifications/${id}/read?zzz=1`);
    assert.is(status, 404);
  }
  assert.is((await scene.as("stranger", "cli").post(`/api/notifications/${ids[0]}/read?zzz=1`)).status, 404);
  assert.is((await scene.as("spokeAdmin", "cli").post(`/api/notifications/${ids[0]}/read?zzz=1`)).status, 400);
});

test("marks only this one, and records it once", async ({ scene, ids }) => {
  const others = async () =>
    await scene.db.sql(
      `select (select json_agg(e) from audit_events e where kind <> 'notifications_read') as events, (select json_agg(h) from stream_heads h)
      as heads, (select json_agg(s) from spokes s) as spokes, (select count(*) from jobs) as jobs`,
    );
  await scene.as("hubAdmin", "cli").credentials();
  const before = await others();
  await scene.as("hubAdmin", "cli").post(`/api/notifications/${ids[0]}/read`);
  await scene.as("hubAdmin", "cli").post(`/api/notifications/${ids[0]}/read`);
  assert.equal(await others(), before);
  const written = await selectRows(scene.db, "audit_events", { kind: "notifications_read" });
  const { id } = scene.people.hubAdmin;
  assert.equal(written.map((row) => [row.actorId, row.objectType, row.objectId, row.metadata.marked]), [
    [id, "user", id, 1],
  ]);
});

test("answers alike for missing, foreign and invisible events", async ({ scene, ids }) => {
  const { db, people } = scene;
  const south = await insertHub(db, people.operator.id, "south");
  await recordEvents(db, { hub: south }, { hub: scene.hub, spoke: scene.spoke, kind: "spoke_requested" });
  const foreign = (await selectRows(db, "audit_events", { federationId: south }))[0].id;
  const quiet = (await selectRows(db, "audit_events", { kind: "spoke_requested" }))[0].id;
  const refuse = async (id: string) => {
    const { status, body } = await scene.as("spokeAdmin", "cli").post(`/api/notifications/${id}/read`);
    return { status, body };
  };
  const unknown = await refuse(createId("evt"));
  assert.is(unknown.status, 404);
  for (const id of [foreign, quiet, ids[1]!, "x", "evt_%F0%9F%92%A9", scene.spoke]) {
    assert.equal(await refuse(id), unknown, id);
  }
  assert.is((await scene.as("operator").post(`/api/notifications/${quiet}/read`)).status, 404);
  assert.equal(await selectRows(db, "notification_reads"), []);
});

test("is refused after the membership ends, and for readonly tokens", async ({ scene, ids }) => {
  const path = `/api/notifications/${ids[0]}/read`;
  assert.is((await scene.as("spokeAdmin", "readonly").post(path)).status, 403);
  assert.is((await scene.as("spokeAdmin", "provisioning").post(path)).status, 403);
  await deleteRows(scene.db, "spoke_members");
  assert.is((await scene.as("spokeAdmin", "cli").post(path)).status, 404);
});

test("counts once for 20 simultaneous requests on two replicas, during a change of the spoke", async ({ scene, ids }) => {
  const { db, hub, spoke, people } = scene;
  const other = await db.openAgain();
  const reader = { role: "hub_admin", userId: people.hubAdmin.id } as const;
  const requests = Array.from(
    { length: 20 },
    (_, i) => markNotificationAsRead(i % 2 ? other : db, toMarkingReader(reader), ids[i % 4 < 2 ? 0 : 1]!),
  );
  await Promise.all([...requests, ...Array.from({ length: 5 }, () => recordEvents(other, { hub, spoke }))]);
  assert.equal((await scene.as("hubAdmin").get("/api/notifications/unread-count")).body, { count: 5 });
  await assertCountsAreExact(db);
});

test.run();
