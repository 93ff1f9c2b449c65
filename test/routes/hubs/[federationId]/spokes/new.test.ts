/** Tests the form that creates a spoke, and its preview. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { loadCatalog } from "#lib/catalog/load.ts";
import { builtInBlueprint } from "#test/support/blueprint.ts";
import { type NameServer, openNameServer } from "#test/support/dns.ts";
import { type Page, parsePage } from "#test/support/page.ts";
import { openScene, type Scene, type SceneRole } from "#test/support/scene.ts";
import { selectRows } from "#test/support/rows.ts";

interface Context {
  scene: Scene;
  names: NameServer;
  open(who?: SceneRole): Promise<Page>;
  count(): Promise<number>;
}

const test = suite<Context>("the form for a spoke");

const CATALOG = JSON.stringify({
  brands: [{ name: "ocean", title: "Deep ocean" }],
  seeds: [],
  sizes: [{ name: "small", price: { currency: "EUR", monthly: 1900 } }, {
    ...{ name: "large", title: "Large school", price: { currency: "JPY", monthly: 1900 } },
  }],
});

test.before(async (context) => {
  const names = context.names = await openNameServer();
  const scene = context.scene = await openScene({ env: { DNS_SERVERS: names.address } });
  Object.assign(scene.app, { catalog: loadCatalog(CATALOG, await builtInBlueprint()) });
  context.open = (who = "hubAdmin") => parsePage(scene, `/hubs/${scene.hub}/spokes/new`, who);
  context.count = async () => (await selectRows(scene.db, "spokes")).length;
});
test.after(async ({ scene, names }) => {
  await scene.close();
  await names.close();
});

const SHOW = "Preview", MAKE = "Create spoke";

test("offers the values of the catalog, with prices in each currency", async ({ open }) => {
  const page = await open();
  assert.ok(page.has("radio", /Small.*€19\.00/));
  assert.ok(page.has("radio", /Large school.*¥1,900/));
  assert.equal(page.field("Brand").options, ["None", "Deep ocean"]);
  assert.not(page.has("field", "Seed"), "if there are no choices");
  assert.equal(page.field("New versions of courses").options, [
    "Gets each new version",
    "Admins of the site take versions",
    "Keeps the first version",
  ]);
  assert.is(page.field("Administrator").value, "hub-admin@example.org");
  assert.match(page.part("region", "Preview").text, "Enter a slug");
});

test("previews address, price and objects, and creates nothing", async (context) => {
  const { open, count } = context, before = await count();
  const preview = await (await open()).submit(SHOW, { Slug: "elm", Name: "Elm <b>school</b>", size: "large" });
  const part = preview.part("region", "Preview");
  assert.match(
    part.text,
    /Ready to create.*¥1,900 per month.*nothing is charged.*https?:\/\/elm\.spokes\.example\.org/,
  );
  assert.match(part.text, /Elm <b>school<\/b>.*\d+ objects to create.*Deployment moodle.*"kind": "Namespace"/);
  assert.not.match(preview.html, "<b>school");
  assert.equal([preview.status, preview.field("Slug").value, await count()], [200, "elm", before]);
  assert.ok(preview.part("radio", /Large/).attribute("checked") !== null, "the selection is kept");
});

test("creates the spoke once, even if the form is sent twice, and opens its page", async ({ scene, open, count }) => {
  const before = await count(), form = await open();
  const filled = {
    Slug: "birch",
    Name: "Birch <i>school</i>",
    "Include the hub's shared courses": true,
    "New versions of courses": "pull",
    Brand: "ocean",
  };
  const [made, again] = [await form.submit(MAKE, filled), await form.submit(MAKE, filled)];
  assert.match(made.path, /^\/spokes\/spk_\w+\?done=created$/);
  assert.equal([again.path, await count()], [made.path, before + 1]);
  assert.match(made.part("status", /Creation started/).text, "This page shows the progress");
  assert.not.match(made.html, "<i>school");
  const { body } = await scene.as("hubAdmin").get("/api/spokes/birch.spokes.example.org");
  assert.equal([body.brand, body.content, body.contentMode, body.identity], ["ocean", true, "pull", false]);
  assert.is(body.size, "small");
});

test("shows problems at the field and in the preview, and keeps the values", async ({ open }) => {
  for (const button of [SHOW, MAKE]) {
    const page = await (await open()).submit(button, { Slug: "oak", Name: "Second oak", Domain: "learn.example.com" });
    assert.equal([page.status, page.field("Name").value], [409, "Second oak"], button);
  }
  const taken = await (await open()).submit(MAKE, { Slug: "oak" });
  assert.equal([taken.status, taken.field("Slug").wrong], [409, true]);
  assert.match(taken.field("Slug").description, "This hub already has a spoke with the slug oak");
  assert.match(taken.part("region", "Preview").text, "Not yet");
  const wrong = await (await open()).submit(MAKE, { Slug: "Not a slug", "Administrator": "<me>" });
  assert.equal([wrong.status, wrong.field("Slug").wrong, wrong.field("Administrator").wrong], [
    400,
    true,
    true,
  ]);
  assert.equal([wrong.field("Administrator").value, wrong.html.includes('"<me>"')], ["<me>", false]);
});

test("shows the TXT record for a domain, and accepts the domain once it exists", async (context) => {
  const { open, names } = context, filled = { Slug: "pine", Domain: "learn.example.com" };
  const page = await (await open()).submit(SHOW, filled);
  assert.equal([page.status, page.field("Domain").wrong], [409, true]);
  const [name, value] = page.part("region", "Preview").all("definition");
  assert.is(name, "_wheelwright.learn.example.com");
  names.setAnswer(name!, [[value!]]);
  assert.match((await page.submit(SHOW)).part("region", "Preview").text, "Ready to create");
});

test("shows the price of a size without a slug", async ({ open }) => {
  const page = await (await open()).submit(SHOW, { size: "large" });
  assert.equal([page.status, page.field("Slug").wrong], [200, false]);
  assert.match(page.part("region", "Preview").text, /Enter a slug.*¥1,900/);
});

test("is for hub admins only", async ({ scene, open }) => {
  const refused = await open("spokeAdmin");
  assert.equal([refused.status, refused.part("heading").text], [403, "You are not allowed to do this"]);
  assert.is((await open("stranger")).status, 404);
  const headers = {
    ...await scene.as("spokeAdmin").credentials(),
    "content-type": "application/x-www-form-urlencoded",
  };
  const sent = await scene.send(`/hubs/${scene.hub}/spokes/new`, { method: "POST", headers, body: "slug=mine" });
  assert.is(sent.status, 403);
});

test.run();
