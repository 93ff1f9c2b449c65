/** Tests an interrupted installation and its reset. Delays leave time for the interruption. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { parseSiteIdentity } from "#lib/moodle/job-results.ts";
import { inputsOf, openBlueprint } from "#test/lib/moodle/fixtures.ts";
import { type Json, openKube } from "#test/lib/dev/simulator/kube-client.ts";
import { until } from "#test/support/until.ts";

const test = suite("an interrupted installation");
const blueprint = openBlueprint();

test("blocks the next one until schema and data are reset", async () => {
  const kube = await openKube({ delayMs: 200 });
  try {
    const inputs = inputsOf(blueprint, { issuer: null });
    const namespace = inputs.namespace;
    for (const step of ["namespace", "policies"] as const) {
      for (const object of blueprint.spokeObjects(inputs, step)) await kube.apply(object);
    }
    for (const object of [...blueprint.newSecrets(inputs), ...blueprint.mailSecret(inputs, null)]) {
      await kube.create(object);
    }
    for (const step of ["secrets", "volumes", "database"] as const) {
      for (const object of blueprint.spokeObjects(inputs, step)) await kube.apply(object);
    }
    const database = { apiVersion: "apps/v1", kind: "StatefulSet", metadata: { name: "db", namespace } };
    await kube.when(database, (live) => live.status.readyReplicas === 1);

    const first = blueprint.jobObject(inputs, "install", "1");
    await kube.create(first);
    const pods = `/api/v1/namespaces/${namespace}/pods?labelSelector=job-name%3D${first.metadata.name}`;
    const pod = await until(async () => {
      const { body } = await kube.send("GET", pods);
      return body.items.find((each: Json) => each.status.containerStatuses?.[0]?.state.running);
    });
    await kube.remove({ ...pod, apiVersion: "v1", kind: "Pod" });
    const failed = await kube.when(first, (live) => live.status.failed === 1 && live.status.conditions?.length === 2);
    assert.is(failed.status.conditions[0].reason, "BackoffLimitExceeded");
    assert.is(parseSiteIdentity((await kube.run(blueprint.jobObject(inputs, "verify", "2"))).log).state, "partial");

    const second = await kube.run(blueprint.jobObject(inputs, "install", "3"));
    assert.is(second.result, "Failed");
    assert.ok(second.log.includes("!!! Site is being upgraded, please retry later. !!!"));

    const schemaOnly = blueprint.jobObject(inputs, "reset", "4") as Json;
    schemaOnly.spec.template.spec.containers[0].command = ["sh", "-c", "exit 0"];
    assert.is((await kube.run(schemaOnly)).result, "Complete");
    const dropped = (await kube.run(blueprint.jobObject(inputs, "verify", "5"))).log;
    assert.equal(dropped, ["attempt|wheelwright reset 4"]);
    assert.is(parseSiteIdentity(dropped).state, "partial");
    const third = await kube.run(blueprint.jobObject(inputs, "install", "6"));
    assert.is(third.result, "Failed", "moodledata remembers");

    assert.is((await kube.run(blueprint.jobObject(inputs, "reset", "7"))).result, "Complete");
    assert.is((await kube.run(blueprint.jobObject(inputs, "install", "8"))).result, "Complete");
    const refused = await kube.run(blueprint.jobObject(inputs, "reset", "9"));
    assert.is(refused.result, "Failed");
    assert.match(refused.log.join("\n"), /not reset: rolesactive is 1/);
    assert.is(parseSiteIdentity((await kube.run(blueprint.jobObject(inputs, "verify", "10"))).log).state, "installed");
  } finally {
    await kube.close();
  }
});

test.run();
