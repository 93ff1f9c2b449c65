/** Tests requests about rollouts: previews, creation, visibility, and changes of their state. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { addHubAdmin, createTestUser } from "#test/support/users.ts";
import { insertHub, insertSpoke } from "#test/support/insert-rows.ts";
import { openScene, type Scene } from "#test/support/scene.ts";
import { selectRows, updateRows } from "#test/support/rows.ts";

const test = suite<{ scene: Scene; ids: string[]; foreign: string }>("/api/rollouts");
test.before.each(async (context) => {
  const { db, hub, spoke, people } = context.scene = await openScene();
  const south = await insertHub(db, people.operator.id, "south");
  context.foreign = await insertSpoke(db, people.operator.id, south, "fir");
  context.ids = [spoke];
  for (const slug of ["ash", "birch", "cedar"]) {
    context.ids.push(await insertSpoke(db, people.operator.id, hub, slug));
  }
  await updateRows(db, "spokes", { state: "active", health: "healthy" });
});
test.after.each(({ scene }) => scene.close());

const RESTART = { action: "restart", selector: { all: true } };

test("a dry run shows the waves and the spokes that are skipped, and changes nothing", async ({ scene, ids }) => {
  await updateRows(scene.db, "spokes", { state: "suspended" }, { id: ids[1] });
  const { status, body } = await scene.as("hubAdmin", "cli").post("/api/rollouts?dryRun=true", {
    ...RESTART,
    batch: "50%",
  });
  assert.is(status, 200, JSON.stringify(body));
  assert.equal(body.waves, [1, 2]);
  assert.is(body.skipped, 1);
  assert.equal([body.canary, body.batch, body.maxUnavailable, body.maxFailures, body.window], [
    ...[{ spokes: 1, minutes: 10 }, "50%", 5, 1, null],
  ]);
  const skipped = body.spokes.find((each: { spokeId: string }) => each.spokeId === ids[1]);
  assert.is(skipped.wave, null);
  assert.match(skipped.reason, "Cannot restart a spoke that is suspended");
  assert.equal(await selectRows(scene.db, "rollouts") as unknown[], []);
});

test("a hub admin starts a rollout on the spokes of the hub, and no others", async ({ scene, ids }) => {
  const hubAdmin = scene.as("hubAdmin", "cli");
  const { status, body, headers } = await hubAdmin.post("/api/rollouts", RESTART);
  assert.is(status, 201, JSON.stringify(body));
  assert.is(headers.get("location"), `/api/rollouts/${body.id}`);
  assert.equal(body.spokes.map((each: { spokeId: string }) => each.spokeId).toSorted(), ids.toSorted());
  assert.is(body.counts.waiting, 4);
  assert.is(body.requestedBy.email, scene.people.hubAdmin.email);
  const jobs = await selectRows(scene.db, "jobs", { kind: "run-rollout" });
  assert.equal(jobs.map(({ payload, state }) => [payload, state]), [[{ rolloutId: body.id }, "queued"]]);
  const { body: listed } = await hubAdmin.get("/api/rollouts");
  assert.equal(listed.map((each: { id: string }) => each.id), [body.id]);
  const events = await selectRows(scene.db, "audit_events", { kind: "rollout_created" });
  assert.equal(events.map(({ objectId, federationId }) => [objectId, federationId]), [[body.id, scene.hub]]);
});

test("a request that is sent again with its key starts nothing again", async ({ scene }) => {
  const send = () => scene.as("operator", "cli").post("/api/rollouts", RESTART, { "idempotency-key": "once" });
  const [first, second] = [await send(), await send()];
  assert.is(first.body.id, second.body.id);
  assert.is((await selectRows(scene.db, "rollouts")).length, 1);
});

test("selects by IDs in their order, by hub, size, version and text", async ({ scene, ids, foreign }) => {
  const preview = async (selector: object) => {
    const { body } = await scene.as("operator", "cli").post("/api/rollouts?dryRun=true", {
      action: "restart",
      selector,
    });
    return body.spokes?.map((each: { slug: string }) => each.slug) ?? body.code;
  };
  assert.equal(await preview({ ids: [foreign, ids[2], ids[1]] }), ["fir", "birch", "ash"]);
  assert.equal(await preview({ federationId: scene.hub, q: "cedar" }), ["cedar"]);
  assert.equal(await preview({ federationId: "south" }), ["fir"]);
  assert.is(await preview({ federationId: "nowhere" }), "rollout_empty");
  await updateRows(scene.db, "spokes", { size: "large", lmsVersion: "4.5.1" }, { id: ids[3] });
  assert.equal(await preview({ size: "large" }), ["cedar"]);
  assert.equal(await preview({ lmsVersion: "4.5.1" }), ["cedar"]);
  assert.equal(await preview({ outdated: true, federationId: scene.hub }), ["oak", "ash", "birch", "cedar"]);
  await updateRows(scene.db, "spokes", { blueprintRevision: scene.app.blueprint.revision }, { id: ids[1] });
  assert.equal(await preview({ outdated: true, federationId: scene.hub }), ["oak", "birch", "cedar"]);
  assert.equal(await preview({ size: "huge" }), "rollout_empty");
});

test("previews the downtime, the least time and the price", async ({ scene }) => {
  const preview = async (body: object) =>
    (await scene.as("operator", "cli").post("/api/rollouts?dryRun=true", { ...RESTART, ...body })).body;
  const unknown = await preview({});
  assert.equal([unknown.usualSeconds, unknown.minimumSeconds, unknown.price], [null, null, null]);
  await scene.db.sql(`insert into jobs (id, kind, visible, time_limit_ms, plan, step_names, label, requester_id,
      requester_email, requester_ip, requester_agent, state, started_at, finished_at)
    values ('op_past', 'restart', true, 1000, 1, '{one}', '', '', '', '', '', 'succeeded', now() - interval '42 seconds', now())`);
  const { waves, usualSeconds, downtimes, minimumSeconds } = await preview({
    canary: { spokes: 1, minutes: 3 },
    batch: "1",
  });
  const changed = waves.reduce((sum: number, count: number) => sum + count, 0);
  assert.equal([usualSeconds, downtimes, minimumSeconds], [42, changed, 180 + 42 * changed], "one spoke in each wave");
  const resize = await preview({ action: "resize", size: "large" });
  assert.equal(Object.keys(resize.price), ["totals", "unpriced"]);
});

test("refuses spokes that the caller only administers, actions for operators, and wrong values", async ({ scene }) => {
  const post = async (who: "spokeAdmin" | "hubAdmin", body: object) =>
    (await scene.as(who, "cli").post("/api/rollouts", { ...RESTART, ...body })).body;
  assert.is((await post("spokeAdmin", {})).code, "federation_admin_only");
  assert.is((await post("hubAdmin", { action: "reapply" })).code, "operator_only");
  assert.is((await post("hubAdmin", { action: "upgrade" })).code, "parameter_needed");
  assert.match((await post("hubAdmin", { selector: {} })).message, "selector must select spokes");
  assert.match((await post("hubAdmin", { batch: "0%" })).message, "batch must be a number of spokes such as 20");
  const window = { days: ["sat"], from: "22:00", to: "05:00", timeZone: "Mars/Olympus" };
  assert.match((await post("hubAdmin", { window })).message, "must be a time zone such as Europe/Berlin");
  assert.match((await post("hubAdmin", { window: { ...window, from: "24:00" } })).message, "must be a time of day");
});

test("is paused, resumed and aborted, each only in a state that allows it", async ({ scene }) => {
  const { id } = (await scene.as("hubAdmin", "cli").post("/api/rollouts", RESTART)).body;
  const change = async (verb: string, body?: object) => {
    const reply = await scene.as("operator", "cli").post(`/api/rollouts/${id}/${verb}`, body);
    return reply.body.code ?? reply.body.state;
  };
  assert.equal([await change("resume", {}), await change("pause"), await change("pause")], [
    ...["rollout_state", "paused", "rollout_state"],
  ]);
  assert.equal([await change("resume", {}), await change("abort"), await change("abort")], [
    ...["running", "aborted", "rollout_state"],
  ]);
  const { body } = await scene.as("operator", "readonly").get(`/api/rollouts/${id}`);
  assert.is(body.reason, `Aborted by ${scene.people.operator.email}`);
  assert.is(body.counts.skipped, 4);
  assert.ok(body.finishedAt);
  const { body: notices } = await scene.as("hubAdmin").get("/api/notifications");
  assert.equal(notices.map((each: { kind: string }) => each.kind), ["rollout_aborted", "rollout_paused"]);
});

test("is hidden from admins of only some of its hubs", async ({ scene }) => {
  const { id } = (await scene.as("operator", "cli").post("/api/rollouts", RESTART)).body;
  assert.is((await scene.as("hubAdmin", "cli").get(`/api/rollouts/${id}`)).status, 404);
  assert.equal((await scene.as("hubAdmin", "cli").get("/api/rollouts")).body, []);
  const [south] = await selectRows(scene.db, "federations", { slug: "south" });
  const both = await createTestUser(scene.db, "both");
  for (const hub of [scene.hub, south!.id]) await addHubAdmin(scene.db, both, hub);
  await addHubAdmin(scene.db, scene.people.hubAdmin, south!.id);
  assert.is((await scene.as("hubAdmin", "cli").get(`/api/rollouts/${id}`)).status, 200);
});

test.run();
