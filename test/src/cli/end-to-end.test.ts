/** Creates, watches and destroys spokes with a running program, over a network connection that is cut. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { connect, type Wheelwright } from "#lib/client/client.ts";
import { textWidth } from "#src/cli/text.ts";
import { type StartedProgram, startProgram } from "#test/support/program.ts";
import { openProxy, type TcpProxy } from "#test/support/proxy.ts";
import { until } from "#test/support/until.ts";
import { type CliFixture, hasTerminals, openCliFixture, withoutEscapes } from "./cli-fixture.ts";

interface Context {
  cli: CliFixture;
  /** A client without the proxy, which is faster than running the command line. */
  client: Wheelwright;
  program: StartedProgram;
  proxy: TcpProxy;
}

const test = suite<Context>("the command line, end to end");
const inTerminal = hasTerminals ? test : test.skip;

test.before(async (context) => {
  const cli = context.cli = await openCliFixture();
  context.program = startProgram(["dev"], {
    ...{ PORT: "0", HOST: "127.0.0.1", DATA_DIR: join(cli.directory, "data"), SIMULATOR_DELAY_MS: "300" },
  });
  const url = (await context.program.said(/^Listening on /)).replace("Listening on ", "");
  const password = /Password\s+(\S+)/.exec(context.program.lines.join("\n"))![1]!;
  context.proxy = await openProxy(url.replace("localhost", "127.0.0.1"));
  const email = "admin@wheelwright.localhost", line = ["login", context.proxy.url, "--email", email, "--password"];
  context.client = connect({ url });
  await context.client.login({ email, password });
  const { status, err } = await cli.run(line, password);
  assert.is(status, 0, err);
  const made = await cli.run(["hubs", "create", "north"]);
  assert.is(made.status, 0, made.err);
  assert.match(made.err, /^Hub north is active$/m);
});
test.after(async ({ cli, program, proxy }) => {
  await proxy?.close();
  await program?.stop();
  await cli.close();
});

test("creates a spoke and prints each step on a line", async ({ cli }) => {
  const { status, out, err } = await cli.run(["spokes", "create", "north/ash", "--json=slug,state"]);
  assert.is(status, 0, err);
  assert.equal(JSON.parse(out), { slug: "ash", state: "active" });
  const steps = err.match(/^north\/ash: provision \d+\/10 \S.*$/gm) ?? [];
  assert.ok(steps.length > 3 && new Set(steps).size === steps.length, err); // a step that ends between two reads is not shown
  assert.match(err, /^north\/ash: provision done in \d+ s$/m);
  assert.is((await cli.run(["spokes", "logs", "north/ash"])).status, 3, "nothing has failed");
});

test("reports a lost connection and continues without losing events", async ({ cli, client, proxy }) => {
  const following = cli.run(["events", "follow", "north", "--since", "0", "--json"]);
  const creating = cli.run(["spokes", "create", "north/birch"]);
  for (let cuts = 0; cuts < 3; cuts++) {
    await until(async () => {
      const [birch] = await client.listMySpokes({ q: "birch" });
      return birch?.state === "active" || (birch?.operation?.step ?? 0) > cuts * 2 + 1;
    });
    proxy.cut();
  }
  const { status, err } = await creating;
  assert.is(status, 0, err);
  assert.match(err, /Reconnecting/);
  assert.is(err.match(/provision done/g)?.length, 1);
  const removed = await cli.run(["spokes", "destroy", "north/birch", "north/ash", "--yes", "--json=slug,state"]);
  assert.equal(
    JSON.parse(removed.out).map((spoke: { state: string }) => spoke.state),
    ["removed", "removed"],
    removed.err,
  );
  assert.is((await cli.run(["hubs", "destroy", "north", "--yes"])).status, 0);
  const followed = await following; // ends when the hub is removed
  assert.is(followed.status, 0, followed.err);
  const numbers = followed.out.trimEnd().split("\n").map((line) => JSON.parse(line)).filter(({ type }) =>
    type !== "StreamEnd"
  )
    .map(({ id }) => Number(id));
  assert.equal(numbers, numbers.map((_, i) => i + 1), "each once, in order");
  assert.is((await cli.run(["hubs", "create", "north"])).status, 0);
});

