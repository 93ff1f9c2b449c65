/** Tests login and logout with pipes and in a terminal, and which server receives a token. */
import { chmod, readFile, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { existsSync, mkdirSync } from "node:fs";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type CliSettings, findSettingsPath } from "#src/cli/settings.ts";
import { answer, openPuppet, openStage, type Stage } from "#test/lib/client/stage.ts";
import { createTestToken, PASSWORD } from "#test/support/users.ts";
import {
  canMount,
  type CliFixture,
  hasTerminals,
  mountSmall,
  openCliFixture,
  unmount,
  withoutEscapes,
} from "./cli-fixture.ts";

const test = suite<{ stage: Stage; cli: CliFixture; url: string }>("wheelwright login");
const inTerminal = hasTerminals ? test : test.skip;

test.before(async (context) => {
  context.stage = await openStage();
  context.url = context.stage.proxy.url.replace(/\/$/, "");
});
test.before.each(async (context) => {
  context.cli = await openCliFixture();
});
test.after.each(({ cli }) => cli.close());
test.after(({ stage }) => stage.close());

const EMAIL = "hub-admin@example.org";
const readStored = async ({ env }: CliFixture): Promise<CliSettings> =>
  JSON.parse(await readFile(findSettingsPath(env), "utf8"));

test("stores a token named after the machine, and ends the session, with pipes", async ({ cli, url, stage }) => {
  const { status, out, err } = await cli.run(["login", url, "--email", EMAIL, "--password"], `${PASSWORD}\n`);
  assert.equal([status, out], [0, ""], err);
  assert.match(
    err,
    /^Signed in to \S+ as hub-admin@example\.org\. The token is stored in \S+servers\.json\nNext: wheelwright spokes list\n$/,
  );
  assert.is((await stat(findSettingsPath(cli.env))).mode & 0o777, 0o600);
  const { profiles: { default: profile } } = await readStored(cli);
  assert.is((await cli.json("me")).user.email, EMAIL);
  const tokens = await cli.json("tokens", "list");
  assert.equal([tokens.length, tokens[0].id], [1, profile!.tokenId]);
  assert.match(tokens[0].name, /^wheelwright on .+@.+/);
  const sessions = await stage.scene.as("hubAdmin").get("/api/auth/sessions");
  assert.is(sessions.body.length, 1, "that of the test alone");
  // A second login revokes the token of the first.
  await cli.run(["login", url, "--email", EMAIL, "--password"], `${PASSWORD}\n`);
  assert.is((await cli.json("tokens", "list")).length, 1);
  const left = await cli.run(["logout"]);
  assert.match(left.err, /Signed out of \S+: the token was revoked/);
  assert.is((await cli.run(["me"])).status, 4);
  assert.is((await stage.scene.as("hubAdmin").get("/api/auth/tokens")).body.length, 0);
});

test("writes nothing if the server returns no token", async ({ cli }) => {
  const user = '{"user":{"id":"usr_1","email":"a@b.example","role":"operator"}}',
    nothing = answer("204 No Content", "");
  for (const minted of ['{"id":"tok_1","name":"x"}', '{"id":"tok_1","token":"two words"}', '{"token":7}']) {
    const puppet = await openPuppet([answer("200 OK", user), answer("201 Created", minted), nothing]);
    const { status, out, err } = await cli.run(["login", puppet.url, "--email", "a@b.example", "--password"], "x\n");
    await puppet.close();
    assert.equal([status, out], [7, ""], err);
    assert.match(err, /returned no token\. You are not signed in, and nothing was written\n$/);
  }
  const puppet = await openPuppet([answer("200 OK", "{}")]);
  const login = await cli.run(["login", puppet.url, "--token"], "ww_cli_abcdefghijklmnop\n");
  await puppet.close();
  assert.equal([login.status, login.out], [7, ""], login.err);
  assert.match(login.err, "did not return the owner of the token");
  assert.not(existsSync(findSettingsPath(cli.env)));
  assert.is((await cli.run(["me"])).status, 4);
});

inTerminal("prompts in a terminal without echoing the password", async ({ cli, url }) => {
  const terminal = cli.openTerminal(["login", "--email", EMAIL]);
  await terminal.waitFor(/Server \(http:\/\/localhost:3000\): /);
  terminal.type(`${url}\r`);
  await terminal.waitFor(/Password: /);
  terminal.type(`x\x7f${PASSWORD}\r`);
  assert.is(await terminal.ended, 0, terminal.output);
  assert.match(withoutEscapes(terminal.output), /✓ Signed in to/);
  assert.not(terminal.output.includes(PASSWORD.slice(3, 12)));
  assert.is((await cli.json("me")).user.email, EMAIL);
});

