import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openSignInScene, type SignInScene } from "#test/lib/domains/spokes/sign-in-scene.ts";
import { parsePage } from "#test/support/page.ts";
import { updateRows } from "#test/support/rows.ts";

const test = suite<{ porch: SignInScene }>("the pages of a spoke with a running site");
test.before(async (context) => void (context.porch = await openSignInScene()));
test.after.each(({ porch }) => porch.work.simulator.faults.clear());
test.after(({ porch }) => porch.close());

test("show each field that the cluster would change, and change nothing", async ({ porch }) => {
  const { scene, id } = porch, before = porch.objects("Deployment");
  const page = await parsePage(scene, `/spokes/${id}/actions/suspend`, "spokeAdmin");
  const changes = page.part("region", "Changes in the cluster").text;
  assert.match(changes, /Deployment\/moodle 1 field spec\.replicas From 1 ?to 0/);
  assert.equal(porch.objects("Deployment"), before);
});

test("show that the cluster does not answer, and still accept the action", async ({ porch }) => {
  porch.work.simulator.faults.answer(500, { method: "PATCH" });
  const page = await parsePage(porch.scene, `/spokes/${porch.id}/actions/suspend`, "spokeAdmin");
  assert.is(page.status, 200);
  assert.match(page.part("alert").text, "cluster");
  assert.ok(page.has("button", "Suspend"));
});

test("show a sign-in link once, and the link works", async ({ porch }) => {
  const page = await parsePage(porch.scene, `/spokes/${porch.id}/sign-in-link`, "spokeAdmin");
  const made = await page.submit("Create a link"), link = made.link(/Open the site/);
  assert.ok(link.endsWith(`token=${porch.account()!.reset!.token}`));
  assert.match(made.text, /shown only once.*works once, until/);
  assert.is(made.headers.get("cache-control"), "no-store");
  assert.not.match((await parsePage(porch.scene, `/spokes/${porch.id}/sign-in-link`, "spokeAdmin")).html, "token=");
});

test("explain why a site accepts no sign-in", async ({ porch }) => {
  await updateRows(porch.work.db, "spokes", { maintenance: true }, { id: porch.id });
  const page = await parsePage(porch.scene, `/spokes/${porch.id}/sign-in-link`, "spokeAdmin");
  const refused = await page.submit("Create a link");
  assert.is(refused.status, 409);
  assert.match(refused.part("alert").text, "in maintenance mode; turn maintenance mode off first");
  await updateRows(porch.work.db, "spokes", { maintenance: false }, { id: porch.id });
});

test.run();
