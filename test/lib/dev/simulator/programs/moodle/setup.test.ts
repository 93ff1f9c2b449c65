/** Tests the Job setup with the simulated image. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { BlueprintJobName } from "#lib/moodle/blueprint-files.ts";
import { parseLoginPageStatus, parseSeedResult, parseSiteFacts } from "#lib/moodle/job-results.ts";
import { inputsOf, openBlueprint } from "#test/lib/moodle/fixtures.ts";
import { type Kube, openKube } from "#test/lib/dev/simulator/kube-client.ts";

const test = suite("the Job setup");
const blueprint = openBlueprint(), inputs = inputsOf(blueprint, { issuer: null });
let kube: Kube;
let fence = 0;

test.before.each(async () => void (kube = await openKube()));
test.after.each(() => kube.close());

async function apply(step: Parameters<typeof blueprint.spokeObjects>[1]): Promise<void> {
  for (const each of blueprint.spokeObjects(inputs, step)) assert.ok((await kube.apply(each)).status < 300);
}

/** Creates the objects up to the ready database. */
async function prepare(): Promise<void> {
  for (const step of ["namespace", "policies"] as const) await apply(step);
  for (const object of [...blueprint.newSecrets(inputs), ...blueprint.mailSecret(inputs, null)]) {
    await kube.create(object);
  }
  for (const step of ["secrets", "volumes", "database"] as const) await apply(step);
  await kube.when(workload("StatefulSet", "db"), (live) => live.status.readyReplicas === 1);
}

async function startApp(): Promise<void> {
  await apply("app");
  await kube.when(workload("Deployment", "moodle"), (live) => live.status.readyReplicas === 1);
}

const workload = (kind: string, name: string) => ({
  apiVersion: "apps/v1",
  kind,
  metadata: { name, namespace: inputs.namespace },
});

const run = (job: BlueprintJobName, told = {}) => kube.run(blueprint.jobObject(inputs, job, String(++fence), told));

test("prints facts, runs the seed, prints facts again and checks the login page, until one fails", async () => {
  const setup = (told = {}) => run("setup", told);
  await prepare();
  await apply("seed");
  assert.equal((await setup()).log, ["tables|0", "rolesactive|"]);
  const { siteIdentifier } = parseSiteFacts((await run("install")).log)!;
  const before = await setup();
  assert.equal([before.result, parseSeedResult(before.log).isFinished], ["Failed", true]);
  assert.match(before.log.at(-1)!, /^curl: \(6\) Could not resolve host: moodle/);
  await startApp();
  const { result, log } = await setup({ siteIdentifier });
  assert.equal([result, parseSeedResult(log).isFinished, parseLoginPageStatus(log)], ["Complete", true, 200]);
  assert.equal(parseSiteFacts(log.slice(log.indexOf("seeded")))!.siteIdentifier, siteIdentifier);
  const other = await setup({ siteIdentifier: "another" });
  assert.equal([other.result, parseSeedResult(other.log).isFinished], ["Failed", false]);
});

test("cannot reach the login page without a network policy", async () => {
  await prepare();
  await run("install");
  await apply("seed");
  await startApp();
  const policy = { apiVersion: "networking.k8s.io/v1", kind: "NetworkPolicy" };
  for (const [job, name] of [["setup", "setup-egress"], ["health", "probe-egress"]] as const) {
    assert.is((await kube.remove({ ...policy, metadata: { name, namespace: inputs.namespace } })).status, 200);
    assert.match((await run(job)).log.at(-1)!, /^curl: \(28\) Failed to connect to moodle/);
  }
});

test.run();
