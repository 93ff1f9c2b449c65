/** From nothing to live spokes and back, against the program as `npm start` starts it, on a network that is cut in between. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { textWidth } from "#src/cli/text.ts";
import { type StartedProgram, startProgram } from "#test/support/program.ts";
import { openProxy, type TcpProxy } from "#test/support/proxy.ts";
import { until } from "#test/support/until.ts";
import { bare, type Desk, hasTerminals, openDesk } from "./cli-fixture.ts";

interface Context {
  desk: Desk;
  program: StartedProgram;
  proxy: TcpProxy;
}

const test = suite<Context>("waiting for what was begun");
const inTerminal = hasTerminals ? test : test.skip;

test.before(async (context) => {
  const desk = context.desk = await openDesk();
  context.program = startProgram(["dev"], {
    ...{ PORT: "0", HOST: "127.0.0.1", DATA_DIR: join(desk.directory, "data"), SIMULATOR_DELAY_MS: "300" },
  });
  const url = (await context.program.said(/^Listening on /)).replace("Listening on ", "");
  const password = /Password\s+(\S+)/.exec(context.program.lines.join("\n"))![1]!;
  context.proxy = await openProxy(url.replace("localhost", "127.0.0.1"));
  const line = ["login", context.proxy.url, "--email", "admin@wheelwright.localhost", "--password"];
  const { status, err } = await desk.run(line, password);
  assert.is(status, 0, err);
  const made = await desk.run(["hubs", "create", "north"]);
  assert.is(made.status, 0, made.err);
  assert.match(made.err, /^Hub north is active$/m);
});
test.after(async ({ desk, program, proxy }) => {
  await proxy?.close();
  await program?.stop();
  await desk.close();
});

test("a spoke is made, and its steps are told as they come, each on a line of its own", async ({ desk }) => {
  const { status, out, err } = await desk.run(["spokes", "create", "north/ash", "--json=slug,state"]);
  assert.is(status, 0, err);
  assert.equal(JSON.parse(out), { slug: "ash", state: "active" });
  const steps = err.match(/^north\/ash: provision \d+\/10 \S.*$/gm) ?? [];
  assert.ok(steps.length > 3 && new Set(steps).size === steps.length, err); // what ends sooner than we look is not told
  assert.match(err, /^north\/ash: provision done in \d+ s$/m);
  assert.is((await desk.run(["spokes", "logs", "north/ash"])).status, 3, "nothing has failed");
});

test("a connection that is cut in the middle is told, and nothing of it is lost", async ({ desk, proxy }) => {
  const following = desk.run(["events", "follow", "north", "--since", "0", "--json"]);
  const creating = desk.run(["spokes", "create", "north/birch"]);
  for (let cuts = 0; cuts < 3; cuts++) {
    await until(async () => (await desk.json("spokes", "list", "--q", "birch"))[0]?.operation?.step > cuts * 2 + 1);
    proxy.cut();
  }
  const { status, err } = await creating;
  assert.is(status, 0, err);
  assert.match(err, /Reconnecting/);
  assert.is(err.match(/provision done/g)?.length, 1);
  const removed = await desk.run(["spokes", "destroy", "north/birch", "north/ash", "--yes", "--json=slug,state"]);
  assert.equal(
    JSON.parse(removed.out).map((spoke: { state: string }) => spoke.state),
    ["removed", "removed"],
    removed.err,
  );
  assert.is((await desk.run(["hubs", "destroy", "north", "--yes"])).status, 0);
  const followed = await following; // it ends with its hub
  assert.is(followed.status, 0, followed.err);
  const numbers = followed.out.trimEnd().split("\n").map((line) => JSON.parse(line)).filter(({ type }) =>
    type !== "StreamEnd"
  )
    .map(({ id }) => Number(id));
  assert.equal(numbers, numbers.map((_, i) => i + 1), "each once, in order");
  assert.is((await desk.run(["hubs", "create", "north"])).status, 0);
});

test("a file's spokes are made with an outcome for each, and applied again nothing is made", async ({ desk }) => {
  const file = join(desk.directory, "spokes.yaml");
  await writeFile(file, "\ufeff- {slug: elm, size: small}\n- {hub: north, slug: fir}\n- {slug: 'Bad!'}\n");
  const made = await desk.run(["spokes", "apply", "-f", file, "--hub", "north", "--json=id,outcome,error.code"]);
  assert.is(made.status, 2, made.err);
  assert.equal(JSON.parse(made.out), [
    { id: "north/elm", outcome: "created", "error.code": null },
    { id: "north/fir", outcome: "created", "error.code": null },
    { id: "north/Bad!", outcome: "refused", "error.code": "invalid_input" },
  ]);
  await writeFile(file, Buffer.from("- {slug: koeln, displayName: Köln}", "latin1"));
  const latin = await desk.run(["spokes", "apply", "-f", file, "--hub", "north"]);
  assert.equal([latin.status, /Cannot read \S+: it is not valid UTF-8$/m.test(latin.err)], [1, true], latin.err);
  const list = '{"spokes": [{"slug": "elm", "size": "large"}, {"slug": "fir"}]}';
  const again = await desk.run(["spokes", "apply", "-f", "-", "--hub", "north", "--json=outcome,differs"], list);
  assert.equal(JSON.parse(again.out), [{ outcome: "exists", differs: ["size"] }, { outcome: "exists", differs: [] }]);
  assert.is((await desk.json("spokes", "list", "--hub", "north")).length, 2);
  // Made, destroyed and applied again within a day: the key of before would answer with what is gone.
  await desk.run(["spokes", "destroy", "north/fir", "--yes"]);
  const anew = await desk.run(["spokes", "apply", "-f", "-", "--hub", "north", "--json=outcome,spoke.state"], list);
  assert.equal(JSON.parse(anew.out)[1], { outcome: "created", "spoke.state": "active" }, anew.err);
  for (
    const [text, said] of [["{", /neither YAML nor JSON/], ["{}", /must be a list/], [
      "[{}]",
      /Entry 1 .* needs a slug/,
    ]] as const
  ) {
    const { status, err } = await desk.run(["spokes", "create", "-f", "-", "--hub", "north"], text);
    assert.is(status, 2);
    assert.match(err, said);
  }
});

test("what takes longer than --timeout is status 6, goes on, and can be watched again", async ({ desk }) => {
  const { status, out, err } = await desk.run(["spokes", "restart", "north/elm", "--timeout", "1s", "--json=slug"]);
  assert.equal([status, JSON.parse(out)], [6, { slug: "elm" }], err);
  const [, id] = /To watch again: wheelwright operations watch (op_\S+)/.exec(err)!;
  const watched = await desk.run(["operations", "watch", id!, "--json=id,state"]);
  assert.equal([watched.status, JSON.parse(watched.out)], [0, { id, state: "succeeded" }], watched.err);
});

inTerminal("Ctrl-C leaves an operation running, and says how to watch it", async ({ desk }) => {
  const terminal = desk.sit(["spokes", "restart", "north/elm"]);
  await terminal.shows(/restart|[12]\/3/);
  await terminal.shows(/●/);
  terminal.type("\x03");
  assert.is(await terminal.ended, 130, terminal.shown);
  const [, id] = /To watch again: wheelwright operations watch (op_\S+)/.exec(bare(terminal.shown))!;
  const watching = desk.sit(["operations", "watch", id!], 60);
  assert.is(await watching.ended, 0, watching.shown);
  assert.match(bare(watching.shown), /✓ restart of north\/elm is done/);
  for (const line of bare(watching.shown).split("\n")) assert.ok(line.length <= 60, line);
});

inTerminal(
  "the steps of several stand side by side where there is room, and the words alone at 40 columns",
  async ({ desk }) => {
    for (const columns of [80, 40]) {
      const line = ["spokes", "restart", "north/elm", "north/fir"], terminal = desk.sit(line, columns);
      assert.is(await terminal.ended, 0, terminal.shown);
      const lines = bare(terminal.shown).split("\n");
      for (const line of lines) assert.ok(textWidth(line) < Math.max(columns, 41), line);
      assert.is(lines.some((line) => /^● north\/(?:elm|fir) .*[■◧]□+ .*\d\/\d/.test(line)), columns === 80);
      assert.ok(lines.some((line) => /^✓ north\/elm .*done in \d/.test(line)), terminal.shown);
    }
  },
);

inTerminal("destroying asks for the slug, and does nothing when it is not that", async ({ desk }) => {
  const wrong = desk.sit(["spokes", "destroy", "north/fir"]);
  await wrong.shows(/Type fir to continue: /);
  wrong.type("elm\r");
  assert.is(await wrong.ended, 1);
  assert.match(bare(wrong.shown), /Cancelled/);
  const right = desk.sit(["spokes", "destroy", "north/fir"], 40);
  await right.shows(/Type fir to continue: /);
  right.type("fir\r");
  assert.is(await right.ended, 0, right.shown);
  assert.match(bare(right.shown), /✓ Spoke north\/fir is removed/);
});

test("the way into a site is printed, and nothing else", async ({ desk }) => {
  const { status, out } = await desk.run(["spokes", "open", "north/elm", "--sign-in"]);
  assert.is(status, 0);
  assert.match(out, /^http\S+\/login\/forgot_password\.php\?token=\S+\n$/);
});

test.run();
