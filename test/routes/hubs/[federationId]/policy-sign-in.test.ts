/** Tests the portal's form for the sign-in that a hub shares, with a simulated cluster that stores the client secret. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openSignInScene, type SignInScene } from "#test/lib/domains/spokes/sign-in-scene.ts";
import { parsePage } from "#test/support/page.ts";
import { selectRows, updateRows } from "#test/support/rows.ts";

const SECRET = "the text of the secret", TOKEN = "the text of the token";
const test = suite<{ porch: SignInScene; path: string }>("the sign-in on /hubs/{id}/policy");

test.before(async (context) => {
  const { work, id } = context.porch = await openSignInScene();
  const { federationId } = await work.row(id);
  context.path = `/hubs/${federationId}/policy`;
  await updateRows(work.db, "spokes", { identity: true }, { id });
});
test.after(({ porch }) => porch.close());

test("says which values are missing, and keeps the input", async ({ porch: { scene }, path }) => {
  const page = await parsePage(scene, path, "hubAdmin");
  assert.match(page.text, "The hub's mode is not set");
  assert.match(page.text, "http://algebra.spokes.example.org/admin/oauth2callback.php");
  const refused = await page.submit("Save the sign-in", {
    "Client ID": "moodle",
    "Address of the provider": "http://a",
  });
  assert.is(refused.status, 400);
  assert.match(refused.text, "Address of the provider must be an https URL");
  const incomplete = await page.submit("Save the sign-in", {
    "Address of the provider": "",
    "Client ID": "moodle",
    "Email domains": "school.example",
  });
  assert.match(incomplete.text, "The sign-in needs an issuer and a client secret");
  assert.is(incomplete.field("Client ID").value, "moodle");
  assert.is(incomplete.field("Email domains").value, "school.example");
});

test("stores the secret in the cluster, never shows it, and keeps it when the field is empty", async ({ porch, path }) => {
  const { scene, work } = porch, page = await parsePage(scene, path, "hubAdmin");
  const saved = await page.submit("Save the sign-in", {
    "Address of the provider": "https://login.school.example",
    "Client ID": "moodle",
    "Client secret": SECRET,
    "Email domains": "school.example, *.school.example",
  });
  assert.is(saved.path, `${path}?done=shared`);
  assert.match(saved.text, "One is stored; leave the field empty to keep it");
  assert.not.match(saved.html, SECRET);
  const { federationId } = await work.row(porch.id);
  const readValues = async () =>
    (await selectRows(work.db, "federations", { id: federationId }))[0]!.policy!.signIn!.values;
  const first = await readValues();
  assert.equal(first.domains, ["school.example", "*.school.example"]);
  let renamed = await saved.submit("Save the sign-in", { "Text of the button": "School account" });
  assert.is(renamed.field("Text of the button").value, "School account");
  assert.equal(await readValues(), { ...first, label: "School account" });
  assert.match(renamed.text, "/login/index.php?loginredirect=0");
  const registering = await renamed.submit("Save the sign-in", { "Registration token": TOKEN });
  assert.match(registering.text, "Sites register themselves at the provider");
  assert.not.match(registering.html, TOKEN);
  const { registrationToken } = await readValues();
  const kept = await registering.submit("Save the sign-in", { "Text of the button": "Account" });
  assert.is((await readValues()).registrationToken, registrationToken);
  renamed = await kept.submit("Save the sign-in", { "All sites use the hub's client again": true });
  assert.is((await readValues()).registrationToken, undefined);
  const redirecting = await renamed.submit("Save the sign-in", { "Login page": "redirect" });
  assert.is((await readValues()).loginPage, "redirect");
  await redirecting.submit("Save the sign-in", { "Address of the provider": "", "Client ID": "" });
  assert.is((await readValues()).clientSecret, undefined);
  assert.not.match(porch.logLines.join("\n"), SECRET);
  assert.not.match(JSON.stringify(await selectRows(work.db, "audit_events")), SECRET);
});

test("says why the cluster could not store the secret", async ({ porch, path }) => {
  const { scene, work: { simulator } } = porch, page = await parsePage(scene, path, "hubAdmin");
  const fault = simulator.faults.answer(403, { method: "PATCH", path: "/secrets/identity" });
  const refused = await page.submit("Save the sign-in", {
    "Address of the provider": "https://login.school.example",
    "Client ID": "moodle",
    "Client secret": SECRET,
  });
  simulator.faults.remove(fault);
  assert.is(refused.status, 503);
  assert.match(refused.text, "Cannot store the client secret in the cluster");
  assert.not.match(refused.html, SECRET);
});

test.run();
