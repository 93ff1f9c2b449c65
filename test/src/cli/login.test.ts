/** Signing in and out, with pipes and in a terminal; whose token goes where. */
import { chmod, readFile, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { existsSync, mkdirSync } from "node:fs";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type CliSettings, settingsPath } from "#src/cli/settings.ts";
import { answer, openPuppet, openStage, type Stage } from "#test/lib/client/stage.ts";
import { createTestToken, PASSWORD } from "#test/support/users.ts";
import { bare, canMount, type Desk, hasTerminals, mountSmall, openDesk, unmount } from "./cli-fixture.ts";

const test = suite<{ stage: Stage; desk: Desk; url: string }>("wheelwright login");
const inTerminal = hasTerminals ? test : test.skip;

test.before(async (context) => {
  context.stage = await openStage();
  context.url = context.stage.proxy.url.replace(/\/$/, "");
});
test.before.each(async (context) => {
  context.desk = await openDesk();
});
test.after.each(({ desk }) => desk.close());
test.after(({ stage }) => stage.close());

const EMAIL = "hub-admin@example.org";
const kept = async ({ env }: Desk): Promise<CliSettings> => JSON.parse(await readFile(settingsPath(env), "utf8"));

test("by pipes: it keeps a token named after the machine, and ends the session that made it", async ({ desk, url, stage }) => {
  const { status, out, err } = await desk.run(["login", url, "--email", EMAIL, "--password"], `${PASSWORD}\n`);
  assert.equal([status, out], [0, ""], err);
  assert.match(
    err,
    /^Signed in to \S+ as hub-admin@example\.org\. The token is stored in \S+servers\.json\nNext: wheelwright spokes list\n$/,
  );
  assert.is((await stat(settingsPath(desk.env))).mode & 0o777, 0o600);
  const { profiles: { default: profile } } = await kept(desk);
  assert.is((await desk.json("me")).user.email, EMAIL);
  const tokens = await desk.json("tokens", "list");
  assert.equal([tokens.length, tokens[0].id], [1, profile!.tokenId]);
  assert.match(tokens[0].name, /^wheelwright on .+@.+/);
  const sessions = await stage.scene.as("hubAdmin").get("/api/auth/sessions");
  assert.is(sessions.body.length, 1, "that of the test alone");
  // Once more: the token that was kept serves nobody any more.
  await desk.run(["login", url, "--email", EMAIL, "--password"], `${PASSWORD}\n`);
  assert.is((await desk.json("tokens", "list")).length, 1);
  const left = await desk.run(["logout"]);
  assert.match(left.err, /Signed out of \S+: the token is revoked/);
  assert.is((await desk.run(["me"])).status, 4);
  assert.is((await stage.scene.as("hubAdmin").get("/api/auth/tokens")).body.length, 0);
});

test("writes nothing where the server answers without a token", async ({ desk }) => {
  const user = '{"user":{"id":"usr_1","email":"a@b.example","role":"operator"}}',
    nothing = answer("204 No Content", "");
  for (const minted of ['{"id":"tok_1","name":"x"}', '{"id":"tok_1","token":"two words"}', '{"token":7}']) {
    const puppet = await openPuppet([answer("200 OK", user), answer("201 Created", minted), nothing]);
    const { status, out, err } = await desk.run(["login", puppet.url, "--email", "a@b.example", "--password"], "x\n");
    await puppet.close();
    assert.equal([status, out], [7, ""], err);
    assert.match(err, /returned no token\. You are not signed in, and nothing was written\n$/);
  }
  const puppet = await openPuppet([answer("200 OK", "{}")]);
  const given = await desk.run(["login", puppet.url, "--token"], "ww_cli_abcdefghijklmnop\n");
  await puppet.close();
  assert.equal([given.status, given.out], [7, ""], given.err);
  assert.match(given.err, "did not return the owner of the token");
  assert.not(existsSync(settingsPath(desk.env)));
  assert.is((await desk.run(["me"])).status, 4);
});

inTerminal("in a terminal it asks, and shows nothing of the password", async ({ desk, url }) => {
  const terminal = desk.sit(["login"]);
  await terminal.shows(/Server \(http:\/\/localhost:3000\): /);
  terminal.type(`${url}\r`);
  await terminal.shows(/E-mail: /);
  terminal.type(`${EMAIL}\r`);
  await terminal.shows(/Password: /);
  terminal.type(`x\x7f${PASSWORD}\r`);
  assert.is(await terminal.ended, 0, terminal.shown);
  assert.match(bare(terminal.shown), /✓ Signed in to/);
  assert.not(terminal.shown.includes(PASSWORD.slice(3, 12)));
  assert.is((await desk.json("me")).user.email, EMAIL);
});

