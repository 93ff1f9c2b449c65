/** Tests the built-in blueprint step by step on the simulated cluster. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import type { BlueprintJobName } from "#lib/moodle/blueprint-files.ts";
import { parseLoginPageStatus, parseSeedResult, parseSiteIdentity } from "#lib/moodle/job-results.ts";
import { hubInputsOf, inputsOf, openBlueprint } from "#test/lib/moodle/fixtures.ts";
import { condition, type Json, type Kube, openKube } from "#test/lib/dev/simulator/kube-client.ts";

const test = suite("Moodle on the simulated cluster");
const blueprint = openBlueprint();
let kube: Kube;
let fence = 0;

test.before.each(async () => {
  kube = await openKube();
});
test.after.each(() => kube.close());

async function apply(objects: readonly Json[]): Promise<void> {
  for (const object of objects) {
    const { status, body, warning } = await kube.apply(object);
    assert.ok(status < 300, `${object.kind} ${object.metadata.name}: ${JSON.stringify(body)}`);
    assert.is(warning, null);
  }
}

/** Creates the objects up to the ready database. */
async function prepare(inputs: SpokeInputs): Promise<void> {
  for (const step of ["namespace", "policies"] as const) await apply(blueprint.spokeObjects(inputs, step));
  for (const secret of blueprint.newSecrets(inputs)) assert.is((await kube.create(secret)).status, 201);
  await apply(blueprint.mailSecret(inputs, null));
  await apply(blueprint.spokeObjects(inputs, "secrets"));
  await startDatabase(inputs);
  await apply(blueprint.spokeObjects(inputs, "volumes"));
}

async function startDatabase(inputs: SpokeInputs): Promise<void> {
  await apply(blueprint.spokeObjects(inputs, "database"));
  const database = {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { name: "db", namespace: inputs.namespace },
  };
  await kube.when(database, (live) => live.status.readyReplicas === 1);
}

async function run(inputs: SpokeInputs, job: BlueprintJobName) {
  return await kube.run(blueprint.jobObject(inputs, job, String(++fence)));
}

async function startApp(inputs: SpokeInputs): Promise<void> {
  await apply(blueprint.spokeObjects(inputs, "app"));
  await kube.when(
    app(inputs),
    (live) => live.status.observedGeneration === live.metadata.generation && live.status.readyReplicas === 1,
  );
}

const app = (inputs: SpokeInputs) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "moodle", namespace: inputs.namespace },
});

async function provision(inputs: SpokeInputs): Promise<void> {
  await prepare(inputs);
  assert.is((await run(inputs, "install")).result, "Complete");
  await apply(blueprint.spokeObjects(inputs, "seed"));
  assert.ok(parseSeedResult((await run(inputs, "seed")).log).isFinished);
  await startApp(inputs);
}

async function readIdentifier(inputs: SpokeInputs): Promise<string | null> {
  return parseSiteIdentity((await run(inputs, "verify")).log).siteIdentifier;
}

test("provisions a spoke with certificate and login page", async () => {
  const inputs = inputsOf(blueprint);
  for (const step of ["namespace", "settings"] as const) {
    await apply(blueprint.hubObjects(hubInputsOf(blueprint), step));
  }
  const [issuer] = blueprint.hubObjects(hubInputsOf(blueprint), "issuer");
  await apply([issuer]);
  await prepare(inputs);
  assert.equal(parseSiteIdentity((await run(inputs, "verify")).log).state, "empty");
  await run(inputs, "install");
  const site = parseSiteIdentity((await run(inputs, "verify")).log);
  assert.is(site.state, "installed");
  assert.match(site.siteIdentifier!, /^[A-Za-z0-9]{32}biology\.spokes\.example\.org$/);
  assert.match(site.release!, new RegExp(`^${inputs.version.replaceAll(".", "\\.")} `));
  await apply(blueprint.spokeObjects(inputs, "seed"));
  assert.ok(parseSeedResult((await run(inputs, "seed")).log).isFinished);
  await startApp(inputs);
  await apply([...blueprint.spokeObjects(inputs, "cron"), ...blueprint.spokeObjects(inputs, "ingress")]);
  const [ingress] = blueprint.spokeObjects(inputs, "ingress");
  await kube.when(ingress, (live) => live.status.loadBalancer.ingress?.length === 1);
  const secretName = (ingress as Json).spec.tls[0].secretName;
  const certificate = {
    apiVersion: "cert-manager.io/v1",
    kind: "Certificate",
    metadata: { name: secretName, namespace: inputs.namespace },
  };
  await kube.when(certificate, (live) => condition(live, "Ready")?.status === "True");
  assert.is(parseLoginPageStatus((await run(inputs, "health")).log), 200);
  assert.is(await readIdentifier(inputs), site.siteIdentifier);
});

test("changes nothing if the blueprint is applied again", async () => {
  const inputs = inputsOf(blueprint, { issuer: null });
  await provision(inputs);
  for (const step of ["policies", "secrets", "volumes", "database", "seed", "app", "cron", "ingress"] as const) {
    await apply(blueprint.spokeObjects(inputs, step));
    for (const object of blueprint.spokeObjects(inputs, step)) {
      const before = (await kube.get(object)).body;
      const after = (await kube.apply(object, "&dryRun=All")).body;
      for (const each of [before, after]) {
        for (const varying of ["resourceVersion", "managedFields"]) delete each.metadata[varying];
        delete each.status;
      }
      assert.equal(after, before, `${object.kind} ${object.metadata.name}`);
    }
  }
});

