import { suite } from "uvu";
import * as assert from "uvu/assert";
import { lockReadMarks } from "#lib/domains/members/history.ts";
import { markAllNotificationsAsRead } from "#lib/domains/notifications/read-all.ts";
import { assertCountsAreExact } from "#test/lib/domains/notifications/recount.ts";
import {
  insertSpokeEvents,
  recordEvents,
  resetNotifications,
  toMarkingReader,
} from "#test/lib/domains/notifications/record-events.ts";
import { insertSpoke } from "#test/support/insert-rows.ts";
import { openScene, type Scene } from "#test/support/scene.ts";
import { rejection, until } from "#test/support/until.ts";
import { deleteRows, insertRow, selectRows } from "#test/support/rows.ts";

const test = suite<{ scene: Scene }>("POST /api/notifications/read-all");
test.before(async (context) => void (context.scene = await openScene()));
test.before.each(({ scene }) => resetNotifications(scene));
test.after(({ scene }) => scene.close());

test("returns the number of newly read ones", async ({ scene }) => {
  const { db, hub, spoke, people } = scene;
  await recordEvents(db, { hub }, { hub, spoke }, { hub, spoke, kind: "spoke_requested" }, {
    audience: people.hubAdmin.id,
  });
  const caller = scene.as("hubAdmin", "cli");
  const [{ id }] = (await caller.get("/api/notifications")).body;
  await caller.post(`/api/notifications/${id}/read`);
  const { status, body } = await caller.post("/api/notifications/read-all");
  assert.equal([status, body], [200, { marked: 2 }]);
  assert.equal((await caller.post("/api/notifications/read-all")).body, { marked: 0 });
  assert.equal((await caller.get("/api/notifications/unread-count")).body, { count: 0 });
  assert.equal((await caller.get("/api/notifications?unreadOnly=true")).body, []);
  assert.ok((await caller.get("/api/notifications")).body.every(({ read }: { read: boolean }) => read));
  assert.equal((await scene.as("operator").post("/api/notifications/read-all")).body, { marked: 3 });
  await assertCountsAreExact(db);
});

test("records the number, and nothing if it is zero", async ({ scene }) => {
  const { db, hub, spoke, people } = scene;
  await recordEvents(db, { hub }, { hub, spoke });
  for (let i = 0; i < 2; i++) await scene.as("hubAdmin").post("/api/notifications/read-all");
  const written = await selectRows(db, "audit_events", { kind: "notifications_read" });
  assert.equal(written.map((row) => [row.actorId, row.metadata]), [[people.hubAdmin.id, { marked: 2 }]]);
});

test("marks nothing that the caller cannot see", async ({ scene }) => {
  const { db, hub, spoke } = scene;
  await recordEvents(db, { hub }, { hub, spoke });
  assert.equal((await scene.as("stranger").post("/api/notifications/read-all")).body, { marked: 0 });
  assert.equal((await scene.as("spokeAdmin").post("/api/notifications/read-all")).body, { marked: 1 });
  await deleteRows(db, "federation_members");
  assert.equal((await scene.as("hubAdmin").post("/api/notifications/read-all")).body, { marked: 0 });
  for (const scope of ["readonly", "provisioning"] as const) {
    assert.is((await scene.as("operator", scope).post("/api/notifications/read-all")).status, 403);
  }
});

test("works through several batches, and many objects in one", async ({ scene }) => {
  const { db, hub, people } = scene;
  const spokes = await Promise.all([..."abcdef"].map((name) => insertSpoke(db, people.operator.id, hub, name)));
  await insertSpokeEvents(db, { hub, spoke: spokes[0]! }, Array.from({ length: 4500 }, (_, i) => Math.floor(i / 2)));
  for (const spoke of spokes) {
    await insertRow(db, "spoke_members", { spokeId: spoke, userId: people.stranger.id });
    await recordEvents(db, { hub, spoke });
  }
  assert.equal(
    await markAllNotificationsAsRead(db, toMarkingReader({ role: "spoke_admin", userId: people.stranger.id })),
    {
      marked: 4506,
    },
  );
  assert.equal(
    await markAllNotificationsAsRead(db, toMarkingReader({ role: "hub_admin", userId: people.hubAdmin.id })),
    {
      marked: 4506,
    },
  );
  await assertCountsAreExact(db);
});

