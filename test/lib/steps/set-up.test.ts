/** Tests each way in which the Job `setup` can fail, and what is kept. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createBlueprint } from "#lib/moodle/blueprint.ts";
import type { SimulatorFault } from "#lib/dev/simulator/faults.ts";
import { checkAndEnqueueAction } from "#lib/domains/spokes/actions.ts";
import type { FailureReport } from "#lib/jobs/job.ts";
import { builtIn } from "#test/lib/moodle/fixtures.ts";
import { openWorkScene, startReplica, type WorkScene } from "#test/lib/workers/scene.ts";
import { until } from "#test/support/until.ts";

const test = suite<{ scene: WorkScene }>("setup");
test.before.each(async (context) => void (context.scene = await openWorkScene()));
test.after.each(({ scene }) => scene.close());

/** Creates a spoke whose Job `setup` fails in this way. A retry makes it active. */
async function failSettling(scene: WorkScene, fault: Omit<SimulatorFault & { type: "failing-job" }, "type" | "name">) {
  const id = await scene.spoke(await scene.hub("math"), "algebra");
  const broken = scene.simulator.faults.add({ type: "failing-job", name: "setup-", ...fault });
  await scene.replica();
  assert.is((await scene.becomes(id, "active", "failed")).state, "failed");
  const [job] = await scene.operations(id), { siteIdentifier } = await scene.row(id);
  scene.simulator.faults.remove(broken);
  await retry(scene, id);
  assert.is((await scene.becomes(id, "active", "failed")).state, "active");
  return { ...job!.failure!, siteIdentifier };
}

async function retry(scene: WorkScene, id: string): Promise<void> {
  await scene.db.transact((tx) =>
    checkAndEnqueueAction(scene.app, tx, scene.actor, id, { action: "retry", parameters: {} })
  );
}

function summary({ step, code, fault }: FailureReport): string[] {
  return [step, code, fault];
}

const FACTS = ["tables|494", "rolesactive|1", "siteidentifier|SITE", "version|2024100712", "release|4.5.12 (Build: 1)"];

test("reports a failed seed with its message", async ({ scene }) => {
  const log = ["title set", "PHP Fatal error:  Uncaught Error: no such function seed_brand"];
  const failure = await failSettling(scene, { log, exitCode: 255 });
  assert.equal(summary(failure), ["setup", "PhpFatal", "operator"]);
  assert.match(
    failure.message,
    /^The site could not be set up because Moodle failed with an error: PHP Fatal/,
  );
});

test("reports an incomplete seed", async ({ scene }) => {
  const failure = await failSettling(scene, { log: ["title set", "200"], exitCode: 0 });
  assert.equal(summary(failure), ["setup", "SeedIncomplete", "operator"]);
});

test("reports a login page that does not answer 200", async ({ scene }) => {
  const log = ["title set", "seeded", "503", "curl: (22) The requested URL returned error: 503"];
  const failure = await failSettling(scene, { log, exitCode: 22 });
  assert.equal(summary(failure), ["setup", "Unhealthy", "cluster"]);
  assert.is(failure.message, "The site's login page responded with 503 instead of 200");
});

test("reports a database that cannot be queried", async ({ scene }) => {
  const log = ['psql: error: connection to server at "db" (10.0.0.9), port 5432 failed: Connection timed out'];
  const failure = await failSettling(scene, { log, exitCode: 2 });
  assert.equal(summary(failure), ["setup", "DatabaseUnreachable", "operator"]);
  assert.match(failure.siteIdentifier!, /^\w{32}/, "the install Job has printed it");
});

test("reports an incomplete site, and seeds nothing", async ({ scene }) => {
  const failure = await failSettling(scene, { log: ["tables|415", "rolesactive|0"] });
  assert.equal(summary(failure), ["setup", "NotInstalled", "operator"]);
});

test("reports another site than the installed one", async ({ scene }) => {
  const failure = await failSettling(scene, { log: FACTS });
  assert.equal(summary(failure), ["setup", "AnotherSite", "operator"]);
});

test("does not seed another site than the installed one", async ({ scene }) => {
  const id = await scene.spoke(await scene.hub("math"), "algebra");
  const held = scene.simulator.faults.add({ type: "unready", name: "moodle-" });
  await scene.replica();
  await until(async () => (await scene.operations(id))[0]!.finishedSteps.includes("install"));
  const { namespace } = await scene.row(id), site = scene.simulator.site(namespace);
  site.saveDatabase({ ...site.database!, config: { ...site.database!.config, siteidentifier: "another" } });
  scene.simulator.faults.remove(held);
  const { stateReason } = await scene.becomes(id, "active", "failed");
  assert.equal([(await scene.operations(id))[0]!.failure?.step, stateReason], [
    "setup",
    "The database contains a different site than the one that was installed",
  ]);
  assert.is(scene.simulator.site(namespace).database!.accounts, undefined);
});

test("queries the database in a separate Job if the install Job prints no facts", async ({ scene }) => {
  const install = builtIn()["install-job.yaml"]!.replace(/args: \[php.*\]/, 'args: ["true"]');
  assert.match(install, 'args: ["true"]');
  const id = await scene.spoke(await scene.hub("math"), "algebra");
  const replica = await startReplica({
    ...scene.app,
    blueprint: createBlueprint(builtIn({ "install-job.yaml": install })),
  });
  try {
    const { state, siteIdentifier } = await scene.becomes(id, "active", "failed");
    assert.equal([state, siteIdentifier!.length > 32], ["active", true]);
  } finally {
    await replica.close();
  }
  const jobs = new Set(scene.simulator.writes().flatMap(({ path }) => /\/jobs\/([a-z]+)-\d/.exec(path)?.[1] ?? []));
  assert.ok(jobs.has("verify"), [...jobs].join());
});

test.run();
