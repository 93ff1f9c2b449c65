import { suite } from "uvu";
import * as assert from "uvu/assert";
import { addHubAdmin, createTestUser } from "#test/support/users.ts";
import { insertHub } from "#test/support/insert-rows.ts";
import { openScene, type Scene } from "#test/support/scene.ts";
import { selectRows, updateRows } from "#test/support/rows.ts";

interface Context {
  scene: Scene;
}

const PATH = "/api/federations/north/members";
const listing = suite<Context>("GET /api/federations/{federationId}/members");
const adding = suite<Context>("POST /api/federations/{federationId}/members");
const removing = suite<Context>("DELETE /api/federations/{federationId}/members/{userId}");

for (const test of [listing, adding, removing]) {
  test.before(async (context) => {
    context.scene = await openScene();
  });
  test.after(({ scene }) => scene.close());
}

listing("shows the hub's admins, including pending ones", async ({ scene }) => {
  await scene.as("hubAdmin").post(PATH, { email: "new@x.example" });
  const { status, body } = await scene.as("hubAdmin", "readonly").get(PATH);
  assert.is(status, 200);
  const admins = body.map((each: { email: string; pending: boolean }) => [each.email, each.pending]);
  assert.equal(new Map(admins), new Map([["hub-admin@example.org", false], ["new@x.example", true]]));
});

listing("is 403 for spoke admins and 404 for strangers", async ({ scene }) => {
  assert.is((await scene.as("spokeAdmin").get(PATH)).status, 403);
  assert.is((await scene.as("stranger").get(PATH)).status, 404);
});

listing.run();

adding("invites a new address with one email for all its memberships", async ({ scene }) => {
  const { status, body } = await scene.as("operator", "cli").post(PATH, {
    email: "head@x.example",
    displayName: "Head",
  });
  assert.is(status, 200);
  assert.equal([body.status, body.email, body.federationId], ["invited", "head@x.example", scene.hub]);
  await scene.as("hubAdmin").post(`/api/spokes/${scene.spoke}/delegate`, { email: "head@x.example" });
  const mails = await selectRows(scene.db, "jobs", { kind: "mail" }, { columns: ["payload"] });
  assert.equal(mails.map(({ payload }) => payload.letter.about.places), [["north"]]);
  const events = await selectRows(scene.db, "audit_events", { kind: ["federation_member_added", "user_invited"] }, {
    columns: ["kind", "federationId"],
    orderBy: "kind",
  });
  assert.equal(events, [
    { kind: "federation_member_added", federationId: scene.hub },
    { kind: "user_invited", federationId: scene.hub },
  ]);
});

adding("makes an existing user a hub admin immediately; repeating changes nothing", async ({ scene }) => {
  const add = () => scene.as("hubAdmin").post(PATH, { email: scene.people.stranger.email });
  const ask = () => scene.as("stranger").get("/api/auth/me");
  assert.is((await ask()).body.user.role, "spoke_admin");
  assert.is((await add()).body.status, "added");
  const { body } = await ask();
  assert.equal([body.user.role, body.user.federationIds], ["hub_admin", [scene.hub]]);
  assert.is((await add()).body.status, "unchanged");
});

adding("is 409 for a hub that is being removed, and 404 for another customer's", async ({ scene }) => {
  const id = await insertHub(scene.db, scene.people.operator.id, "south");
  assert.is((await scene.as("hubAdmin").post("/api/federations/south/members", { email: "a@x.example" })).status, 404);
  await updateRows(scene.db, "federations", { state: "removing" }, { id });
  const refused = await scene.as("operator").post("/api/federations/south/members", { email: "a@x.example" });
  assert.is(refused.status, 409);
  assert.match(refused.body.message, /Cannot add a member to a hub that is removing/);
});

adding.run();

removing(
  "ends the access immediately; admins may remove themselves, even the last one",
  async ({ scene }) => {
    const ann = await createTestUser(scene.db, "ann");
    await addHubAdmin(scene.db, ann, scene.hub);
    const { hubAdmin } = scene.people;
    assert.is((await scene.as("hubAdmin", "cli").delete(`${PATH}/${ann.id}`)).status, 204);
    assert.is((await scene.as("hubAdmin", "cli").delete(`${PATH}/${hubAdmin.id}`)).status, 204);
    assert.is((await scene.as("hubAdmin", "cli").get("/api/federations/north")).status, 404);
    assert.equal((await scene.as("operator").get(PATH)).body, []);
    const events = await selectRows(scene.db, "audit_events", { kind: "federation_member_removed" }, {
      columns: ["metadata"],
      orderBy: "at",
    });
    assert.equal(events.map(({ metadata }) => metadata.userId), [ann.id, hubAdmin.id]);
  },
);

removing("is 404 for a user who is not an admin of the hub", async ({ scene }) => {
  const { stranger } = scene.people;
  assert.is((await scene.as("operator").delete(`${PATH}/${stranger.id}`)).status, 404);
});

removing.run();