inTerminal("Ctrl-C at a question ends it with 130, and nothing is kept", async ({ desk, url }) => {
  const terminal = desk.sit(["login", url, "--email", EMAIL]);
  await terminal.shows(/Password: /);
  terminal.type("half\x03");
  assert.is(await terminal.ended, 130);
  assert.is((await desk.run(["me"])).status, 4);
});

test("a wrong password is status 4 and keeps nothing; without a terminal it says what to give", async ({ desk, url }) => {
  const wrong = await desk.run(["login", url, "--email", EMAIL, "--password"], "not the password\n");
  assert.is(wrong.status, 4);
  assert.match(wrong.err, /login_failed/);
  const silent = await desk.run(["login", url]);
  assert.is(silent.status, 2);
  assert.match(silent.err, /use --email and --password \(read from standard input\), or --token/);
  assert.is((await desk.run(["me"])).status, 4);
});

test("a token that is given is kept under its name, and logout leaves it working", async ({ desk, url, stage }) => {
  const { scene } = stage, { plaintext } = await createTestToken(scene.db, scene.people.hubAdmin, "readonly");
  const given = await desk.run(["login", url, "--token", "--profile", "school"], `${plaintext}\n`);
  assert.is(given.status, 0, given.err);
  assert.match(given.err, /add --profile school or set WHEELWRIGHT_PROFILE=school/);
  assert.is((await desk.json("me", "--profile", "school")).user.email, EMAIL);
  const wrong = await desk.run(["me", "--profile", "scool"]);
  assert.equal([wrong.status, /Did you mean school\?/.test(wrong.err)], [3, true], wrong.err);
  assert.match((await desk.run(["logout", "--profile", "school"])).err, /deleted, but not revoked/);
  assert.is((await desk.run(["me"], "", { WHEELWRIGHT_URL: url, WHEELWRIGHT_TOKEN: plaintext })).status, 0);
});

test("a token that is kept for one server is never sent to another", async ({ desk, url, stage }) => {
  const { scene } = stage, { plaintext } = await createTestToken(scene.db, scene.people.hubAdmin, "cli");
  await desk.run(["login", url, "--token"], `${plaintext}\n`);
  const elsewhere = await desk.run(["me"], "", { WHEELWRIGHT_URL: "http://127.0.0.1:9" });
  assert.is(elsewhere.status, 4);
  assert.match(elsewhere.err, /You are not signed in to http:\/\/127\.0\.0\.1:9\./);
  assert.is((await desk.run(["me"], "", { WHEELWRIGHT_URL: `${url}/api` })).status, 0);
});

test("a token that has expired is status 4, and says how to go on", async ({ desk, url, stage }) => {
  const { scene } = stage, yesterday = new Date(Date.now() - 86_400_000);
  const { plaintext } = await createTestToken(scene.db, scene.people.hubAdmin, "cli", yesterday);
  const { status, out, err } = await desk.run(["me"], "", { WHEELWRIGHT_URL: url, WHEELWRIGHT_TOKEN: plaintext });
  assert.equal([status, out], [4, ""]);
  assert.match(err, /To sign in again, run 'wheelwright login'/);
  assert.not(err.includes(plaintext));
});

(canMount ? test : test.skip)(
  "on a full disk the token of before is kept, and the new one is revoked",
  async (context) => {
    const { desk, url, stage: { scene } } = context, fill = mountSmall(desk.directory);
    try {
      const { plaintext } = await createTestToken(scene.db, scene.people.hubAdmin, "cli");
      assert.is((await desk.run(["login", url, "--token"], plaintext)).status, 0);
      fill();
      const tokens = async () => (await scene.as("hubAdmin").get("/api/auth/tokens")).body.length;
      const before = await tokens();
      const { status, err } = await desk.run(["login", url, "--email", EMAIL, "--password"], PASSWORD);
      assert.is(status, 1);
      assert.match(
        err,
        /^Cannot use \S+servers\.json: the disk is full. To use another directory, set XDG_CONFIG_HOME\n$/,
      );
      assert.is((await kept(desk)).profiles["default"]!.token, plaintext);
      assert.is(await tokens(), before);
    } finally {
      unmount(desk.directory);
    }
  },
);

test("where the file cannot be used, nobody signs in", async ({ desk, url }) => {
  const file = settingsPath(desk.env);
  mkdirSync(dirname(file), { recursive: true });
  await writeFile(file, "no JSON");
  await chmod(file, 0o600);
  const { status, err } = await desk.run(["login", url, "--email", EMAIL, "--password"], "not the password");
  assert.is(status, 1);
  assert.match(err, /^\S+servers\.json is not a valid settings file[^\n]*\n$/);
});

test.run();
