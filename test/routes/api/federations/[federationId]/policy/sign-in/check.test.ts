/** Tests the check of an identity provider from a site in a simulated cluster. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openSignInScene, type SignInScene } from "#test/lib/domains/spokes/sign-in-scene.ts";
import { parsePage } from "#test/support/page.ts";
import { updateRows } from "#test/support/rows.ts";

const test = suite<{ porch: SignInScene; hub: string }>("POST /api/federations/{id}/policy/sign-in/check");
test.before(async (context) => {
  const { work, id } = context.porch = await openSignInScene();
  context.hub = (await work.row(id)).federationId;
});
test.after.each(({ porch }) => porch.work.simulator.faults.clear());
test.after(({ porch }) => porch.close());

const check = ({ scene }: SignInScene, hub: string, issuer?: string, who: "hubAdmin" | "spokeAdmin" = "hubAdmin") =>
  scene.as(who, "cli").post(`/api/federations/${hub}/policy/sign-in/check`, issuer === undefined ? {} : { issuer });

test("answers whether a site can use the provider, and leaves no Job behind", async ({ porch, hub }) => {
  const issuer = "https://login.school.example";
  const { status, body } = await check(porch, hub, issuer);
  assert.equal([status, body], [200, { issuer, problem: null, spokeId: porch.id }]);
  const blocked = await check(porch, hub, "https://unreachable.example");
  assert.match(blocked.body.problem, "unreachable.example/.well-known/openid-configuration: The URL is blocked.");
  assert.is(porch.objects("Job").filter(({ metadata }) => metadata.name.startsWith("check-sign-in")).length, 0);
});

test("refuses http, a missing issuer, and users who only manage the spoke", async ({ porch, hub }) => {
  assert.match((await check(porch, hub, "http://login.example")).body.message, "issuer must be an https URL");
  assert.is((await check(porch, hub)).body.code, "sign_in_incomplete");
  assert.is((await check(porch, hub, "https://login.example", "spokeAdmin")).status, 403);
});

test("answers 409 while another request checks, and without an active spoke", async ({ porch, hub }) => {
  const space = await porch.space(), { work } = porch;
  const job = work.app.blueprint.jobObject((await work.row(porch.id)).blueprintInputs as never, "check-sign-in", "0", {
    issuer: "https://login.example",
    request: "another",
  });
  const created = await space.create(job, { signal: AbortSignal.timeout(10_000) });
  const busy = await check(porch, hub, "https://login.example");
  assert.equal([busy.status, busy.body.code], [409, "check_in_progress"]);
  const ref = { apiVersion: "batch/v1", kind: "Job", name: created.metadata.name };
  await space.delete(ref, created.metadata.uid!, { signal: AbortSignal.timeout(10_000) });
  await updateRows(work.db, "spokes", { state: "suspended" }, { id: porch.id });
  const none = await check(porch, hub, "https://login.example");
  await updateRows(work.db, "spokes", { state: "active" }, { id: porch.id });
  assert.equal([none.status, none.body.code], [409, "spoke_state"]);
});

test("says when the cluster fails", async ({ porch, hub }) => {
  porch.work.simulator.faults.answer(403, { method: "POST", path: "/jobs" });
  const { status, body } = await check(porch, hub, "https://login.example");
  assert.equal([status, body.code], [503, "cluster_unavailable"]);
});

test("is a button of the portal, which keeps the typed values except the secret", async ({ porch: { scene }, hub }) => {
  const page = await parsePage(scene, `/hubs/${hub}/policy`, "hubAdmin");
  const checked = await page.submit("Check the provider", {
    "Address of the provider": "https://unreachable.example",
    "Client ID": "moodle",
    "Client secret": "a secret",
  });
  assert.match(checked.text, "The sites cannot use https://unreachable.example");
  assert.is(checked.field("Client ID").value, "moodle");
  assert.not.match(checked.html, "a secret");
  const usable = await checked.submit("Check the provider", { "Address of the provider": "https://login.example" });
  assert.match(usable.text, "The sites can use https://login.example");
});

test.run();