test("creates the spokes of a file with an outcome for each, and creates nothing twice", async ({ cli }) => {
  const file = join(cli.directory, "spokes.yaml");
  await writeFile(file, "\ufeff- {slug: elm, size: small}\n- {hub: north, slug: fir}\n- {slug: 'Bad!'}\n");
  const made = await cli.run(["spokes", "apply", "-f", file, "--hub", "north", "--json=id,outcome,error.code"]);
  assert.is(made.status, 2, made.err);
  assert.equal(JSON.parse(made.out), [
    { id: "north/elm", outcome: "created", "error.code": null },
    { id: "north/fir", outcome: "created", "error.code": null },
    { id: "north/Bad!", outcome: "refused", "error.code": "invalid_input" },
  ]);
  await writeFile(file, Buffer.from("- {slug: koeln, displayName: Köln}", "latin1"));
  const latin = await cli.run(["spokes", "apply", "-f", file, "--hub", "north"]);
  assert.equal([latin.status, /Cannot read \S+: it is not valid UTF-8$/m.test(latin.err)], [1, true], latin.err);
  const list = '{"spokes": [{"slug": "elm", "size": "large"}, {"slug": "fir"}]}';
  const again = await cli.run(["spokes", "apply", "-f", "-", "--hub", "north", "--json=outcome,differs"], list);
  assert.equal(JSON.parse(again.out), [{ outcome: "exists", differs: ["size"] }, { outcome: "exists", differs: [] }]);
  assert.is((await cli.json("spokes", "list", "--hub", "north")).length, 2);
  // Within a day, the former idempotency key would return the destroyed spoke.
  await cli.run(["spokes", "destroy", "north/fir", "--yes"]);
  const recreated = await cli.run(["spokes", "apply", "-f", "-", "--hub", "north", "--json=outcome,spoke.state"], list);
  assert.equal(JSON.parse(recreated.out)[1], { outcome: "created", "spoke.state": "active" }, recreated.err);
  for (
    const [text, said] of [["{", /neither YAML nor JSON/], ["{}", /must contain a list/], [
      "[{}]",
      /Entry 1 .* needs a slug/,
    ]] as const
  ) {
    const { status, err } = await cli.run(["spokes", "create", "-f", "-", "--hub", "north"], text);
    assert.is(status, 2);
    assert.match(err, said);
  }
});

test("exits with status 6 after --timeout, while the operation continues", async ({ cli }) => {
  const { status, out, err } = await cli.run(["spokes", "restart", "north/elm", "--timeout", "1s", "--json=slug"]);
  assert.equal([status, JSON.parse(out)], [6, { slug: "elm" }], err);
  const [, id] = /To watch again: wheelwright operations watch (op_\S+)/.exec(err)!;
  const watched = await cli.run(["operations", "watch", id!, "--json=id,state"]);
  assert.equal([watched.status, JSON.parse(watched.out)], [0, { id, state: "succeeded" }], watched.err);
});

inTerminal("continues the operation after Ctrl-C, and prints the command to watch it", async ({ cli }) => {
  const terminal = cli.openTerminal(["spokes", "restart", "north/elm"]);
  await terminal.waitFor(/restart|[12]\/3/);
  await terminal.waitFor(/●/);
  terminal.type("\x03");
  assert.is(await terminal.ended, 130, terminal.output);
  const [, id] = /To watch again: wheelwright operations watch (op_\S+)/.exec(withoutEscapes(terminal.output))!;
  const watching = cli.openTerminal(["operations", "watch", id!], 60);
  assert.is(await watching.ended, 0, watching.output);
  assert.match(withoutEscapes(watching.output), /✓ restart of north\/elm is done/);
  for (const line of withoutEscapes(watching.output).split("\n")) assert.ok(line.length <= 60, line);
});

inTerminal(
  "shows bars for several operations at 80 columns, and only text at 40",
  async ({ cli }) => {
    for (const columns of [80, 40]) {
      const line = ["spokes", "restart", "north/elm", "north/fir"], terminal = cli.openTerminal(line, columns);
      assert.is(await terminal.ended, 0, terminal.output);
      const lines = withoutEscapes(terminal.output).split("\n");
      for (const line of lines) assert.ok(textWidth(line) < Math.max(columns, 41), line);
      assert.is(lines.some((line) => /^● north\/(?:elm|fir) .*[■◧]□+ .*\d\/\d/.test(line)), columns === 80);
      assert.ok(lines.some((line) => /^✓ north\/elm .*done in \d/.test(line)), terminal.output);
    }
  },
);

inTerminal("destroys a spoke only after its slug was typed", async ({ cli }) => {
  const wrong = cli.openTerminal(["spokes", "destroy", "north/fir"]);
  await wrong.waitFor(/Type fir to continue: /);
  wrong.type("elm\r");
  assert.is(await wrong.ended, 1);
  assert.match(withoutEscapes(wrong.output), /Cancelled/);
  const right = cli.openTerminal(["spokes", "destroy", "north/fir"], 40);
  await right.waitFor(/Type fir to continue: /);
  right.type("fir\r");
  assert.is(await right.ended, 0, right.output);
  assert.match(withoutEscapes(right.output), /✓ Spoke north\/fir is removed/);
});

test("prints only the sign-in link", async ({ cli }) => {
  const { status, out } = await cli.run(["spokes", "open", "north/elm", "--sign-in"]);
  assert.is(status, 0);
  assert.match(out, /^http\S+\/login\/forgot_password\.php\?token=\S+\n$/);
});

test.run();
