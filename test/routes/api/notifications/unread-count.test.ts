import { suite } from "uvu";
import * as assert from "uvu/assert";
import { recordEvents } from "#test/lib/domains/notifications/record-events.ts";
import { openScene, type Scene, type SceneRole } from "#test/support/scene.ts";
import { insertRow } from "#test/support/rows.ts";

const test = suite<{ scene: Scene }>("GET /api/notifications/unread-count");
test.before(async (context) => {
  const { db, hub, spoke, people } = context.scene = await openScene();
  await recordEvents(db, { hub }, { hub, spoke }, { hub, spoke, kind: "spoke_requested" }, {
    audience: people.stranger.id,
  });
});
test.after(({ scene }) => scene.close());

async function count(scene: Scene, who: SceneRole): Promise<number> {
  const { status, body } = await scene.as(who, "readonly").get("/api/notifications/unread-count");
  assert.is(status, 200);
  assert.equal(Object.keys(body), ["count"]);
  return body.count;
}

test("counts each user's unread notifications", async ({ scene }) => {
  const counts = await Promise.all(
    (["operator", "hubAdmin", "spokeAdmin", "stranger"] as const).map((who) => count(scene, who)),
  );
  assert.equal(counts, [3, 2, 1, 1]);
});

test("requires a credential", async ({ scene }) => {
  assert.is((await scene.as("nobody").get("/api/notifications/unread-count")).status, 401);
});

test("follows reads and new events, per user", async ({ scene }) => {
  const { db, hub, spoke } = scene;
  await scene.as("hubAdmin").post("/api/notifications/read-all");
  await recordEvents(db, { hub, spoke });
  assert.equal([await count(scene, "hubAdmin"), await count(scene, "spokeAdmin")], [1, 2]);
});

test("counts a new member's whole history, except what they read before", async ({ scene }) => {
  const { db, hub, people } = scene;
  await scene.as("spokeAdmin").post("/api/notifications/read-all");
  await insertRow(db, "federation_members", { federationId: hub, userId: people.spokeAdmin.id });
  assert.is(await count(scene, "spokeAdmin"), 1);
});

test.run();
