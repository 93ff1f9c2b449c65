import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openScene, type Scene } from "#test/support/scene.ts";
import { deleteRows, NOW, selectRows, updateRows } from "#test/support/rows.ts";

const test = suite<{ scene: Scene }>("/api/federation-requests/{id}");
test.before(async (context) => {
  context.scene = await openScene();
});
test.after(({ scene }) => scene.close());
// Each test creates a few requests, and a user may have ten pending ones.
test.before.each(async ({ scene }) =>
  void await scene.db.sql(`update federation_requests set state = 'withdrawn', decided_at = wheelwright_now(),
    decided_by = requested_by where state = 'pending'`)
);

const PATH = "/api/federation-requests";

async function ask(scene: Scene, slug: string, more: Record<string, unknown> = {}): Promise<string> {
  const { status, body } = await scene.as("stranger").post(PATH, { slug, ...more });
  assert.is(status, 201);
  return body.id;
}

/** Returns the queued mails to requesters: templates and parameters. */
async function letters(scene: Scene, since: number): Promise<Record<string, unknown>[]> {
  const jobs = await scene.db.sql("select payload from jobs where kind = 'mail' and seq > $1 order by seq", [since]);
  return jobs.map(({ payload }) => payload.letter).filter(({ template }) => template !== "hub-requested");
}

async function lastJob(scene: Scene): Promise<number> {
  const [{ last }] = await scene.db.sql("select coalesce(max(seq), 0)::int as last from jobs");
  return last;
}

test("approve creates the hub and makes the requester its admin", async ({ scene }) => {
  const stranger = scene.as("stranger"), operator = scene.as("operator", "cli"), since = await lastJob(scene);
  const id = await ask(scene, "made", { name: "Made", tier: "gold", region: "eu" });
  assert.is((await stranger.get("/api/federations/made")).status, 404);
  const { status, body } = await operator.post(`${PATH}/${id}/approve`);
  assert.is(status, 200);
  const { email, id: strangerId } = scene.people.stranger, decider = scene.people.operator;
  assert.equal([body.state, body.decidedBy, body.rejectReason], ["approved", decider, null]);
  assert.match(body.decidedAt, /\.\d{3}Z$/);
  const { body: hub } = await stranger.get(`/api/federations/${body.federationId}`);
  assert.equal([hub.slug, hub.name, hub.tier, hub.region, hub.mode, hub.state, hub.operation.kind], [
    ...["made", "Made", "gold", "eu", null],
    ...["provisioning", "provision-hub"],
  ]);
  const { body: { user } } = await stranger.get("/api/auth/me");
  assert.equal([user.role, user.federationIds], ["hub_admin", [hub.id]]);
  assert.is((await stranger.post("/api/federations/made/spokes", { slug: "first" })).status, 201);
  const audit = await selectRows(scene.db, "audit_events", { federationId: hub.id }, { orderBy: "at" });
  assert.equal(audit.slice(0, 3).map(({ kind, actorEmail }) => [kind, actorEmail]), [
    ["federation_created", decider.email],
    ["federation_member_added", decider.email],
    ["federation_request_approved", decider.email],
  ]);
  const [, , events] = audit;
  assert.equal([events!.objectId, events!.audienceUserId, events!.customerVisible], [id, strangerId, true]);
  assert.equal(await letters(scene, since), [
    { template: "request-approved", to: { email, name: "stranger" }, about: { hub: "Made", slug: "made" } },
  ]);
  const [{ number }] = await scene.db.sql("select number::int from stream_heads where federation_id = $1", [hub.id]);
  assert.ok(number > 0);
  await deleteRows(scene.db, "federation_members", { userId: strangerId });
});

