/** Tests the simulated image with sites of newer, older, locked and incomplete versions. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import type { BlueprintJobName } from "#lib/moodle/blueprint-files.ts";
import { parseCodeVersion, parseLoginPageStatus, parseSiteIdentity } from "#lib/moodle/job-results.ts";
import { computeUpgradedInputs } from "#lib/moodle/upgrade.ts";
import { inputsOf, openBlueprint } from "#test/lib/moodle/fixtures.ts";
import { type Json, type Kube, openKube } from "#test/lib/dev/simulator/kube-client.ts";

const test = suite("Moodle with another image");
const blueprint = openBlueprint();
const old = inputsOf(blueprint, { issuer: null });
const to = (version: string): SpokeInputs =>
  computeUpgradedInputs(old, { version, images: blueprint.findImages(version)! });
let kube: Kube;
let fence = 100;

test.before.each(async () => void (kube = await openKube()));
test.after.each(() => kube.close());

async function install(version = old.version): Promise<void> {
  for (const step of ["namespace", "policies"] as const) await apply(old, step);
  for (const object of [...blueprint.newSecrets(old), ...blueprint.mailSecret(old, null)]) await kube.create(object);
  for (const step of ["secrets", "volumes", "database"] as const) await apply(old, step);
  await kube.when(object("StatefulSet", "db"), (live) => live.status.readyReplicas === 1);
  assert.is((await run(to(version), "install")).result, "Complete");
}

const object = (kind: string, name: string) => ({
  apiVersion: "apps/v1",
  kind,
  metadata: { name, namespace: old.namespace },
});

async function apply(inputs: SpokeInputs, step: Parameters<typeof blueprint.spokeObjects>[1]): Promise<void> {
  for (const each of blueprint.spokeObjects(inputs, step)) assert.ok((await kube.apply(each)).status < 300);
}

async function run(inputs: SpokeInputs, job: BlueprintJobName, change = (_: Json) => {}) {
  const made: Json = blueprint.jobObject(inputs, job, String(++fence));
  change(made);
  return await kube.run(made);
}

const readDatabase = async () => parseSiteIdentity((await run(old, "verify")).log);

async function start(inputs: SpokeInputs): Promise<void> {
  await apply(inputs, "app");
  await kube.when(
    object("Deployment", "moodle"),
    ({ metadata, status }) =>
      status.observedGeneration === metadata.generation && status.updatedReplicas === 1 && status.readyReplicas === 1,
  );
}

test("upgrades the database once if requested, and keeps the site", async () => {
  await install();
  const before = await readDatabase();
  const upgrade = await run(to("5.2.2"), "upgrade");
  assert.is(upgrade.result, "Complete");
  assert.match(upgrade.log.join("\n"), /Command line upgrade from 4\.5\.12 .* to 5\.2\.2 .* completed successfully/);
  const after = await readDatabase();
  assert.match(after.release!, /^5\.2\.2 /);
  assert.equal([after.siteIdentifier, after.state, after.lockedUntil], [before.siteIdentifier, "installed", null]);
  assert.equal(parseCodeVersion((await run(to("5.2.2"), "preflight")).log)?.release, after.release);
  const again = await run(to("5.2.2"), "upgrade");
  assert.equal([again.result, again.log.some((line) => line.startsWith("No upgrade needed"))], ["Complete", true]);
  await start(to("5.2.2"));
  assert.is(parseLoginPageStatus((await run(to("5.2.2"), "health")).log), 200);
});

test("never downgrades the database, but installs the older code", async () => {
  await install();
  await run(to("5.2.2"), "upgrade");
  const back = await run(to("5.1.6"), "upgrade");
  assert.is(back.result, "Failed");
  assert.match(
    back.log.join("\n"),
    /ERROR!!! The code you are using is OLDER than the version that made these databases!/,
  );
  assert.match((await readDatabase()).release!, /^5\.2\.2 /);
});

test("redirects the login page to the upgrade, and runs no task, without an upgrade", async () => {
  await install();
  await start(to("5.2.2"));
  assert.match((await readDatabase()).release!, /^4\.5\.12 /);
  assert.is(parseLoginPageStatus((await run(old, "health")).log), 303);
  const cron = await run(old, "upgrade", (job) => {
    const { spec } = job.spec.template;
    delete spec.initContainers;
    spec.containers[0].command = ["php", "/var/www/html/admin/cli/cron.php"];
    delete spec.containers[0].args;
  });
  assert.equal([cron.result, cron.log], ["Failed", ["Moodle upgrade pending, cron execution suspended."]]);
});

test("rejects a site that is too old, and stays in maintenance mode", async () => {
  await install("4.1.3");
  const refused = await run(to("5.2.2"), "upgrade");
  assert.is(refused.result, "Failed");
  assert.match(refused.log.join("\n"), /version 4\.4 is required and you are running 4\.1\.3/);
  assert.match((await readDatabase()).release!, /^4\.1\.3 /);
  await start(to("4.1.3"));
  assert.is(parseLoginPageStatus((await run(old, "health")).log), 503);
});

test.run();
