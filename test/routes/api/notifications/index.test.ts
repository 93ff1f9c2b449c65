/** Tests the visibility and paging of notifications. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { insertSpokeEvents, recordEvents, resetNotifications } from "#test/lib/domains/notifications/record-events.ts";
import { insertHub, insertSpoke } from "#test/support/insert-rows.ts";
import { nextPage } from "#test/support/next-page.ts";
import { openScene, type Scene, type SceneRole } from "#test/support/scene.ts";
import { deleteRows, insertRow, NOW, updateRows } from "#test/support/rows.ts";

interface Context {
  scene: Scene;
}

const test = suite<Context>("GET /api/notifications");
test.before(async (context) => void (context.scene = await openScene()));
test.before.each(({ scene }) => resetNotifications(scene));
test.after(({ scene }) => scene.close());

async function kinds(scene: Scene, who: SceneRole, query = ""): Promise<string[]> {
  const { status, body } = await scene.as(who, "readonly").get(`/api/notifications${query}`);
  assert.is(status, 200);
  return body.map((one: { kind: string }) => one.kind);
}

test("shows each role its own events, and none that customers may not see", async ({ scene }) => {
  const { db, hub, spoke, people } = scene;
  const elm = await insertSpoke(db, people.operator.id, hub, "elm");
  await recordEvents(db, { hub }, { hub, spoke }, { hub, spoke: elm, kind: "spoke_destroyed" });
  await recordEvents(db, { hub, spoke, kind: "spoke_requested" }, { kind: "auth_login" });
  await recordEvents(db, { audience: people.stranger.id });
  const notifications = await Promise.all(
    (["operator", "hubAdmin", "spokeAdmin", "stranger"] as const).map((who) => kinds(scene, who)),
  );
  assert.equal(notifications, [
    ["federation_request_rejected", "spoke_destroyed", "spoke_actioned", "federation_updated"],
    ["spoke_destroyed", "spoke_actioned", "federation_updated"],
    ["spoke_actioned"],
    ["federation_request_rejected"],
  ]);
});

test("shows an audit event, and whether and when it was read", async ({ scene }) => {
  const { db, hub, spoke } = scene;
  await recordEvents(db, { hub, spoke });
  const [event] = (await scene.as("operator").get("/api/audit")).body;
  const [unread] = (await scene.as("spokeAdmin").get("/api/notifications")).body;
  assert.equal(unread, { ...event, read: false, readAt: null });
  await scene.as("spokeAdmin").post(`/api/notifications/${event.id}/read`);
  const [read] = (await scene.as("spokeAdmin").get("/api/notifications")).body;
  assert.equal(read, { ...event, read: true, readAt: read.readAt });
  assert.match(read.readAt, /^\d{4}-.*\.\d{3}Z$/);
  assert.equal(
    (await scene.as("hubAdmin").get("/api/notifications")).body,
    [unread],
    "other users' reads do not count",
  );
});

test("shows events of removed objects to their former members", async ({ scene }) => {
  const { db, hub, spoke } = scene;
  await updateRows(db, "spokes", { state: "removed", removedAt: NOW });
  await recordEvents(db, { hub, spoke, kind: "spoke_destroyed" });
  await updateRows(db, "federations", { state: "removed", removedAt: NOW });
  await recordEvents(db, { hub, kind: "federation_destroyed" });
  assert.equal(await kinds(scene, "spokeAdmin"), ["spoke_destroyed"]);
  assert.equal(await kinds(scene, "hubAdmin"), ["federation_destroyed", "spoke_destroyed"]);
  assert.equal((await scene.as("hubAdmin").get("/api/notifications/unread-count")).body, { count: 2 });
});

test("follows current memberships over all history, for verified addresses only", async ({ scene }) => {
  const { db, hub, people } = scene;
  await recordEvents(db, { hub });
  assert.equal(await kinds(scene, "stranger"), []);
  await insertRow(db, "federation_members", { federationId: hub, userId: people.stranger.id });
  assert.equal(await kinds(scene, "stranger"), ["federation_updated"]);
  await updateRows(db, "users", { emailVerifiedAt: null }, { id: people.stranger.id });
  assert.equal(await kinds(scene, "stranger"), []);
  await updateRows(db, "users", { emailVerifiedAt: NOW }, { id: people.stranger.id });
  await deleteRows(db, "federation_members", { userId: people.stranger.id });
  assert.equal(await kinds(scene, "stranger"), []);
});

test("shows an event once if it is visible in two ways", async ({ scene }) => {
  const { db, hub, spoke, people } = scene;
  await insertRow(db, "spoke_members", { spokeId: spoke, userId: people.hubAdmin.id });
  await recordEvents(db, { hub, spoke, audience: people.hubAdmin.id }, { hub, audience: people.hubAdmin.id });
  await recordEvents(db, { hub, spoke, audience: people.spokeAdmin.id });
  assert.is((await kinds(scene, "hubAdmin")).length, 3);
  assert.is((await kinds(scene, "spokeAdmin")).length, 2);
  assert.equal((await scene.as("hubAdmin").get("/api/notifications/unread-count")).body, { count: 3 });
  assert.equal((await scene.as("spokeAdmin").get("/api/notifications/unread-count")).body, { count: 2 });
});

test("shows the newest events of many hubs", async ({ scene }) => {
  const { db, people } = scene;
  for (let i = 0; i < 8; i++) {
    const hub = await insertHub(db, people.operator.id, `hub-${i}`);
    await insertRow(db, "federation_members", { federationId: hub, userId: people.stranger.id });
    await recordEvents(db, { hub, kind: "federation_provisioned" }, { hub });
  }
  const { body } = await scene.as("stranger").get("/api/notifications?limit=100");
  assert.is(body.length, 16);
  for (const limit of [1, 3, 7]) {
    const page = (await scene.as("stranger").get(`/api/notifications?limit=${limit}`)).body;
    assert.equal(page, body.slice(0, page.length));
    assert.is(page.length, limit);
  }
});

test("accepts any limit, with at most 100 and 20 by default", async ({ scene }) => {
  const { db, hub, spoke } = scene;
  await insertSpokeEvents(db, { hub, spoke }, Array.from({ length: 120 }, (_, i) => i));
  for (const [query, length] of [["", 20], ["?limit=7", 7], ["?limit=101", 100], ["?limit=99999999", 100]] as const) {
    assert.is((await kinds(scene, "hubAdmin", query)).length, length, query);
  }
  for (const query of ["limit=0", "limit=-1", "limit=x", "limit=1.5", "unreadOnly=maybe", "before=yesterday"]) {
    assert.is((await scene.as("hubAdmin").get(`/api/notifications?${query}`)).status, 400, query);
  }
});

test("with unreadOnly hides read ones", async ({ scene }) => {
  const { db, hub, spoke } = scene;
  await recordEvents(db, { hub }, { hub, spoke }, { hub, spoke, kind: "spoke_provisioned" });
  const { body } = await scene.as("hubAdmin").get("/api/notifications");
  await scene.as("hubAdmin").post(`/api/notifications/${body[1].id}/read`);
  assert.equal(await kinds(scene, "hubAdmin", "?unreadOnly=true"), ["spoke_provisioned", "federation_updated"]);
  assert.equal(await kinds(scene, "hubAdmin", "?unreadOnly=true&limit=1"), ["spoke_provisioned"]);
  assert.equal(await kinds(scene, "hubAdmin", `?unreadOnly=1&before=${body[0].at}`), ["federation_updated"]);
  assert.is((await kinds(scene, "operator", "?unreadOnly=true")).length, 3);
});

test.run();

const paging = suite<{ scene: Scene; expected: string[] }>("paging by 1 over 500 events with equal and near times");

paging.before(async (context) => {
  const { db, hub, spoke } = context.scene = await openScene();
  // Groups of about five events with the same time, a millisecond apart.
  const gaps = Array.from({ length: 500 }, (_, i) => Math.floor(i / 5) + (i % 7 === 0 ? 1 : 0));
  await insertSpokeEvents(db, { hub, spoke }, gaps);
  const rows = await db.sql("select id from audit_events order by at desc, id desc");
  context.expected = rows.map(({ id }) => id);
});
paging.after(({ scene }) => scene.close());

for (
  const [who, path] of [
    ["spokeAdmin", "/api/notifications?limit=1"],
    ["operator", "/api/notifications?limit=1"],
    ["hubAdmin", "/api/notifications?limit=1&unreadOnly=true"],
    ["spokeAdmin", "/api/spokes/SPOKE/activity?limit=1"],
    ["operator", "/api/audit?limit=1"],
  ] as const
) {
  paging(`sees each exactly once, in order, as ${who} at ${path}`, async ({ scene, expected }) => {
    assert.equal(await pages(scene, who, path.replace("SPOKE", scene.spoke)), expected);
  });
}

paging("sees each exactly once where several hubs have events at the same times", async () => {
  const scene = await openScene();
  const { db, hub, spoke, people } = scene, gaps = Array.from({ length: 40 }, (_, i) => Math.floor(i / 2));
  const [south, east] = [
    await insertHub(db, people.operator.id, "south"),
    await insertHub(db, people.operator.id, "east"),
  ];
  const ash = await insertSpoke(db, people.operator.id, south, "ash");
  const elm = await insertSpoke(db, people.operator.id, east, "elm");
  await insertRow(db, "federation_members", { federationId: south, userId: people.hubAdmin.id });
  await insertRow(db, "spoke_members", { spokeId: elm, userId: people.hubAdmin.id });
  for (const place of [{ hub, spoke }, { hub: south, spoke: ash }, { hub: east, spoke: elm }]) {
    await insertSpokeEvents(db, place, gaps.map((gap) => gap + (place.hub === east ? 7 : 0)));
  }
  const rows = await db.sql("select id from audit_events order by at desc, id desc");
  const ids = rows.map(({ id }) => id);
  assert.equal(await pages(scene, "hubAdmin", "/api/notifications?limit=1"), ids);
  for (const id of ids.filter((_, i) => i % 3 === 0).slice(0, 25)) {
    await scene.as("hubAdmin").post(`/api/notifications/${id}/read`);
  }
  const unread = ids.filter((_, i) => i % 3 !== 0 || i >= 75);
  for (const limit of [2, 7]) {
    assert.equal(await pages(scene, "hubAdmin", `/api/notifications?unreadOnly=true&limit=${limit}`), unread);
  }
  await scene.close();
});

paging.run();

/** Returns the IDs on all pages, in order. */
async function pages(scene: Scene, who: SceneRole, path: string): Promise<string[]> {
  const pagedIds: string[] = [], caller = scene.as(who);
  const limit = Number(new URL(path, "http://server").searchParams.get("limit"));
  for (let target: string | null = path; target !== null;) {
    const { body, headers } = await caller.get(target);
    target = nextPage(headers);
    const isByTime = pagedIds.length === 0 && path.startsWith("/api/notifications"); // may be longer: rows with the same time stay together
    if (target !== null) assert.ok(isByTime ? body.length >= limit : body.length === limit, `${body.length} at once`);
    pagedIds.push(...body.map(({ id }: { id: string }) => id));
  }
  return pagedIds;
}
