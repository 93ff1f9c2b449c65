/** Tests that REQUIRE_SECOND_FACTOR leaves users without a second factor only the way to add one. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createTotpCode } from "#lib/domains/auth/factors/totp.ts";
import { HTTP_METHODS } from "#lib/http/endpoint.ts";
import { manifest } from "#src/manifest.ts";
import { createTestFactor } from "#test/support/factors.ts";
import { parsePage } from "#test/support/page.ts";
import { openScene, type Scene } from "#test/support/scene.ts";

const test = suite<{ scene: Scene; all: Scene }>("REQUIRE_SECOND_FACTOR");

test.before(async (context) => {
  context.scene = await openScene({ env: { REQUIRE_SECOND_FACTOR: "operators" } });
  context.all = await openScene({ env: { REQUIRE_SECOND_FACTOR: "all" } });
});
test.after(async ({ scene, all }) => {
  await scene.close();
  await all.close();
});

test("opens only the endpoints for adding a factor", () => {
  const open = manifest.flatMap(([pattern, module]) =>
    HTTP_METHODS.filter((method) => module[method]?.duringEnrolment).map((method) => `${method} ${pattern}`)
  );
  assert.equal(open.sort(), [
    "GET /account/security",
    "GET /account/security/app",
    "GET /account/security/passkey",
    "GET /api/auth/factors",
    "GET /api/auth/me",
    "POST /account/security/:factorId/activate",
    "POST /account/security/app",
    "POST /account/security/passkey",
    "POST /api/auth/confirm",
    "POST /api/auth/factors",
    "POST /api/auth/factors/:factorId/activate",
    "POST /sign-out",
  ]);
});

test("operators: refuses operators' sessions, not their tokens and not other users", async ({ scene }) => {
  const refused = await scene.as("operator").get("/api/users");
  assert.equal([refused.status, refused.body.code], [403, "second_factor_enrolment_required"]);
  assert.is((await scene.as("operator").post("/api/auth/tokens", { name: "x", scope: "cli" })).status, 403);
  assert.is((await scene.as("operator", "cli").get("/api/users")).status, 200);
  assert.is((await scene.as("hubAdmin").get("/api/federations")).status, 200);
  assert.is((await scene.as("operator").get("/api/auth/me")).status, 200);
});

test("all: refuses everybody without a factor", async ({ all }) => {
  for (const who of ["stranger", "spokeAdmin", "hubAdmin"] as const) {
    assert.is((await all.as(who).get("/api/federations")).body.code, "second_factor_enrolment_required", who);
  }
});

test("leads from every page to the enrolment, which opens the portal again", async ({ scene }) => {
  const page = await parsePage(scene, "/hubs", "operator");
  assert.equal([page.status, page.part("heading").text], [403, "Set up a second factor"]);
  const form = await page.follow("Set up now");
  const shown = await form.submit("Continue", { Name: "My phone" });
  assert.ok(shown.has("img", "QR code for your authenticator app"));
  const secret = /[A-Z2-7]{4}( [A-Z2-7]{4}){7}/.exec(shown.text)![0].replaceAll(" ", "");
  const wrong = await shown.submit("Activate", { Code: "12" });
  assert.ok(wrong.has("img", "QR code for your authenticator app") && wrong.field("Code").wrong);
  const codes = await wrong.submit("Activate", { Code: createTotpCode(secret, await scene.db.now()) });
  assert.equal([codes.status, codes.headers.get("cache-control")], [200, "no-store"]);
  assert.is(codes.text.match(/[a-z2-9]{6}(-[a-z2-9]{6}){3}/g)!.length, 10);
  const security = await codes.follow("I have saved the codes");
  assert.match(security.text, "My phone");
  assert.not(security.has("link", /Remove/)); // the last one stays
  assert.is((await parsePage(scene, "/hubs", "operator")).status, 200);
  const { body: { factors: [{ id }] } } = await scene.as("operator").get("/api/auth/factors");
  const kept = await scene.as("operator").delete(`/api/auth/factors/${id}`);
  assert.equal([kept.status, kept.body.code], [409, "last_factor"]);
  await createTestFactor(scene.app, scene.people.operator);
  assert.is((await scene.as("operator").delete(`/api/auth/factors/${id}`)).status, 204);
});

test.run();
