/**
 * Tests `wheelwright doctor` as a process: exit status, output and cleanup. UPDATE_GOLDEN=1 writes the report again;
 * review the changes.
 */
import { readFile, writeFile } from "node:fs/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { startProgram } from "#test/support/program.ts";
import { until } from "#test/support/until.ts";
import { openScene, type Scene } from "../../lib/doctor/scene.ts";

interface Context {
  db: TestDatabase;
  scene: Scene;
  env: Record<string, string>;
}

const test = suite<Context>("wheelwright doctor");

test.before.each(async (context) => {
  context.db = await openTestDatabase();
  context.scene = await openScene();
  context.env = {
    DATABASE_URL: context.db.url,
    KUBECONFIG: context.scene.file,
    PUBLIC_URL: "https://hubs.example.org",
    TRUSTED_PROXIES: "10.0.0.0/8",
    ROOT_DOMAIN: "spokes.localhost",
  };
});
test.after.each(async ({ db, scene }) => {
  await scene.close();
  await db.close();
});

async function run(env: Record<string, string>, ...more: string[]): Promise<{ status: number | null; text: string }> {
  const program = startProgram(["doctor", ...more], env);
  const status = await program.ended;
  return { status, text: program.lines.join("\n") + "\n" };
}

const GOLDEN = new URL("../../golden/doctor.txt", import.meta.url);

/** Replaces text that differs between runs and machines. */
function settled(text: string, { env, scene }: Context): string {
  return text.replace(scene.simulator.url, "CLUSTER").replace(env.KUBECONFIG!, "KUBECONFIG")
    .replace(/^ {2}Database .*$/m, "  Database  DATABASE").replace(/PostgreSQL \d.*/, "PostgreSQL VERSION")
    .replace(/Wheelwright \S+/, "Wheelwright VERSION").replace(/\([0-9a-f]{12}\)/, "(REVISION)")
    .replace(/wheelwright-doctor-main-[0-9a-f]{10}/g, "NAMESPACE").replace(/\d+ are available/, "N are available")
    .replace(/all \d+/g, "all N");
}

test("prints its findings, is ready despite warnings, and leaves no objects behind", async (context) => {
  const { status, text } = await run(context.env);
  assert.is(status, 0, text);
  const report = settled(text, context);
  if (process.env.UPDATE_GOLDEN) await writeFile(GOLDEN, report);
  assert.is(
    report,
    await readFile(GOLDEN, "utf8"),
    "The report differs from test/golden/doctor.txt. To update the file, set UPDATE_GOLDEN=1",
  );
  const left = context.scene.simulator.objects("Namespace").filter(({ metadata }) => /doctor/.test(metadata.name));
  assert.equal(left, []);
});

test("exits with 1 if a check fails, and starts no pods with --no-probe", async ({ env, scene }) => {
  await scene.change("/apis/networking.k8s.io/v1/ingressclasses/nginx", null);
  const { status, text } = await run({ ...env, DATABASE_URL: "postgres://a:hush@127.0.0.1:1/b" }, "--no-probe");
  assert.is(status, 1, text);
  assert.match(text, /✗ connection {4}cannot connect: .*\n +→ Check DATABASE_URL/);
  assert.match(text, /✗ ingress {7}ingress class nginx does not exist\n/);
  assert.match(text, /\n {2}Not ready: 2 problems\n$/);
  assert.not(text.includes("hush"));
  assert.not(scene.simulator.writes().some(({ path }) => path.startsWith("/api/v1/namespaces")));
});

test("reports all configuration errors together, and exits with 78", async ({ env }) => {
  const { status, text } = await run({});
  assert.is(status, 78, text);
  assert.match(text, /✗ variables {5}DATABASE_URL is missing.*\n.*wheelwright dev/);
  assert.match(text, /✗ variables {5}PUBLIC_URL is missing/);
  assert.match(text, /✗ variables {5}ROOT_DOMAIN is missing/);
  assert.match(text, /✗ variables {5}KUBECONFIG is missing/);
  assert.match(text, /\n {2}Not ready: 4 problems\n$/);
  const { ROOT_DOMAIN: _, ...others } = env;
  const wrong = await run({ ...others, CATALOG: "/nowhere/catalog" });
  assert.is(wrong.status, 78, wrong.text);
  assert.match(wrong.text, /✗ variables {5}ROOT_DOMAIN is missing/);
  assert.match(wrong.text, /✗ variables {5}CATALOG: .*\/nowhere\/catalog cannot be read/);
});

test("prints one JSON document that includes the result", async ({ env, scene }) => {
  const program = startProgram(["doctor", "--json", "--no-probe"], env);
  let text = "";
  program.child.stdout!.on("data", (chunk) => text += chunk);
  assert.is(await program.ended, 0);
  const { ready, problems, sections } = JSON.parse(text);
  assert.equal([ready, problems, sections.map(({ target }: { target: string }) => target)], [true, 0, [
    "configuration",
    "database",
    "surroundings",
    "cluster",
  ]]);
  await scene.change("/apis/networking.k8s.io/v1/ingressclasses/nginx", null);
  const failing = await run(env, "--json", "--no-probe");
  assert.is(failing.status, 1);
  assert.match(failing.text, '"ready": false');
});

test("rejects an unknown region", async ({ env, scene }) => {
  const CATALOG = await scene.write("catalog", "regions: [north]");
  const { status, text } = await run({ ...env, CATALOG }, "--region", "south");
  assert.equal([status, text.includes('Unknown region "south". Regions in the catalog: north')], [2, true]);
  const withCatalog = await run({ ...env, CATALOG }, "--region", "north", "--no-probe");
  assert.is(withCatalog.status, 0, withCatalog.text);
});

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  test(`${signal} removes the namespace before it ends.`, async ({ env, scene }) => {
    scene.simulator.faults.unready("open-0"); // so that it waits
    const program = startProgram(["doctor"], env);
    await until(() => scene.simulator.objects("StatefulSet").length === 2);
    assert.is(await program.stop(signal), 130, program.lines.join("\n"));
    assert.match(
      program.lines.join("\n"),
      /Removed namespace wheelwright-doctor-main-[0-9a-f]{10}\nStopped before/,
    );
    const left = scene.simulator.objects("Namespace").filter(({ metadata }) => /doctor/.test(metadata.name));
    assert.equal(left, []);
  });
}

test.run();
