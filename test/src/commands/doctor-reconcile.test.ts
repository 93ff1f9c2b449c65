/** Tests `wheelwright doctor --reconcile` and `--resume` as processes: arguments, output and exit statuses. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { startProgram } from "#test/support/program.ts";
import { openScene, type Scene } from "../../lib/doctor/scene.ts";
import { insertRow, NOW, selectRows } from "#test/support/rows.ts";

interface Context {
  db: TestDatabase;
  scene: Scene;
  run: (...line: string[]) => Promise<{ readonly status: number | null; readonly text: string }>;
}

const test = suite<Context>("wheelwright doctor --reconcile");

test.before(async (context) => {
  const db = context.db = await openTestDatabase(), scene = context.scene = await openScene();
  const CATALOG = await scene.write("catalog", "regions: [north]");
  const env = {
    ...{ DATABASE_URL: db.url, KUBECONFIG: scene.file, CATALOG, ROOT_DOMAIN: "spokes.localhost" },
    PUBLIC_URL: "https://hubs.example.org",
  };
  context.run = async (...line) => {
    const program = startProgram(["doctor", ...line], env), status = await program.ended;
    return { status, text: program.lines.join("\n") };
  };
});
test.after(async ({ db, scene }) => {
  await scene.close();
  await db.close();
});

async function hold({ db }: Context): Promise<void> {
  await insertRow(db, "database_restores", { takenAt: NOW });
}

async function isHeld({ db }: Context): Promise<boolean> {
  return (await selectRows(db, "database_restores", { releasedAt: null })).length > 0;
}

const REFUSED = [
  [["--apply"], "--apply and --adopt require --reconcile"],
  [["--adopt", "spoke-ash"], "--apply and --adopt require --reconcile"],
  [["--reconcile", "--no-probe"], "--reconcile can be combined only with --apply, --adopt, --region and --json"],
  [["--resume", "--json"], "--resume cannot be combined with other options"],
  [["--reconcile", "--region", "south"], 'Unknown region "south". Regions in the catalog: north'],
] as const;

for (const [line, sentence] of REFUSED) {
  test(`refuses ${line.join(" ")}`, async ({ run }) => {
    const { status, text } = await run(...line);
    assert.is(status, 2, text);
    assert.match(text, sentence);
  });
}

test("reports no differences, as text and as JSON", async ({ run }) => {
  const { status, text } = await run("--reconcile");
  assert.is(status, 0, text);
  assert.match(text, "0 hubs and 0 spokes match the database");
  assert.match(text, /\n {2}The database matches the clusters$/);
  const { text: json } = await run("--reconcile", "--json");
  const { ready, applied, sections } = JSON.parse(json);
  assert.equal([ready, applied, sections.length], [true, false, 2]);
});

test("releases the hold after a comparison with all regions, not with one region", async (context) => {
  await hold(context);
  const one = await context.run("--reconcile", "--apply", "--region", "north");
  assert.equal([one.status, await isHeld(context)], [0, true], one.text);
  assert.match(one.text, "the other clusters are not compared yet");
  const all = await context.run("--reconcile", "--apply");
  assert.equal([all.status, await isHeld(context)], [0, false], all.text);
  assert.match(all.text, /✓ held {10}Operations resume\n/);
});

test("--resume releases the hold without checking a cluster", async (context) => {
  await hold(context);
  const { status, text } = await context.run("--resume");
  assert.equal([status, text, await isHeld(context)], [0, "Replicas run jobs again. No comparison was made", false]);
  assert.match((await context.run("--resume")).text, "The database is not on hold");
});

test("exits with 69 if a cluster does not answer, and writes nothing", async (context) => {
  await hold(context);
  const fault = context.scene.simulator.faults.answer(503, { method: "GET", path: "/api/v1/configmaps" });
  const { status, text } = await context.run("--reconcile", "--apply");
  context.scene.simulator.faults.remove(fault);
  assert.equal([status, await isHeld(context)], [69, true], text);
  assert.match(text, "The comparison needs a response from every cluster");
});

test.run();
