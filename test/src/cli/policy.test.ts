/** Tests what a hub shares, on the command line. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openStage, type Stage } from "#test/lib/client/stage.ts";
import { createTestToken } from "#test/support/users.ts";
import { updateRows } from "#test/support/rows.ts";
import { type CliFixture, openCliFixture } from "./cli-fixture.ts";

const test = suite<{ stage: Stage; cli: CliFixture }>("wheelwright policy");

test.before(async (context) => {
  const { scene, proxy } = context.stage = await openStage();
  const { plaintext } = await createTestToken(scene.db, scene.people.hubAdmin, "cli");
  context.cli = await openCliFixture({ WHEELWRIGHT_URL: proxy.url, WHEELWRIGHT_TOKEN: plaintext });
  await updateRows(scene.db, "spokes", { state: "active" });
});
test.after(async ({ stage, cli }) => {
  await cli.close();
  await stage.close();
});

test("previews and makes a change, lists the versions and goes back", async ({ cli }) => {
  const values = ["settings.language=de", "settings.guestAccess=false", "--allow", "settings.timeZone"];
  const preview = await cli.run(["policy", "set", "north", ...values, "--dry-run"]);
  assert.is(preview.status, 0, preview.err);
  assert.match(preview.out, /settings\.language\s+not set → de/);
  assert.match(preview.out, /change now\s+1 spoke/);
  const set = await cli.run(["policy", "set", "north", ...values]);
  assert.match(set.err, /The hub now shares settings version 1/);
  assert.match(set.err, /wheelwright rollouts watch rol_/);
  const shown = await cli.run(["policy", "show", "north"]);
  assert.match(shown.out, /settings\.guestAccess\s+false/);
  assert.match(shown.out, /spokes may override\s+timeZone/);
  await cli.run(["policy", "set", "north", "settings.language=", "--forbid", "settings.timeZone"]);
  const { settings } = JSON.parse((await cli.run(["policy", "show", "north", "--json"])).out);
  assert.equal([settings.version, settings.values.language, settings.overridable], [2, null, []]);
  assert.match((await cli.run(["policy", "history", "north"])).out, /settings\s+2[^\n]+\n\s*settings\s+1/);
  assert.match((await cli.run(["policy", "rollback", "north", "settings", "1"])).err, /settings version 3/);
  assert.match((await cli.run(["policy", "set", "north"])).err, /Nothing changed/);
});

test("refuses what is no field", async ({ cli }) => {
  for (const word of ["settings.language", "language=de", "colours.main=red"]) {
    assert.is((await cli.run(["policy", "set", "north", word])).status, 2, word);
  }
});

test("takes a client secret from a file or standard input only", async ({ cli, stage }) => {
  const refused = await cli.run(["policy", "set", "north", "signIn.clientSecret=abc"]);
  assert.is(refused.status, 2);
  assert.match(refused.err, "use --client-secret-file");
  const token = await cli.run(["policy", "set", "north", "signIn.registrationToken=abc"]);
  assert.match(token.err, "use --registration-token-file");
  const registers = ["policy", "set", "north", "signIn.issuer=https://login.example", "--registration-token-file", "-"];
  const own = await cli.run([...registers, "--dry-run"], "abc\n");
  assert.match(own.out, /signIn\.registrationToken\s+not set → a new registration token/);
  const fixed = await cli.run(["policy", "set", "north", "--allow", "signIn.label"]);
  assert.match(fixed.err, 'Spokes cannot override "signIn.label"');
  const missing = await cli.run(["policy", "set", "north", "--client-secret-file", "/no/such/file"]);
  assert.match(missing.err, "Cannot read the client secret");
  const values = [
    "signIn.issuer=https://login.example",
    "signIn.clientId=moodle",
    "signIn.domains=a.example,b.example",
    "signIn.loginPage=redirect",
  ];
  const preview = await cli.run(
    ["policy", "set", "north", ...values, "--client-secret-file", "-", "--dry-run"],
    "abc\n",
  );
  assert.is(preview.status, 0, preview.err);
  assert.match(preview.out, /signIn\.clientSecret\s+not set → a new client secret/);
  assert.match(preview.out, /signIn\.loginPage\s+not set → redirect/);
  const wrong = await cli.run(["policy", "set", "north", "signIn.loginPage=popup"]);
  assert.match(wrong.err, "signIn.loginPage must be button or redirect");
  assert.match(preview.out, /signIn\.domains\s+not set → a\.example, b\.example/);
  await updateRows(stage.scene.db, "federations", { namespaceUid: null });
  const early = await cli.run(["policy", "set", "north", ...values, "--client-secret-file", "-"], "abc\n");
  assert.match(early.err, "Cannot store a client secret for a hub");
});

test.run();