/** Blocks marking for the user until the returned function is called. */
async function holdUp(scene: Scene, userId: string): Promise<() => Promise<void>> {
  const free = Promise.withResolvers<void>(), held = Promise.withResolvers<void>();
  const holder = scene.db.transact(async (tx) => {
    await lockReadMarks(tx, userId);
    held.resolve();
    await free.promise;
  });
  await held.promise;
  return async () => {
    free.resolve();
    await holder;
  };
}

async function untilHeldUp({ db }: Scene): Promise<void> {
  const waiting = `select from pg_locks where locktype = 'advisory' and not granted
    and database = (select oid from pg_database where datname = current_database())`;
  await until(async () => (await db.sql(waiting)).length > 0);
}

test("marks only events from before the request", async ({ scene }) => {
  const { db, hub, spoke, people } = scene;
  await recordEvents(db, { hub }, { hub, spoke });
  const release = await holdUp(scene, people.operator.id);
  const marking = markAllNotificationsAsRead(db, toMarkingReader({ role: "operator", userId: people.operator.id }));
  await untilHeldUp(scene);
  await recordEvents(db, { hub }, { hub, spoke }, {});
  await release();
  assert.equal(await marking, { marked: 2 });
  assert.equal((await scene.as("operator").get("/api/notifications/unread-count")).body, { count: 3 });
  await assertCountsAreExact(db);
});

test("marks each event once for many simultaneous requests on two replicas, and leaves connections free", async ({ scene }) => {
  const { db, hub, spoke, people } = scene;
  await insertSpokeEvents(db, { hub, spoke }, Array.from({ length: 5000 }, (_, i) => i));
  const reader = { role: "hub_admin", userId: people.hubAdmin.id } as const;
  const small = await db.openAgain({ size: 2 });
  const release = await holdUp(scene, reader.userId);
  const marking = Array.from({ length: 8 }, () => markAllNotificationsAsRead(small, toMarkingReader(reader)));
  await untilHeldUp(scene);
  await small.now();
  marking.push(...Array.from({ length: 3 }, () => markAllNotificationsAsRead(db, toMarkingReader(reader))));
  await release();
  const marked = await Promise.all(marking);
  assert.is(marked.reduce((sum, one) => sum + one.marked, 0), 5000);
  const written = await selectRows(db, "audit_events", { kind: "notifications_read" }, { columns: ["metadata"] });
  assert.ok(written.every(({ metadata }) => metadata.marked > 0));
  assert.is(written.reduce((sum, { metadata }) => sum + metadata.marked, 0), 5000);
  await assertCountsAreExact(db);
});

test("keeps exact counts when it is cut off between batches, and resumes", async ({ scene }) => {
  const { db, hub, spoke, people } = scene;
  await insertSpokeEvents(db, { hub, spoke }, Array.from({ length: 4500 }, (_, i) => i));
  const reader = { role: "hub_admin", userId: people.hubAdmin.id } as const;
  let batches = 0;
  const dying: typeof db = {
    ...db,
    transact: (work) => batches++ < 1 ? db.transact(work) : Promise.reject(new Error("killed")),
  };
  assert.is((await rejection(markAllNotificationsAsRead(dying, toMarkingReader(reader)))).message, "killed");
  await assertCountsAreExact(db);
  assert.equal((await scene.as("hubAdmin").get("/api/notifications/unread-count")).body, { count: 2500 });
  assert.equal(await markAllNotificationsAsRead(db, toMarkingReader(reader)), { marked: 2500 });
  const written = await selectRows(db, "audit_events", { kind: "notifications_read" }, { columns: ["metadata"] });
  assert.is(written.reduce((sum, { metadata }) => sum + metadata.marked, 0), 4500);
  await assertCountsAreExact(db);
});

test.run();
