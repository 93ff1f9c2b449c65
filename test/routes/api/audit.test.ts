import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openScene, type Scene } from "#test/support/scene.ts";
import { insertRow } from "#test/support/rows.ts";

const test = suite<{ scene: Scene }>("GET /api/audit");
test.before(async (context) => {
  const scene = context.scene = await openScene();
  await scene.as("operator").post("/api/federations", { slug: "south" });
  await scene.as("hubAdmin", "cli").post("/api/federations/north/spokes", { slug: "elm" });
  await scene.as("hubAdmin", "cli").post(`/api/spokes/${scene.spoke}/actions`, { action: "suspend" });
});
test.after(({ scene }) => scene.close());

async function kinds(scene: Scene, query: string): Promise<string[]> {
  const { status, body } = await scene.as("operator", "readonly").get(`/api/audit${query}`);
  assert.is(status, 200);
  return body.map((event: { kind: string }) => event.kind);
}

test("shows complete events, newest first", async ({ scene }) => {
  const { body } = await scene.as("operator").get("/api/audit");
  assert.equal(body.map((event: { kind: string }) => event.kind), [
    "spoke_actioned",
    "spoke_requested",
    "federation_created",
  ]);
  const { id, metadata, at, ...event } = body[0];
  assert.equal(event, {
    kind: "spoke_actioned",
    actor: { id: scene.people.hubAdmin.id, email: scene.people.hubAdmin.email },
    objectType: "spoke",
    objectId: scene.spoke,
    ip: event.ip,
    userAgent: event.userAgent,
  });
  assert.match(id, /^evt_/);
  assert.is(metadata.action, "suspend");
  assert.match(at, /\.\d{3}Z$/);
});

test("applies each filter", async ({ scene }) => {
  assert.equal(await kinds(scene, "?kind=spoke_requested"), ["spoke_requested"]);
  assert.equal(await kinds(scene, `?actor=${scene.people.operator.id}`), ["federation_created"]);
  assert.equal(await kinds(scene, "?objectType=federation"), ["federation_created"]);
  assert.equal(await kinds(scene, `?objectId=${scene.spoke}`), ["spoke_actioned"]);
  assert.equal(await kinds(scene, `?federationId=${scene.hub}`), ["spoke_actioned", "spoke_requested"]);
  assert.equal(await kinds(scene, `?federationId=${scene.hub}&kind=federation_created`), []);
});

test("combines all filters", async ({ scene }) => {
  const { email } = scene.people.hubAdmin;
  const filters: Record<string, [fits: string, other: string]> = {
    kind: ["spoke_actioned", "spoke_requested"],
    actor: [email.toUpperCase(), scene.people.operator.email],
    objectType: ["spoke", "federation"],
    objectId: [scene.spoke, scene.hub],
    federationId: ["north", "south"],
  };
  const query = (wrong: string | null) =>
    "?" +
    Object.entries(filters).map(([name, [fits, other]]) =>
      `${name}=${encodeURIComponent(name === wrong ? other : fits)}`
    ).join("&");
  assert.equal(await kinds(scene, query(null)), ["spoke_actioned"]);
  for (const name of Object.keys(filters)) assert.equal(await kinds(scene, query(name)), [], name);
});

test("finds users by ID and address, and hubs by ID and slug", async ({ scene }) => {
  const { id, email } = scene.people.operator;
  for (const actor of [id, email]) {
    assert.equal(await kinds(scene, `?actor=${encodeURIComponent(actor)}`), ["federation_created"]);
  }
  assert.equal(await kinds(scene, "?federationId=south"), ["federation_created"]);
  for (const query of ["actor=nobody@example.org", "actor=usr_nobody", "federationId=nowhere", "federationId=fed_x"]) {
    assert.equal(await kinds(scene, `?${query}`), [], query);
  }
});

test("names the valid kinds and types", async ({ scene }) => {
  for (
    const [query, choice] of [["kind=spoke_exploded", "spoke_requested"], ["objectType=planet", "federation_request"]]
  ) {
    const { status, body } = await scene.as("operator").get(`/api/audit?${query}`);
    assert.is(status, 400);
    assert.match(body.message, new RegExp(`must be one of .*${choice}`));
  }
});

test("pages by limit and before", async ({ scene }) => {
  const { body } = await scene.as("operator").get("/api/audit?limit=1");
  assert.is(body.length, 1);
  assert.equal(await kinds(scene, `?before=${Date.parse(body[0].at)}`), ["spoke_requested", "federation_created"]);
  for (const query of ["limit=0", "limit=101", "before=x", "kind=%00", "actor="]) {
    assert.is((await scene.as("operator").get(`/api/audit?${query}`)).status, 400, query);
  }
});

test("is for operators only", async ({ scene }) => {
  assert.is((await scene.as("hubAdmin").get("/api/audit")).status, 403);
  assert.is((await scene.as("nobody").get("/api/audit")).status, 401);
});

test("finds events that were written under a kind's former name", async ({ scene }) => {
  await insertRow(scene.db, "audit_events", {
    id: "evt_before",
    kind: "spoke_member_removed",
    actorId: "system",
    actorEmail: "system",
    objectType: "spoke",
    objectId: "x",
    metadata: "{}",
    ip: "",
    userAgent: "",
    at: "2026-01-01",
    customerVisible: false,
    originPrivate: false,
  });
  assert.equal(await kinds(scene, "?kind=spoke_member_removed"), ["spoke_member_removed"]);
  assert.equal(await kinds(scene, "?kind=spoke_delegation_removed"), []);
});

test.run();
