/** Tests the chart with a real Helm in the simulated cluster. Helm stores its releases in a database, because it writes
 * Secrets as Protocol Buffers, which the simulated cluster does not read. */
import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { SILENT_LOG } from "#lib/base/log.ts";
import { openSimulator, type Simulator } from "#lib/dev/simulator/open.ts";
import { CHART, REQUIRED_CHART_VALUES } from "#test/support/chart.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { putAsAdmin } from "#test/support/service-account.ts";
import { helm } from "#test/support/tools.ts";

interface Scene {
  simulator: Simulator;
  db: TestDatabase;
  directory: string;
}

const test = suite<Scene>("helm install");
const installed = helm === null ? test.skip : test;

test.before.each(async (scene) => {
  scene.simulator = await openSimulator({ delayMs: 20, log: SILENT_LOG });
  scene.db = await openTestDatabase();
  scene.directory = await mkdtemp(join(tmpdir(), "wheelwright-helm-"));
  await writeFile(join(scene.directory, "kubeconfig"), scene.simulator.kubeconfig());
  await putAsAdmin(scene.simulator, { apiVersion: "v1", kind: "Namespace", metadata: { name: "wheelwright" } });
  await putAsAdmin(scene.simulator, {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "wheelwright" },
    stringData: { DATABASE_URL: "postgres://service@db.example.org/wheelwright" },
  });
});
test.after.each(async ({ simulator, db, directory }) => {
  await simulator.close();
  await db.close();
  await rm(directory, { recursive: true });
});

/** Runs Helm. Returns its output and whether it succeeded. */
function run({ db, directory }: Scene, how: string, values: object = {}): Promise<{ ok: boolean; output: string }> {
  const sql = new URL(db.url);
  sql.searchParams.set("sslmode", "disable");
  const env = {
    HOME: directory,
    KUBECONFIG: join(directory, "kubeconfig"),
    HELM_DRIVER: "sql",
    HELM_DRIVER_SQL_CONNECTION_STRING: sql.href,
  };
  const args = how === "uninstall"
    ? ["uninstall", "wheelwright", "--wait"]
    : [how, "wheelwright", CHART, "--values", "-", "--wait"];
  const child = spawn(helm!, [...args, "--namespace", "wheelwright", "--timeout", "60s"], { env });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => output += text);
  child.stdin.end(JSON.stringify({ ...REQUIRED_CHART_VALUES, ...values }));
  return new Promise((resolve) => child.once("close", (status) => resolve({ ok: status === 0, output })));
}

function names({ simulator }: Scene, kind: string): string[] {
  return simulator.objects(kind).filter(({ metadata: { namespace = "wheelwright", name } }) =>
    namespace === "wheelwright" && name.startsWith("wheelwright")
  ).map(({ metadata }) => metadata.name).sort();
}

installed("migrates first, changes what runs, and leaves nothing but what it was given", async (scene) => {
  const first = await run(scene, "install");
  assert.ok(first.ok, first.output);
  assert.match(first.output, "Wheelwright 0.1.0 is being deployed to https://hubs.example.org");
  const born = (kind: string, name: string) =>
    scene.simulator.history().findIndex((each) => each.kind === kind && each.name === name);
  assert.ok(born("Job", "wheelwright-migrate") >= 0);
  assert.ok(born("Job", "wheelwright-migrate") < born("Deployment", "wheelwright"));
  assert.equal([names(scene, "Job"), names(scene, "Deployment")], [[], ["wheelwright"]]);

  const second = await run(scene, "upgrade", { workers: { separate: true }, config: { PORTAL: "on" } });
  assert.ok(second.ok, second.output);
  assert.equal(names(scene, "Deployment"), ["wheelwright", "wheelwright-worker"]);
  assert.equal(names(scene, "ServiceAccount"), ["wheelwright", "wheelwright-api"]);

  const last = await run(scene, "uninstall");
  assert.ok(last.ok, last.output);
  const kinds = "Deployment Service ServiceAccount ConfigMap ClusterRole ClusterRoleBinding ValidatingAdmissionPolicy";
  assert.equal(kinds.split(" ").flatMap((kind) => names(scene, kind)), []);
  assert.equal(names(scene, "Secret"), ["wheelwright"]);
});

installed("changes nothing that runs where the migrations fail", async (scene) => {
  assert.ok((await run(scene, "install")).ok);
  scene.simulator.faults.failJob("wheelwright-migrate", { log: ["The database cannot be reached"] });
  const before = scene.simulator.objects("Deployment");
  const { ok, output } = await run(scene, "upgrade", { replicas: 5 });
  assert.is(ok, false);
  assert.match(output, "pre-upgrade hooks failed");
  assert.equal(scene.simulator.objects("Deployment"), before);
});

test.run();
