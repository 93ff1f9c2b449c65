import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openScene, type Scene, type SceneRole } from "#test/support/scene.ts";
import { nextPage } from "#test/support/next-page.ts";
import { NOW, selectRows, updateRows } from "#test/support/rows.ts";

const test = suite<{ scene: Scene }>("GET /api/my-spokes");
test.before(async (context) => {
  const scene = await openScene();
  await scene.as("operator").post("/api/federations", { slug: "south" });
  for (const slug of ["ash", "yew"]) await scene.as("operator").post("/api/federations/south/spokes", { slug });
  await scene.as("operator").post("/api/federations/north/spokes", { slug: "elm" });
  context.scene = scene;
});
test.after(({ scene }) => scene.close());

async function slugs(scene: Scene, who: SceneRole, query = ""): Promise<string[]> {
  const { status, body } = await scene.as(who, "readonly").get(`/api/my-spokes${query}`);
  assert.is(status, 200);
  return body.map((spoke: { slug: string }) => spoke.slug);
}

test("lists all spokes for an operator, a hub's for its admin, and their own for a spoke admin", async ({ scene }) => {
  assert.equal(await slugs(scene, "operator"), ["elm", "yew", "ash", "oak"]);
  assert.equal(await slugs(scene, "hubAdmin"), ["elm", "oak"]);
  assert.equal(await slugs(scene, "spokeAdmin"), ["oak"]);
  assert.equal(await slugs(scene, "stranger"), []);
});

test("combines hub and spoke memberships", async ({ scene }) => {
  const [yew] = await selectRows(scene.db, "spokes", { slug: "yew" }, { columns: ["id"] });
  await scene.db.sql("insert into spoke_members values ($1, $2)", [yew.id, scene.people.hubAdmin.id]);
  assert.equal(await slugs(scene, "hubAdmin"), ["elm", "yew", "oak"]);
});

test("pages by limit and before", async ({ scene }) => {
  assert.equal(await slugs(scene, "operator", "?limit=2"), ["elm", "yew"]);
  const { body } = await scene.as("operator").get("/api/my-spokes?limit=2");
  const last = body.at(-1).createdAt;
  assert.equal(await slugs(scene, "operator", `?limit=2&before=${encodeURIComponent(last)}`), ["ash", "oak"]);
  assert.equal(await slugs(scene, "operator", `?before=${Date.parse(last)}`), ["ash", "oak"]);
  for (const query of ["limit=0", "limit=101", "limit=-1", "limit=1.5", "before=x"]) {
    assert.is((await scene.as("operator").get(`/api/my-spokes?${query}`)).status, 400, query);
  }
});

test("filters by slug, state, health and a part of name or domain, combined", async ({ scene }) => {
  await updateRows(scene.db, "spokes", { displayName: "50% off_Ä\\", health: "degraded" }, { slug: "oak" });
  const found: Record<string, string[]> = {
    "slug=elm": ["elm"],
    "slug=nothing": [],
    "state=active": ["oak"],
    "health=degraded": ["oak"],
    "q=EL": ["elm"],
    "q=yew.spokes": ["yew"],
    "q=50%25+OFF_": ["oak"],
    "q=%25": ["oak"],
    "q=_": ["oak"],
    "q=%5C": ["oak"],
    "q=e&state=provisioning&slug=yew": ["yew"],
    "slug=elm&health=degraded": [],
  };
  for (const [query, slug] of Object.entries(found)) {
    assert.equal(await slugs(scene, "operator", `?${query}`), slug, query);
  }
  assert.equal(await slugs(scene, "spokeAdmin", "?q=spokes"), []); // other spokes' domains
  assert.equal(await slugs(scene, "spokeAdmin", "?slug=elm"), []);
  assert.equal(await slugs(scene, "hubAdmin", "?q=example"), ["elm", "yew", "oak"]);
});

