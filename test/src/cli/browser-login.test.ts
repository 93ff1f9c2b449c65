/** Tests `wheelwright login` by the browser: real processes, and pages that are submitted without a browser. */
import { chmod, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { findSettingsPath } from "#src/cli/settings.ts";
import { answer, openPuppet, openStage, type Stage } from "#test/lib/client/stage.ts";
import { parsePage } from "#test/support/page.ts";
import { until } from "#test/support/until.ts";
import { type CliFixture, openCliFixture } from "./cli-fixture.ts";

const test = suite<{ stage: Stage; cli: CliFixture; url: string }>("wheelwright login by the browser");
test.before(async (context) => {
  context.stage = await openStage();
  context.url = context.stage.proxy.url.replace(/\/$/, "");
});
test.before.each(async (context) => void (context.cli = await openCliFixture()));
test.after.each(({ cli }) => cli.close());
test.after(({ stage }) => stage.close());

const EMAIL = "hub-admin@example.org";

/** Starts a login whose browser is a script that stores the opened URL. Returns the URL and the login's result. */
async function startLogin({ cli, url }: { cli: CliFixture; url: string }) {
  const file = join(cli.directory, "opened"), script = join(cli.directory, "browser");
  await writeFile(script, `#!/bin/sh\nprintf %s "$1" > ${file}.part && mv ${file}.part ${file}\n`);
  await chmod(script, 0o755);
  const result = cli.run(["login", url], "", { BROWSER: script });
  const opened = await until(() => readFile(file, "utf8").catch(() => undefined));
  return { opened: new URL(opened), result };
}

/** Opens the page of the URL as the hub's admin and presses a button. Returns the URL to which the page continues. */
async function decide({ scene }: Stage, { pathname, search }: URL, button: string): Promise<string> {
  const page = await parsePage(scene, pathname + search, "hubAdmin");
  const done = await page.submit(button);
  assert.is(done.status, 200, done.text);
  const [, next] = /^0;url=(http:\/\/127\.0\.0\.1:\d+\/callback\?.+)$/.exec(done.headers.get("refresh") ?? "")!;
  assert.is(done.link("Continue to the terminal"), next);
  return next!;
}

test("stores the token of the approved sign-in, and shows it nowhere", async ({ stage, ...context }) => {
  const { cli } = context, { opened, result } = await startLogin(context);
  assert.equal([...opened.searchParams.keys()], ["challenge", "port", "state", "name", "scope"]);
  const next = new URL(await decide(stage, opened, "Approve"));
  assert.equal(
    [next.port, next.searchParams.get("state")],
    ["port", "state"].map((name) => opened.searchParams.get(name)),
  );
  for (
    const forged of [
      "/callback?state=guessed&code=x",
      `/other${next.search}`,
      `/callback?state=${next.searchParams.get("state")}`,
    ]
  ) assert.is((await fetch(new URL(forged, next))).status, 404, forged);
  const shown = await fetch(next);
  assert.match(await shown.text(), "Continue in the terminal");
  const { status, out, err } = await result;
  assert.equal([status, out], [0, ""], err);
  assert.match(err, new RegExp(`Signed in to \\S+ as ${EMAIL}`));
  assert.not.match(err, /ww_cli_/);
  const file = findSettingsPath(cli.env);
  assert.is((await stat(file)).mode & 0o777, 0o600);
  const [token] = await cli.json("tokens", "list");
  assert.match(token.name, /^wheelwright on .+@.+/);
  assert.ok(token.expiresAt !== null, "the page proposes an expiry");
  assert.match((await cli.run(["logout"])).err, "the token was revoked");
  assert.equal((await stage.scene.as("hubAdmin").get("/api/auth/tokens")).body, []);
});

test("ends if the user denies the sign-in", async ({ stage, ...context }) => {
  const { opened, result } = await startLogin(context);
  await fetch(await decide(stage, opened, "Deny"));
  const { status, err } = await result;
  assert.is(status, 4);
  assert.match(err, "You denied the sign-in");
  assert.is((await context.cli.run(["me"])).status, 4);
});

test("refuses a link to another address than a port of this machine", async ({ stage: { scene }, ...context }) => {
  const { opened, result } = await startLogin(context);
  for (const port of ["80", "65536", "1e4", "50000@evil.example"]) {
    const url = new URL(opened);
    url.searchParams.set("port", port);
    assert.is((await parsePage(scene, url.pathname + url.search, "hubAdmin")).status, 400, port);
  }
  await fetch(await decide({ scene } as Stage, opened, "Deny"));
  await result;
});

test("shows a code for a browser on another machine", async ({ stage: { scene }, cli, url }) => {
  const login = cli.openTerminal(["login", url, "--no-browser"]);
  await login.waitFor(/type the code ([A-Z]{4}-[A-Z]{4})/);
  const [, code] = /type the code ([A-Z]{4}-[A-Z]{4})/.exec(login.output)!;
  assert.match(login.output.replaceAll(/\s/g, ""), "/device");
  const form = await parsePage(scene, "/device", "hubAdmin");
  const wrong = await form.submit("Continue", { Code: "BBBB-BBBB" });
  assert.is(wrong.status, 404);
  const found = await form.submit("Continue", { Code: code!.toLowerCase() });
  assert.match(found.text, /Started from the address/);
  assert.match(found.text, /Did somebody send you this code\? Then deny/);
  const done = await found.submit("Approve", { scope: "readonly" });
  assert.ok(done.has("heading", "Sign-in approved"));
  assert.is(await login.ended, 0, login.output);
  const [token] = await cli.json("tokens", "list", "--limit", "1");
  assert.is(token.scope, "readonly");
});

test("exits with 130 after Ctrl-C, and stores nothing", async ({ cli, url }) => {
  const login = cli.openTerminal(["login", url]);
  await login.waitFor(/type the code/);
  login.type("\x03");
  assert.is(await login.ended, 130);
  assert.is((await cli.run(["me"])).status, 4);
});

test("names --email for a server without the page", async ({ cli }) => {
  const off = '{"statusCode":409,"code":"portal_off","message":"Off","error":"Conflict"}';
  const none = '{"statusCode":404,"code":"no_route","message":"No endpoint at this path","error":"Not Found"}';
  for (const [status, body] of [["409 Conflict", off], ["404 Not Found", none]] as const) {
    for (const [words, env] of [[["--no-browser"], {}], [[], { BROWSER: "/bin/true" }]] as const) {
      const puppet = await openPuppet([answer(status, body), answer("404 Not Found", none)]);
      const { status: exit, err } = await cli.run(["login", puppet.url, ...words], "", env);
      await puppet.close();
      assert.is(exit, 4, err);
      assert.match(err, "Use --email ADDRESS to sign in with a password");
    }
  }
});

test.run();
