import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openProviderScene, type ProviderScene } from "#test/support/provider-sign-in.ts";
import { parsePage } from "#test/support/page.ts";
import { updateRows } from "#test/support/rows.ts";
import { PASSWORD } from "#test/support/users.ts";

const ENV = {
  ...{ PASSWORDS: "off", PORTAL: "on", SIGNUP: "on" },
  ...{ BOOTSTRAP_ADMIN_EMAIL: "operator@example.org", BOOTSTRAP_ADMIN_PASSWORD: PASSWORD },
};
const test = suite<ProviderScene>("PASSWORDS=off");

test.before.each(async (context) => {
  Object.assign(context, await openProviderScene({ env: ENV }));
});
test.after.each(({ close }) => close());

test("refuses passwords, whether the address has an account or not", async ({ scene }) => {
  for (const email of [scene.people.hubAdmin.email, "who@example.org"]) {
    const refused = await scene.as("nobody").post("/api/auth/login", { email, password: PASSWORD });
    assert.equal([refused.status, refused.body.code], [403, "passwords_off"]);
  }
});

test("lets the bootstrap admin in, until an operator disables this user", async ({ scene }) => {
  const { email, id } = scene.people.operator;
  const login = (password: string) => scene.as("nobody").post("/api/auth/login", { email, password });
  assert.is((await login(PASSWORD)).status, 200);
  const wrong = await login("not the password");
  assert.equal([wrong.status, wrong.body.code], [403, "passwords_off"], "tells strangers which address it is");
  await updateRows(scene.db, "users", { disabledAt: await scene.db.now() }, { id });
  assert.is((await login(PASSWORD)).status, 403);
});

test("refuses to set, change or reset passwords", async ({ scene }) => {
  const { id } = scene.people.spokeAdmin;
  const refusals = [
    await scene.as("nobody").post("/api/auth/forgot-password", { email: "hub-admin@example.org" }),
    await scene.as("nobody").post("/api/auth/reset-password", { token: "x", password: "maple orbit candle sparrow" }),
    await scene.as("hubAdmin").post("/api/auth/password", {
      current: PASSWORD,
      password: "maple orbit candle sparrow",
    }),
    await scene.as("operator").post(`/api/users/${id}/reset-password`),
    await scene.as("hubAdmin").post("/api/onboarding/complete", { password: "maple orbit candle sparrow" }),
  ];
  assert.equal(refusals.map(({ status, body }) => [status, body.code]), Array(5).fill([403, "passwords_off"]));
  const body = { email: "new@example.org", password: "maple orbit candle sparrow" };
  assert.is((await scene.as("nobody").post("/api/auth/signup", body)).body.code, "signup_off");
});

test("shows buttons of providers on the sign-in page, and no way to a password but the admin's", async ({ scene }) => {
  const page = await parsePage(scene, "/sign-in?next=/hubs%3Fq=oak");
  const button = /href="([^"]*)">Sign in with Contoso</.exec(page.html)![1]!;
  assert.is(button.replaceAll("&amp;", "&"), "/api/auth/providers/contoso/start?next=%2Fhubs%3Fq%3Doak");
  assert.match(page.html, "<summary>Sign in with a password</summary>");
  assert.not.match(page.html, /forgot|sign-up/);
});

test.run();