test("installs another site if the database is empty", async () => {
  const inputs = inputsOf(blueprint, { issuer: null });
  await provision(inputs);
  const identifier = await readIdentifier(inputs);
  await kube.patch(app(inputs), { spec: { replicas: 0 } }, "/scale");
  const database = {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { name: "db", namespace: inputs.namespace },
  };
  await kube.remove(database, { propagationPolicy: "Foreground" });
  await kube.gone(database);
  const claim = {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name: "data-db-0", namespace: inputs.namespace },
  };
  await kube.remove(claim);
  await kube.gone(claim);
  await startDatabase(inputs);
  assert.is(await readIdentifier(inputs), null);
  await kube.patch(app(inputs), { spec: { replicas: 1 } }, "/scale");
  await kube.when(
    app(inputs),
    (live) => live.status.observedGeneration === live.metadata.generation && live.status.readyReplicas === 1,
  );
  const other = await readIdentifier(inputs);
  assert.ok(other);
  assert.is.not(other, identifier);
});

test("keeps the data of a suspended site", async () => {
  const inputs = inputsOf(blueprint, { issuer: null });
  await provision(inputs);
  const identifier = await readIdentifier(inputs);
  const database = {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { name: "db", namespace: inputs.namespace },
  };
  for (const object of [app(inputs), database]) await kube.patch(object, { spec: { replicas: 0 } }, "/scale");
  const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "db-0", namespace: inputs.namespace } };
  await kube.gone(pod);
  const unreachable = await run(inputs, "verify");
  assert.is(unreachable.result, "Failed");
  for (const object of [database, app(inputs)]) await kube.patch(object, { spec: { replicas: 1 } }, "/scale");
  await kube.when(database, (live) => live.status.readyReplicas === 1);
  assert.is(await readIdentifier(inputs), identifier);
});

test("is unhealthy without a ready pod and in maintenance mode", async () => {
  const inputs = inputsOf(blueprint, { issuer: null });
  await provision(inputs);
  const maintenance = blueprint.jobObject(inputs, "purge", "maintenance") as Json;
  maintenance.spec.template.spec.containers[0].command = ["php", "/var/www/html/admin/cli/maintenance.php", "--enable"];
  assert.is((await kube.run(maintenance)).result, "Complete");
  const refused = await run(inputs, "health");
  assert.is(refused.result, "Failed");
  assert.is(parseLoginPageStatus(refused.log), 503);
  await kube.patch(app(inputs), { spec: { replicas: 0 } }, "/scale");
  await kube.when(app(inputs), (live) => live.status.readyReplicas === undefined);
  const down = await run(inputs, "health");
  assert.is(parseLoginPageStatus(down.log), null);
  assert.match(down.log.join("\n"), /curl: \(7\) Failed to connect/);
});

test("keeps maintenance mode in the files, also for cron and new pods", async () => {
  const inputs = inputsOf(blueprint, { issuer: null });
  await provision(inputs);
  const cron = blueprint.jobObject(inputs, "purge", "cron") as Json;
  cron.spec.template.spec.containers[0].command = ["php", "/var/www/html/admin/cli/cron.php", "--keep-alive=0"];
  const first = await run(inputs, "maintenance-enable");
  assert.match(first.log.at(-1)!, /CLI maintenance mode/);
  assert.equal((await run(inputs, "maintenance-enable")).log, first.log.slice(0, -1));
  const refused = await kube.run(cron);
  assert.is(refused.result, "Failed");
  assert.equal(refused.log, ["CLI maintenance mode active, cron execution suspended."]);
  await kube.patch(app(inputs), { spec: { replicas: 0 } }, "/scale");
  await kube.when(app(inputs), (live) => live.status.readyReplicas === undefined);
  await kube.patch(app(inputs), { spec: { replicas: 1 } }, "/scale");
  await kube.when(app(inputs), (live) => live.status.readyReplicas === 1);
  assert.equal((await run(inputs, "closed")).log, ["503"]);
  assert.is((await run(inputs, "maintenance-disable")).result, "Complete");
  assert.is((await run(inputs, "closed")).result, "Failed");
  assert.is(parseLoginPageStatus((await run(inputs, "health")).log), 200);
});

test("fails to install with a space in the administrator's name", async () => {
  const inputs = inputsOf(blueprint, { issuer: null });
  await prepare(inputs);
  const settings = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "moodle-env", namespace: inputs.namespace },
  };
  await kube.patch(settings, { data: { MOODLE_SITENAME: "Old School" } });
  const install = await run(inputs, "install");
  assert.is(install.result, "Failed");
  assert.ok(install.log.includes("Unrecognised options: School"));
  assert.equal((await run(inputs, "verify")).log.filter((line) => !line.startsWith("attempt|")), []);
});

test("fails to install with a wrong database password", async () => {
  const inputs = inputsOf(blueprint, { issuer: null });
  await prepare(inputs);
  const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "moodle", namespace: inputs.namespace } };
  await kube.patch(secret, { data: { DB_PASS: btoa("another") } });
  const install = await run(inputs, "install");
  assert.is(install.result, "Failed");
  assert.match(install.log.join("\n"), /FATAL: {2}password authentication failed for user "moodle"/);
});

test.run();