test("approve starts billing with the requester's address, if a payment provider is connected", async ({ scene }) => {
  const operator = scene.as("operator"), { email } = scene.people.stranger, { app, db } = scene;
  const approve = async (slug: string) =>
    (await operator.post(`${PATH}/${await ask(scene, slug)}/approve`)).body.federationId;
  await approve("free");
  assert.equal(await selectRows(db, "subscriptions"), []);
  Object.assign(app, { payments: {} }); // not called here
  const hub = await approve("billed");
  Object.assign(app, { payments: null });
  assert.equal(await selectRows(db, "subscriptions", {}, { columns: ["federationId", "email", "sentQuantities"] }), [
    { federationId: hub, email, sentQuantities: null },
  ]);
  const events = await selectRows(db, "audit_events", { kind: "billing_connected" }, { columns: ["metadata"] });
  assert.equal(events, [{ metadata: { email } }]);
  await deleteRows(db, "federation_members", { userId: scene.people.stranger.id });
});

test("approve accepts the operator's changes", async ({ scene }) => {
  const operator = scene.as("operator");
  const id = await ask(scene, "requested", { mode: "open", tier: "gold" });
  const { status, body } = await operator.post(`${PATH}/${id}/approve`, { slug: "given", tier: "silver", name: null });
  assert.equal([status, body.slug, body.tier], [200, "requested", "gold"]);
  const { body: hub } = await operator.get(`/api/federations/${body.federationId}`);
  assert.equal([hub.slug, hub.name, hub.mode, hub.tier], ["given", "given", "open", "silver"]);
  for (const input of [{ slug: "Not One" }, { tier: 7 }, { name: "" }]) {
    assert.is((await operator.post(`${PATH}/${id}/approve`, input)).status, 400, JSON.stringify(input));
  }
});

test("approve is 409 for a slug that was taken since, and the request stays pending", async ({ scene }) => {
  const operator = scene.as("operator");
  const id = await ask(scene, "snatched");
  assert.is((await operator.post("/api/federations", { slug: "snatched" })).status, 201);
  const { status, body } = await operator.post(`${PATH}/${id}/approve`);
  assert.is(status, 409);
  assert.match(body.message, "snatched is taken by another hub");
  assert.is((await operator.get(`${PATH}/${id}`)).body.state, "pending");
  assert.is((await operator.post(`${PATH}/${id}/approve`, { slug: "snatched-2" })).status, 200);
});

test("approve is 409 for a disabled requester, and reject then sends no mail", async ({ scene }) => {
  const operator = scene.as("operator"), since = await lastJob(scene);
  const id = await ask(scene, "orphaned");
  const disable = (when: typeof NOW | null) =>
    updateRows(scene.db, "users", { disabledAt: when }, { id: scene.people.stranger.id });
  await disable(NOW);
  const { status, body } = await operator.post(`${PATH}/${id}/approve`);
  assert.is(status, 409);
  assert.match(body.message, "stranger@example.org is disabled");
  assert.is((await operator.get("/api/federations/orphaned")).status, 404);
  assert.is((await operator.post(`${PATH}/${id}/reject`, { reason: "left" })).status, 200);
  assert.equal(await letters(scene, since), []);
  await disable(null);
});

test("reject stores the reason for the requester", async ({ scene }) => {
  const since = await lastJob(scene);
  const id = await ask(scene, "refused", { name: "Refused" });
  for (const input of [{}, { reason: "" }, { reason: null }, { reason: "x".repeat(2001) }]) {
    const { status, body } = await scene.as("operator").post(`${PATH}/${id}/reject`, input);
    assert.is(status, 400);
    assert.match(body.message, /reason must be/);
  }
  const { status, body } = await scene.as("operator", "cli").post(`${PATH}/${id}/reject`, { reason: "No room\nyet" });
  assert.equal([status, body.state, body.rejectReason, body.federationId], [200, "rejected", "No room\nyet", null]);
  assert.equal(body.decidedBy, scene.people.operator);
  assert.is((await scene.as("stranger").get(`${PATH}/${id}`)).body.rejectReason, "No room\nyet");
  const notified = async (who: "stranger" | "hubAdmin" | "operator") =>
    (await scene.as(who, "readonly").get("/api/notifications?limit=100")).body
      .some((each: { objectId: string }) => each.objectId === id);
  assert.equal([await notified("stranger"), await notified("hubAdmin"), await notified("operator")], [
    true,
    false,
    true,
  ]);
  const { id: strangerId, email } = scene.people.stranger;
  const [audit] = await selectRows(scene.db, "audit_events", { kind: "federation_request_rejected", objectId: id });
  assert.equal([audit.federationId, audit.audienceUserId, audit.customerVisible], [null, strangerId, true]);
  assert.equal(await letters(scene, since), [{
    template: "request-rejected",
    to: { email, name: "stranger" },
    about: { hub: "Refused", reason: "No room\nyet" },
  }]);
});

