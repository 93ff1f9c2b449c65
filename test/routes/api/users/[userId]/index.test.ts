import { suite } from "uvu";
import * as assert from "uvu/assert";
import { addHubAdmin, createTestSession, createTestToken, createTestUser, type TestUser } from "#test/support/users.ts";
import { openScene, type Scene } from "#test/support/scene.ts";
import { selectRows } from "#test/support/rows.ts";

const showing = suite<{ scene: Scene }>("GET /api/users/{userId}");
const changing = suite<{ scene: Scene }>("PATCH /api/users/{userId}");

for (const test of [showing, changing]) {
  test.before(async (context) => {
    context.scene = await openScene();
  });
  test.after(({ scene }) => scene.close());
}

showing("shows one user to operators, and is 404 for a missing user", async ({ scene }) => {
  const { stranger } = scene.people;
  const { status, body } = await scene.as("operator", "readonly").get(`/api/users/${stranger.id}`);
  assert.equal([status, body.id, body.state], [200, stranger.id, "active"]);
  for (const id of ["usr_00000000000000000000000000", "x", stranger.email]) {
    assert.is((await scene.as("operator").get(`/api/users/${id}`)).status, 404, id);
  }
  assert.is((await scene.as("hubAdmin").get(`/api/users/${stranger.id}`)).status, 403);
});

showing.run();

changing(
  "renames, promotes and demotes, and records changes only",
  async ({ scene }) => {
    const ann = await createTestUser(scene.db, "ann");
    const patch = (body: unknown) => scene.as("operator").patch(`/api/users/${ann.id}`, body);
    const named = await patch({ displayName: "Ann", operator: null });
    assert.equal([named.status, named.body.displayName, named.body.operator], [200, "Ann", false]);
    assert.equal([(await patch({ operator: true })).body.role, (await patch({})).body.role], ["operator", "operator"]);
    assert.equal([(await patch({ operator: true, displayName: "Ann" })).body.operator], [true]);
    assert.is((await patch({ operator: false })).body.role, "spoke_admin");
    assert.equal(await updatesOf(scene, ann), [{ displayName: "Ann" }, { operator: true }, { operator: false }]);
  },
);

changing(
  "disabling ends sessions, tokens and links; enabling restores no session",
  async ({ scene }) => {
    const bob = await createTestUser(scene.db, "bob");
    await addHubAdmin(scene.db, bob, scene.hub);
    const cookie = `wheelwright=${(await createTestSession(scene.db, bob)).secret}`;
    const authorization = `Bearer ${(await createTestToken(scene.db, bob, "cli")).plaintext}`;
    await scene.db.sql(
      `insert into one_time_tokens (id, purpose, user_id, expires_at)
     values ('ott_bob', 'password_reset', $1, wheelwright_now() + interval '1 hour')`,
      [bob.id],
    );
    const ask = async () => {
      const credentials = [{ cookie }, { authorization }] as Record<string, string>[];
      return await Promise.all(
        credentials.map(async (headers) => (await scene.as("nobody").get("/api/auth/me", headers)).status),
      );
    };
    const patch = (disabled: boolean) => scene.as("operator").patch(`/api/users/${bob.id}`, { disabled });
    assert.equal(await ask(), [200, 200]);
    const { body } = await patch(true);
    assert.is(body.state, "disabled");
    assert.ok(body.disabledAt);
    assert.equal(await ask(), [401, 401]);
    assert.is((await patch(true)).body.disabledAt, body.disabledAt, "repeating changes nothing");
    const [{ voidedAt }] = await selectRows(scene.db, "one_time_tokens", { id: "ott_bob" }, { columns: ["voidedAt"] });
    assert.ok(voidedAt);
    const enabled = await patch(false);
    assert.equal([enabled.body.state, enabled.body.disabledAt], ["active", null]);
    assert.equal(await ask(), [401, 200]);
    assert.equal(await updatesOf(scene, bob), [{ disabled: true }, { disabled: false }]);
  },
);