test("filters by version, size, region, hub and blueprint, and sorts", async ({ scene }) => {
  const { db } = scene;
  await updateRows(db, "spokes", { lmsVersion: "9.9.1", region: "mars" }, { slug: "elm" });
  await updateRows(db, "spokes", { size: "huge", blueprintRevision: "old" }, { slug: "oak" });
  await updateRows(db, "spokes", { lastFailedAt: "2026-01-02" }, { slug: "ash" });
  await updateRows(db, "spokes", { lastFailedAt: "2026-01-03" }, { slug: "oak" });
  await updateRows(db, "spokes", { storagePercent: 91 }, { slug: "yew" });
  await updateRows(db, "spokes", { storagePercent: 40 }, { slug: "elm" });
  const found: Record<string, string[]> = {
    "lmsVersion=9.9.1": ["elm"],
    "region=mars": ["elm"],
    "region=mars&size=huge": [],
    "size=huge": ["oak"],
    "outdated=true": ["oak"],
    "outdated=true&state=suspended": [],
    "outdated=false": ["elm", "yew", "ash", "oak"],
    "federationId=south": ["yew", "ash"],
    "sort=oldest": ["oak", "ash", "yew", "elm"],
    "sort=oldest&federationId=south": ["ash", "yew"],
    "sort=last-failure": ["oak", "ash"],
    "sort=last-failure&q=as": ["ash"],
    "sort=storage": ["yew", "elm", "ash", "oak"],
    "sort=storage&q=e&minStoragePercent=40": ["yew", "elm"],
    "minStoragePercent=91": ["yew"],
    "minStoragePercent=41&federationId=south": ["yew"],
    "minStoragePercent=92": [],
  };
  for (const [query, slug] of Object.entries(found)) {
    assert.equal(await slugs(scene, "operator", `?${query}`), slug, query);
  }
  assert.equal(await slugs(scene, "hubAdmin", "?sort=oldest"), ["oak", "yew", "elm"]);
  const hub = await scene.as("stranger").get("/api/my-spokes?federationId=south");
  assert.equal([hub.status, hub.body.code], [404, "federation_missing"]);
  for (const query of ["sort=oldest", "sort=last-failure"]) {
    const { headers } = await scene.as("operator").get(`/api/my-spokes?${query}&limit=1`);
    const second = await scene.as("operator").get(nextPage(headers)!);
    assert.is(second.body[0].slug, "ash", query);
  }
});

test("names the valid values of a filter", async ({ scene }) => {
  const slugsOf = async (query: string) => {
    const { status, body } = await scene.as("operator").get(`/api/my-spokes?${query}`);
    return [status, body.code, body.message];
  };
  assert.equal(await slugsOf("health=ill"), [400, "invalid_input", "health must be one of healthy, degraded, unknown"]);
  assert.match((await slugsOf("state=gone"))[2], /^state must be one of provisioning, active, /);
  assert.is((await slugsOf("slug=No"))[0], 400);
  assert.is((await slugsOf("q="))[0], 400);
  assert.equal(await slugsOf("slgu=oak"), [400, "unknown_parameter", "Unknown parameter `slgu`; did you mean `slug`?"]);
});

test("shows removed spokes only to operators on request", async ({ scene }) => {
  const remove = "update spokes set state = 'removed', removed_at = wheelwright_now() where slug = 'ash'";
  await scene.db.sql(remove);
  assert.equal(await slugs(scene, "operator"), ["elm", "yew", "oak"]);
  assert.equal(await slugs(scene, "operator", "?includeRemoved=true"), ["elm", "yew", "ash", "oak"]);
  await updateRows(scene.db, "spokes", { state: "removed", removedAt: NOW }, { slug: "elm" });
  assert.not.ok((await slugs(scene, "hubAdmin", "?includeRemoved=true")).includes("elm"));
});

test("is 401 without credentials", async ({ scene }) => {
  assert.is((await scene.as("nobody").get("/api/my-spokes")).status, 401);
});

test.run();