test("a repeated decision is refused and names the first one", async ({ scene }) => {
  const operator = scene.as("operator"), stranger = scene.as("stranger");
  const approved = await ask(scene, "accepted"),
    rejected = await ask(scene, "refused"),
    back = await ask(scene, "back");
  await operator.post(`${PATH}/${approved}/approve`);
  await operator.post(`${PATH}/${rejected}/reject`, { reason: "no" });
  assert.is((await stranger.delete(`${PATH}/${back}`)).status, 200);
  const { operator: { email }, stranger: requester } = scene.people;
  const cases = [[approved, `approved by ${email}`], [rejected, `rejected by ${email}`], [
    back,
    `withdrawn by ${requester.email}`,
  ]];
  for (const [id, decision] of cases as [string, string][]) {
    for (const [action, input] of [["approve", {}], ["reject", { reason: "late" }]] as const) {
      const { status, body } = await operator.post(`${PATH}/${id}/${action}`, input);
      assert.is(status, 409, `${action} after: ${decision}`);
      assert.match(body.message, decision);
    }
    if (id !== back) assert.is((await stranger.delete(`${PATH}/${id}`)).status, 409);
  }
  await deleteRows(scene.db, "federation_members", { userId: requester.id });
});

test("DELETE withdraws, repeatably, and frees the slug", async ({ scene }) => {
  const stranger = scene.as("stranger", "cli");
  const id = await ask(scene, "unwanted");
  const first = await stranger.delete(`${PATH}/${id}`);
  assert.equal([first.status, first.body.state, first.body.decidedBy.id], [200, "withdrawn", scene.people.stranger.id]);
  assert.equal((await stranger.delete(`${PATH}/${id}`)).body, first.body);
  const audit = await selectRows(scene.db, "audit_events", { objectId: id }, { columns: ["kind"], orderBy: "at" });
  assert.equal(audit.map(({ kind }) => kind), ["federation_requested", "federation_request_withdrawn"]);
  const again = await ask(scene, "unwanted");
  const { body } = await scene.as("operator").delete(`${PATH}/${again}`);
  assert.equal([body.state, body.decidedBy], ["withdrawn", scene.people.operator]);
});

test("decisions are 403 for users who see the request, and 404 for others", async ({ scene }) => {
  const id = await ask(scene, "guarded");
  const stranger = scene.as("stranger"), hubAdmin = scene.as("hubAdmin");
  assert.is((await stranger.post(`${PATH}/${id}/approve`)).status, 403);
  assert.is((await stranger.post(`${PATH}/${id}/reject`, { reason: "x" })).status, 403);
  assert.is((await hubAdmin.post(`${PATH}/${id}/approve`)).status, 404);
  assert.is((await hubAdmin.delete(`${PATH}/${id}`)).status, 404);
  assert.is((await scene.as("operator", "provisioning").post(`${PATH}/${id}/approve`)).status, 403);
  assert.is((await scene.as("nobody").delete(`${PATH}/${id}`)).status, 401);
  assert.is((await stranger.get(`${PATH}/${id}`)).body.state, "pending");
});

test("approve with an Idempotency-Key repeats the response and creates one hub", async ({ scene }) => {
  const id = await ask(scene, "repeated"), headers = { "idempotency-key": "approve-it" };
  const operator = scene.as("operator");
  const all = await Promise.all([1, 2, 3].map(() => operator.post(`${PATH}/${id}/approve`, {}, headers)));
  assert.equal(all.map(({ status }) => status), [200, 200, 200]);
  assert.is(new Set(all.map(({ body }) => JSON.stringify(body))).size, 1);
  assert.is((await operator.post(`${PATH}/${id}/approve`, { slug: "x" }, headers)).status, 422);
  assert.is((await operator.post(`${PATH}/${id}/reject`, { reason: "no" }, headers)).status, 409);
});

test.run();