changing("refuses the operator role for an unverified address", async ({ scene }) => {
  const eve = await createTestUser(scene.db, "eve", { verified: false });
  const refused = await scene.as("operator").patch(`/api/users/${eve.id}`, { operator: true });
  assert.equal([refused.status, refused.body.error], [409, "Conflict"]);
  assert.match(refused.body.message, /not verified/);
});

changing(
  "keeps the last operator; disabled and unverified ones do not count",
  async ({ scene }) => {
    const { operator } = scene.people;
    await createTestUser(scene.db, "disabled-operator", { operator: true, disabled: true });
    await createTestUser(scene.db, "unproven-operator", { operator: true, verified: false });
    for (const body of [{ disabled: true }, { operator: false }, { operator: false, displayName: "Me" }]) {
      const refused = await scene.as("operator").patch(`/api/users/${operator.id}`, body);
      assert.is(refused.status, 409, JSON.stringify(body));
      assert.match(refused.body.message, /last operator/);
    }
    assert.equal(await updatesOf(scene, operator), [], "nothing was changed");
  },
);

changing(
  "is 400 for invalid and unknown fields, and for operators only",
  async ({ scene }) => {
    const { stranger } = scene.people;
    const patch = (body: unknown) => scene.as("operator").patch(`/api/users/${stranger.id}`, body);
    for (const body of [{ displayName: "" }, { displayName: "a\0" }, { operator: "yes" }, { disabled: 1 }]) {
      assert.is((await patch(body)).status, 400, JSON.stringify(body));
    }
    for (const body of [{ role: "operator" }, { email: "other@x.example" }, { displayName: "x", state: "disabled" }]) {
      const refused = await patch(body);
      assert.equal([refused.status, refused.body.code], [400, "unknown_field"], JSON.stringify(body));
    }
    const { body: user } = await scene.as("operator").get(`/api/users/${stranger.id}`);
    assert.equal([user.email, user.role, user.displayName], [stranger.email, "spoke_admin", "stranger"]);
    assert.is((await scene.as("hubAdmin").patch(`/api/users/${stranger.id}`, { displayName: "x" })).status, 403);
    assert.is((await scene.as("operator", "provisioning").patch(`/api/users/${stranger.id}`, {})).status, 403);
  },
);

changing("grants no operator role with a token, which may be stolen", async ({ scene }) => {
  const dan = await createTestUser(scene.db, "dan"), caller = scene.as("operator", "cli");
  const { status, body } = await caller.patch(`/api/users/${dan.id}`, { operator: true, displayName: "Dan" });
  assert.equal([status, body.message], [401, "An API token cannot make a user an operator: sign in instead"]);
  assert.is((await caller.get(`/api/users/${dan.id}`)).body.displayName, "dan");
  assert.is((await caller.patch(`/api/users/${dan.id}`, { operator: false })).status, 200);
});

changing("enables no operator with a token, but enables other users", async ({ scene }) => {
  const fay = await createTestUser(scene.db, "fay", { operator: true, disabled: true }), path = `/api/users/${fay.id}`;
  const caller = scene.as("operator", "cli");
  for (const body of [{ disabled: false }, { disabled: false, operator: true }]) {
    const refused = await caller.patch(path, body);
    assert.equal([refused.status, refused.body.message], [
      401,
      "An API token cannot make a user an operator: sign in instead",
    ]);
  }
  assert.is((await caller.get(path)).body.state, "disabled");
  const back = await caller.patch(path, { disabled: false, operator: false });
  assert.equal([back.status, back.body.state, back.body.operator], [200, "active", false]);
});

changing.run();

async function updatesOf({ db }: Scene, { id }: TestUser): Promise<unknown[]> {
  const events = await selectRows(db, "audit_events", { kind: "user_updated", objectId: id }, {
    columns: ["metadata"],
    orderBy: "at",
  });
  return events.map(({ metadata }) => metadata.changed);
}
