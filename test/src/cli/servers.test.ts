/** Tests commands with unreachable, busy, older, foreign and hostile servers. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { answer, openPuppet } from "#test/lib/client/stage.ts";
import { type CliFixture, hasTerminals, openCliFixture, withoutEscapes } from "./cli-fixture.ts";

const test = suite<{ cli: CliFixture }>("ALL_COMMANDS on a server");

test.before(async (context) => {
  context.cli = await openCliFixture({ WHEELWRIGHT_TOKEN: "ww_cli_abcdefghijklmnopqrstuvwxyz0123456789" });
});
test.after(({ cli }) => cli.close());

test("reports an unreachable, busy, older or foreign server with status 7", async ({ cli }) => {
  const at = (url: string) => cli.run(["me"], "", { WHEELWRIGHT_URL: url });
  const busy = '{"statusCode":503,"code":"overloaded","message":"The server is overloaded","error":"x"}';
  const missing = '{"statusCode":404,"code":"no_route","message":"There is nothing","error":"x"}';
  const puppets = [
    await openPuppet(Array(5).fill(answer("503 Service Unavailable", busy))),
    await openPuppet([answer("404 Not Found", missing), answer("200 OK", '{"api":"v9","commit":"abcdef"}')]),
    await openPuppet([answer("200 OK", "<html>A proxy")]),
  ];
  try {
    const [away, shed, older, proxy] = await Promise.all(
      ["http://127.0.0.1:9", ...puppets.map(({ url }) => url)].map(at),
    );
    assert.equal([away, shed, older, proxy].map((ran) => ran!.status), [7, 7, 7, 7]);
    assert.match(away!.err, /Cannot reach http:\/\/127\.0\.0\.1:9/);
    assert.match(shed!.err, /The server is overloaded[^\n]*\(overloaded/);
    assert.match(older!.err, /API v9, commit abcdef\) does not support GET \/api\/auth\/me/);
    assert.match(proxy!.err, /not a response from Wheelwright/);
  } finally {
    for (const puppet of puppets) await puppet.close();
  }
});

test("retries after the server sheds load", async ({ cli }) => {
  const busy = '{"statusCode":503,"code":"overloaded","message":"The server is overloaded","error":"x"}';
  const me =
    '{"user":{"id":"usr_1","email":"a@b.example","role":"operator","federationIds":[],"displayName":"\\u001b[2JAda","spokeIds":[],"newer":1}}';
  const puppet = await openPuppet([answer("503 Service Unavailable", busy, ["retry-after: 1"]), answer("200 OK", me)]);
  const { status, out, err } = await cli.run(["me"], "", { WHEELWRIGHT_URL: puppet.url });
  await puppet.close();
  assert.is(status, 0, err);
  assert.match(err, /The server is overloaded\. Retrying in \d s/);
  assert.match(out, /^name\t\ufffd\[2JAda$/m, "nothing of it moves a cursor");
});

(hasTerminals ? test : test.skip)(
  "colours failure reports in a terminal",
  async ({ cli }) => {
    const failed =
      '{"id":"op_1","state":"failed","error":{"step":"Installing Moodle","message":"No room","log":[],"events":[]}}';
    const puppet = await openPuppet([answer("200 OK", `[${failed}]`), answer("200 OK", failed)]);
    const terminal = cli.openTerminal(["spokes", "logs", "spk_1"], 80, { WHEELWRIGHT_URL: puppet.url });
    assert.is(await terminal.ended, 0, terminal.output);
    await puppet.close();
    assert.ok(terminal.output.includes("\x1b[2mreason     \x1b[0m  No room"), terminal.output);
    assert.not.match(terminal.output, /\ufffd/);
  },
);

/** Escape sequences and shell commands from a hostile server. */
const EVIL = "\\u001b]0;owned\\u0007\\u009b2J$(touch owned)";
const HUB = `{"id":"fed_1","slug":"${EVIL}","name":"${EVIL}","state":"${EVIL}","spokeCount":1,"createdAt":"${EVIL}"}`;

(hasTerminals ? test : test.skip)(
  "removes escape sequences of a hostile server",
  async ({ cli }) => {
    const refused = `{"statusCode":400,"code":"${EVIL}","message":"${EVIL}","error":"x"}`;
    const lines: readonly (readonly [string[], string[], number])[] = [
      [["hubs", "list"], [answer("200 OK", `[${HUB}]`)], 0],
      [["hubs", "show", "x"], [answer("200 OK", HUB)], 0],
      [["hubs", "show", "x", "--json"], [answer("200 OK", HUB)], 0],
      [["hubs", "show", "x", "-q"], [answer("200 OK", HUB.replace("fed_1", EVIL))], 0],
      [["hubs", "show", "x"], [answer("400 Bad Request", refused)], 2],
    ];
    for (const [line, answers, status] of lines) {
      const puppet = await openPuppet(answers), terminal = cli.openTerminal(line, 80, { WHEELWRIGHT_URL: puppet.url });
      assert.is(await terminal.ended, status, terminal.output);
      // deno-lint-ignore no-control-regex
      assert.not.match(withoutEscapes(terminal.output), /[\x00-\x09\x0b-\x1f\x7f-\x9f]/, line.join(" "));
      await puppet.close();
    }
  },
);

test("completes no names that a shell would run", async ({ cli }) => {
  const puppet = await openPuppet([answer("200 OK", `[${HUB},${HUB.replace(EVIL, "north")}]`)]);
  const { status, out } = await cli.run(["__complete", "hubs", "show", ""], "", { WHEELWRIGHT_URL: puppet.url });
  await puppet.close();
  assert.is(status, 0);
  assert.match(out, /^north\t[^\n]*\n$/);
});

test("prints no token, even if the server sends one", async ({ cli }) => {
  const token = cli.env["WHEELWRIGHT_TOKEN"]!;
  const echoing = `{"statusCode":401,"code":"token_unknown","message":"No token ${token}","error":"x"}`;
  const puppet = await openPuppet([answer("401 Unauthorized", echoing)]);
  const { status, err } = await cli.run(["me"], "", { WHEELWRIGHT_URL: puppet.url });
  await puppet.close();
  assert.is(status, 4);
  assert.match(err, /No token ww_cli_…/);
  const address = await cli.run(["me"], "", { WHEELWRIGHT_URL: "https://ada:s3cret@example.org" });
  assert.equal([address.status, address.err.includes("s3cret")], [2, false]);
});

test.run();
