import { suite } from "uvu";
import * as assert from "uvu/assert";
import { addSpokeAdmin, createTestUser, type TestUser } from "#test/support/users.ts";
import { insertHub, insertSpoke } from "#test/support/insert-rows.ts";
import { nextPage } from "#test/support/next-page.ts";
import { openScene, type Scene } from "#test/support/scene.ts";
import { selectRows, updateRows } from "#test/support/rows.ts";

interface Context {
  scene: Scene;
  path: string;
}

const listing = suite<Context>("GET /api/spokes/{spokeId}/members");
const removing = suite<Context>("DELETE /api/spokes/{spokeId}/members/{userId}");

for (const test of [listing, removing]) {
  test.before(async (context) => {
    context.scene = await openScene();
    context.path = `/api/spokes/${context.scene.spoke}/members`;
  });
  test.after(({ scene }) => scene.close());
}

listing("shows the spoke's own admins, newest first, including pending ones", async ({ scene, path }) => {
  const { spokeAdmin } = scene.people;
  const { body: made } = await scene.as("hubAdmin").post(`/api/spokes/${scene.spoke}/delegate`, {
    email: "new@x.example",
    displayName: "New",
  });
  await updateRows(scene.db, "spoke_members", { createdAt: "2030-01-01T00:00:00Z" }, { userId: made.userId });
  await updateRows(scene.db, "spoke_members", { createdAt: "2029-01-01T00:00:00Z" }, { userId: spokeAdmin.id });
  const { status, body } = await scene.as("hubAdmin", "readonly").get(path);
  assert.is(status, 200);
  assert.equal(body, [
    {
      userId: made.userId,
      email: "new@x.example",
      displayName: "New",
      pending: true,
      mailRefusal: null,
      createdAt: "2030-01-01T00:00:00.000Z",
    },
    {
      userId: spokeAdmin.id,
      email: spokeAdmin.email,
      displayName: "spoke-admin",
      pending: false,
      mailRefusal: null,
      createdAt: "2029-01-01T00:00:00.000Z",
    },
  ]);
});

listing("works for the spoke's own admins, and is 404 for users who cannot see the spoke", async ({ scene, path }) => {
  assert.is((await scene.as("spokeAdmin", "readonly").get(path)).status, 200);
  assert.is((await scene.as("stranger").get(path)).status, 404);
});

listing("ends a page between members with the same time", async ({ scene }) => {
  const id = await insertSpoke(scene.db, scene.people.operator.id, scene.hub, "crowded");
  const people: TestUser[] = [];
  for (let i = 0; i < 5; i++) people.push(await createTestUser(scene.db, `crowd-${i}`));
  for (const person of people) await addSpokeAdmin(scene.db, person, id);
  await updateRows(scene.db, "spoke_members", { createdAt: "2030-01-01T00:00:00Z" }, { spokeId: id });
  await updateRows(scene.db, "spoke_members", { createdAt: "2030-01-02T00:00:00Z" }, { userId: people[3]!.id });
  const complete = await scene.as("operator").get(`/api/spokes/${id}/members`);
  const first = await scene.as("operator").get(`/api/spokes/${id}/members?limit=1`);
  const second = await scene.as("operator").get(nextPage(first.headers)!);
  const rest = await scene.as("operator").get(nextPage(second.headers)!.replace("limit=1", "limit=3"));
  assert.equal([first.body.length, second.body.length, rest.body.length], [1, 1, 3]);
  assert.equal([...first.body, ...second.body, ...rest.body], complete.body);
  assert.is(nextPage(rest.headers), null);
});

listing.run();

removing("ends the access immediately, and records whose", async ({ scene, path }) => {
  const { hubAdmin } = scene.people;
  const ann = await createTestUser(scene.db, "ann");
  await addSpokeAdmin(scene.db, ann, scene.spoke);
  const { status } = await scene.as("hubAdmin", "cli").delete(`${path}/${ann.id}`);
  assert.is(status, 204);
  assert.equal(await selectRows(scene.db, "spoke_members", { userId: ann.id }), []);
  const [event] = await selectRows(scene.db, "audit_events", { kind: "spoke_delegation_removed" });
  assert.equal([event.actorId, event.objectId, event.spokeId, event.federationId, event.customerVisible], [
    hubAdmin.id,
    scene.spoke,
    scene.spoke,
    scene.hub,
    false,
  ]);
  assert.equal(event.metadata.userId, ann.id);
  assert.is((await scene.as("hubAdmin").delete(`${path}/${ann.id}`)).status, 404, "the removal happens once");
});

removing("closes the invitation with its last membership, and not before", async ({ scene, path }) => {
  const elm = await insertSpoke(scene.db, scene.people.operator.id, scene.hub, "elm");
  const delegate = (id: string) => scene.as("hubAdmin").post(`/api/spokes/${id}/delegate`, { email: "late@x.example" });
  const { body: { userId } } = await delegate(scene.spoke);
  await delegate(elm);
  const open = () => selectRows(scene.db, "one_time_tokens", { userId, voidedAt: null }, { columns: ["id"] });
  await scene.as("hubAdmin").delete(`${path}/${userId}`);
  assert.is((await open()).length, 1);
  await scene.as("hubAdmin").delete(`/api/spokes/${elm}/members/${userId}`);
  assert.is((await open()).length, 0);
});

removing("allows spoke admins to remove only themselves", async ({ scene, path }) => {
  const bea = await createTestUser(scene.db, "bea");
  await addSpokeAdmin(scene.db, bea, scene.spoke);
  const { spokeAdmin } = scene.people;
  assert.is((await scene.as("spokeAdmin").delete(`${path}/${bea.id}`)).status, 403);
  assert.is((await scene.as("spokeAdmin").delete(`${path}/${spokeAdmin.id}`)).status, 204);
  assert.is((await scene.as("spokeAdmin").get(`/api/spokes/${scene.spoke}`)).status, 404);
});

removing(
  "is 404 for another customer's spoke, a user who is not a member, and an invalid user ID",
  async ({ scene, path }) => {
    const south = await insertHub(scene.db, scene.people.operator.id, "south");
    const fir = await insertSpoke(scene.db, scene.people.operator.id, south, "fir");
    const cal = await createTestUser(scene.db, "cal");
    await addSpokeAdmin(scene.db, cal, fir);
    assert.is((await scene.as("hubAdmin").delete(`/api/spokes/${fir}/members/${cal.id}`)).status, 404);
    for (const userId of [cal.id, scene.people.hubAdmin.id, "usr_", "nobody", "%27%20or%201%3D1"]) {
      assert.is((await scene.as("hubAdmin").delete(`${path}/${userId}`)).status, 404, userId);
    }
    assert.is((await selectRows(scene.db, "spoke_members", { userId: cal.id })).length, 1);
  },
);

removing.run();
