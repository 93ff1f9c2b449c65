import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openScene, type Scene } from "#test/support/scene.ts";
import { NOW, selectRows, updateRows } from "#test/support/rows.ts";

const test = suite<{ scene: Scene }>("/api/federations");
test.before(async (context) => {
  context.scene = await openScene();
});
test.after(({ scene }) => scene.close());

test("POST answers 201 with the provisioning hub and its location", async ({ scene }) => {
  const { status, headers, body } = await scene.as("operator", "cli").post("/api/federations", {
    slug: "south",
    name: "The South",
    region: "eu",
    mode: "open",
    tier: "gold",
  });
  assert.is(status, 201);
  assert.is(headers.get("location"), `/api/federations/${body.id}`);
  const { id, createdAt, updatedAt, operation, ...rest } = body;
  assert.equal(rest, {
    slug: "south",
    name: "The South",
    region: "eu",
    mode: "open",
    tier: "gold",
    state: "provisioning",
    status: "provisioning",
    stateReason: null,
    spokeCount: 0,
    modeNote: "The mode open has no effect; content, identity, both have one",
  });
  assert.match(createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.ok(createdAt <= updatedAt, `${createdAt} ${updatedAt}`); // two readings of the same clock
  assert.equal([operation.kind, operation.state, operation.federationId], ["provision-hub", "queued", id]);
  const [audit] = await selectRows(scene.db, "audit_events", { objectId: id });
  assert.is(audit.kind, "federation_created");
  assert.match(audit.metadata.token, /^ww_cli_/);
  const [event] = await selectRows(scene.db, "stream_events", { federationId: id }, { columns: ["type"] });
  assert.is(event.type, "FederationUpdateProvisioning");
});

test("POST requires only a slug, and treats null as absent", async ({ scene }) => {
  const { status, body } = await scene.as("operator").post("/api/federations", {
    slug: "bare",
    name: null,
    tier: null,
  });
  assert.equal([status, body.name, body.tier, body.region], [201, "bare", null, null]);
});

test("POST is 409 for a slug that is taken, also simultaneously", async ({ scene }) => {
  const all = await Promise.all(
    Array.from({ length: 5 }, () => scene.as("operator").post("/api/federations", { slug: "contested" })),
  );
  assert.equal(all.map(({ status }) => status).sort(), [201, 409, 409, 409, 409]);
  const { body } = all.find(({ status }) => status === 409)!;
  assert.equal([body.statusCode, body.error], [409, "Conflict"]);
  assert.match(body.message, "contested");
});

test("POST with an Idempotency-Key creates one hub", async ({ scene }) => {
  const headers = { "idempotency-key": "once-and-for-all" };
  const send = () => scene.as("operator").post("/api/federations", { slug: "single" }, headers);
  const all = await Promise.all([send(), send(), send()]);
  assert.equal(all.map(({ status }) => status), [201, 201, 201]);
  assert.is(new Set(all.map(({ body }) => JSON.stringify(body))).size, 1);
  assert.ok(all.every((answer) => answer.headers.get("location") === `/api/federations/${answer.body.id}`));
  const other = await scene.as("operator").post("/api/federations", { slug: "another" }, headers);
  assert.is(other.status, 422);
});

test("POST is 400 and names an invalid field", async ({ scene }) => {
  const cases: [unknown, RegExp][] = [
    [{}, /slug must be/],
    [{ slug: null }, /slug must be/],
    [{ slug: "Has Spaces" }, /slug must be/],
    [{ slug: "1st_" }, /slug must be/],
    [{ slug: "a".repeat(64) }, /slug must be/],
    [{ slug: 7 }, /slug must be/],
    [{ slug: "fine", name: "" }, /name must be/],
    [{ slug: "fine", name: "nul\u0000" }, /name must be/],
    [{ slug: "fine", mode: "x".repeat(101) }, /mode must be/],
    [{ slug: "fine", tier: ["gold"] }, /tier must be/],
    [{ slug: "fine", region: "half \ud800 a pair" }, /region must be/],
  ];
  for (const [input, message] of cases) {
    const { status, body } = await scene.as("operator").post("/api/federations", input);
    assert.is(status, 400, JSON.stringify(input));
    assert.match(body.message, message);
  }
});

test("POST is for operators, and refuses narrower tokens", async ({ scene }) => {
  for (const who of ["hubAdmin", "spokeAdmin", "stranger"] as const) {
    assert.is((await scene.as(who).post("/api/federations", { slug: "mine" })).status, 403, who);
  }
  assert.is((await scene.as("operator", "provisioning").post("/api/federations", { slug: "mine" })).status, 403);
  assert.is((await scene.as("operator", "readonly").post("/api/federations", { slug: "mine" })).status, 403);
  assert.is((await scene.as("nobody").post("/api/federations", { slug: "mine" })).status, 401);
});

test("GET shows users their own hubs", async ({ scene }) => {
  const slugs = async (who: "operator" | "hubAdmin" | "spokeAdmin" | "stranger") =>
    (await scene.as(who, "readonly").get("/api/federations")).body.map((hub: { slug: string }) => hub.slug);
  assert.ok((await slugs("operator")).length > 1);
  assert.equal(await slugs("hubAdmin"), ["north"]);
  assert.equal(await slugs("spokeAdmin"), ["north"]);
  assert.equal(await slugs("stranger"), []);
});

test("GET pages through each hub once", async ({ scene }) => {
  const operator = scene.as("operator");
  const all = (await operator.get("/api/federations")).body.map((hub: { id: string }) => hub.id);
  const pagedIds: string[] = [];
  for (let before = "";;) {
    const { status, body } = await operator.get(`/api/federations?limit=2${before}`);
    assert.is(status, 200);
    if (body.length === 0) break;
    pagedIds.push(...body.map((hub: { id: string }) => hub.id));
    before = `&before=${encodeURIComponent(body.at(-1).createdAt)}`;
  }
  assert.equal(pagedIds, all);
  for (const query of ["limit=0", "limit=101", "limit=x", "before=yesterday", "includeRemoved=maybe"]) {
    assert.is((await operator.get(`/api/federations?${query}`)).status, 400, query);
  }
});

test("GET filters by slug, state and a part of the slug or name", async ({ scene }) => {
  const operator = scene.as("operator");
  await operator.post("/api/federations", { slug: "narrow", name: "100% Ärger_" });
  const find = async (query: string, caller = operator) => {
    const { status, body } = await caller.get(`/api/federations?${query}`);
    assert.is(status, 200, query);
    return body.map((hub: { slug: string }) => hub.slug);
  };
  assert.equal(await find("slug=north"), ["north"]);
  assert.equal(await find("state=active"), ["north"]);
  assert.equal(await find("q=NARR"), ["narrow"]);
  assert.equal(await find("q=0%25"), ["narrow"]);
  assert.equal(await find("q=_"), ["narrow"]);
  assert.equal(await find("q=narrow&state=active"), []);
  assert.equal(await find("slug=narrow", scene.as("hubAdmin")), []);
  const { status, body } = await operator.get("/api/federations?state=gone");
  const choices = "provisioning, active, failed, removing, removed";
  assert.equal([status, body.message], [400, `state must be one of ${choices}`]);
});

test("GET shows removed hubs only to operators on request", async ({ scene }) => {
  const { body: hub } = await scene.as("operator").post("/api/federations", { slug: "bygone" });
  await updateRows(scene.db, "federations", { state: "removed", removedAt: NOW }, { id: hub.id });
  await scene.db.sql("insert into federation_members values ($1, $2)", [hub.id, scene.people.hubAdmin.id]);
  const ids = async (who: "operator" | "hubAdmin", query: string) =>
    (await scene.as(who).get(`/api/federations${query}`)).body.map((each: { id: string }) => each.id);
  assert.not.ok((await ids("operator", "")).includes(hub.id));
  assert.ok((await ids("operator", "?includeRemoved=true")).includes(hub.id));
  assert.not.ok((await ids("hubAdmin", "?includeRemoved=true")).includes(hub.id));
  assert.is((await scene.as("operator").post("/api/federations", { slug: "bygone" })).status, 201);
});

test.run();