inTerminal("exits with 130 after Ctrl-C at a prompt, and stores nothing", async ({ cli, url }) => {
  const terminal = cli.openTerminal(["login", url, "--email", EMAIL]);
  await terminal.waitFor(/Password: /);
  terminal.type("half\x03");
  assert.is(await terminal.ended, 130);
  assert.is((await cli.run(["me"])).status, 4);
});

test("exits with 4 for a wrong password; without a terminal, names the required options", async ({ cli, url }) => {
  const wrong = await cli.run(["login", url, "--email", EMAIL, "--password"], "not the password\n");
  assert.is(wrong.status, 4);
  assert.match(wrong.err, /login_failed/);
  const silent = await cli.run(["login", url]);
  assert.is(silent.status, 2);
  assert.match(silent.err, /use --email and --password \(read from standard input\), or --token/);
  assert.is((await cli.run(["me"])).status, 4);
});

test("stores an existing token under its profile, which logout does not revoke", async ({ cli, url, stage }) => {
  const { scene } = stage, { plaintext } = await createTestToken(scene.db, scene.people.hubAdmin, "readonly");
  const login = await cli.run(["login", url, "--token", "--profile", "school"], `${plaintext}\n`);
  assert.is(login.status, 0, login.err);
  assert.match(login.err, /add --profile school or set WHEELWRIGHT_PROFILE=school/);
  assert.is((await cli.json("me", "--profile", "school")).user.email, EMAIL);
  const wrong = await cli.run(["me", "--profile", "scool"]);
  assert.equal([wrong.status, /Did you mean school\?/.test(wrong.err)], [3, true], wrong.err);
  assert.match((await cli.run(["logout", "--profile", "school"])).err, /deleted, but not revoked/);
  assert.is((await cli.run(["me"], "", { WHEELWRIGHT_URL: url, WHEELWRIGHT_TOKEN: plaintext })).status, 0);
});

test("never sends a stored token to another server", async ({ cli, url, stage }) => {
  const { scene } = stage, { plaintext } = await createTestToken(scene.db, scene.people.hubAdmin, "cli");
  await cli.run(["login", url, "--token"], `${plaintext}\n`);
  const elsewhere = await cli.run(["me"], "", { WHEELWRIGHT_URL: "http://127.0.0.1:9" });
  assert.is(elsewhere.status, 4);
  assert.match(elsewhere.err, /You are not signed in to http:\/\/127\.0\.0\.1:9\./);
  assert.is((await cli.run(["me"], "", { WHEELWRIGHT_URL: `${url}/api` })).status, 0);
});

test("exits with 4 for an expired token, and explains how to sign in", async ({ cli, url, stage }) => {
  const { scene } = stage, yesterday = new Date(Date.now() - 86_400_000);
  const { plaintext } = await createTestToken(scene.db, scene.people.hubAdmin, "cli", yesterday);
  const { status, out, err } = await cli.run(["me"], "", { WHEELWRIGHT_URL: url, WHEELWRIGHT_TOKEN: plaintext });
  assert.equal([status, out], [4, ""]);
  assert.match(err, /To sign in again, run 'wheelwright login'/);
  assert.not(err.includes(plaintext));
});

(canMount ? test : test.skip)(
  "keeps the former token on a full disk, and revokes the new one",
  async (context) => {
    const { cli, url, stage: { scene } } = context, fill = mountSmall(cli.directory);
    try {
      const { plaintext } = await createTestToken(scene.db, scene.people.hubAdmin, "cli");
      assert.is((await cli.run(["login", url, "--token"], plaintext)).status, 0);
      fill();
      const tokens = async () => (await scene.as("hubAdmin").get("/api/auth/tokens")).body.length;
      const before = await tokens();
      const { status, err } = await cli.run(["login", url, "--email", EMAIL, "--password"], PASSWORD);
      assert.is(status, 1);
      assert.match(
        err,
        /^Cannot use \S+servers\.json: the disk is full. To use another directory, set XDG_CONFIG_HOME\n$/,
      );
      assert.is((await readStored(cli)).profiles["default"]!.token, plaintext);
      assert.is(await tokens(), before);
    } finally {
      unmount(cli.directory);
    }
  },
);

test("does not sign in if the file is unusable", async ({ cli, url }) => {
  const file = findSettingsPath(cli.env);
  mkdirSync(dirname(file), { recursive: true });
  await writeFile(file, "no JSON");
  await chmod(file, 0o600);
  const { status, err } = await cli.run(["login", url, "--email", EMAIL, "--password"], "not the password");
  assert.is(status, 1);
  assert.match(err, /^\S+servers\.json is not a valid settings file[^\n]*\n$/);
});

test.run();
