/** Tests Wheelwright's Kubernetes client with the simulated cluster. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ClusterError } from "#lib/drivers/cluster/cluster.ts";
import { openCluster } from "#lib/drivers/cluster/open.ts";
import { SILENT_LOG } from "#lib/base/log.ts";
import { openSimulator } from "#lib/dev/simulator/open.ts";
import { inputsOf, openBlueprint } from "#test/lib/moodle/fixtures.ts";
import { SECOND } from "#lib/base/time.ts";

const test = suite("openCluster in the simulated cluster");

test("creates a spoke, reports a failing image, and deletes the spoke", async () => {
  const simulator = await openSimulator({ delayMs: 0, log: SILENT_LOG });
  const cluster = await openCluster({
    name: "simulated",
    kubeconfig: { text: simulator.kubeconfig() },
    log: SILENT_LOG,
  });
  const { signal } = new AbortController();
  const waiting = { signal, timeout: 20 * SECOND };
  try {
    const blueprint = openBlueprint(), inputs = inputsOf(blueprint, { issuer: null });
    const [namespace] = blueprint.spokeObjects(inputs, "namespace");
    const { uid } = await cluster.createNamespace(namespace!, { signal });
    const space = cluster.space(inputs.namespace, uid);
    await space.apply(blueprint.spokeObjects(inputs, "policies"), { signal });
    for (const secret of blueprint.newSecrets(inputs)) await space.create(secret, { signal });
    await space.apply([...blueprint.mailSecret(inputs, null), ...blueprint.spokeObjects(inputs, "secrets")], {
      signal,
    });
    await space.apply(blueprint.spokeObjects(inputs, "database"), { signal });
    await space.ready([{ apiVersion: "apps/v1", kind: "StatefulSet", name: "db" }], waiting);
    await space.apply(blueprint.spokeObjects(inputs, "volumes"), { signal });
    const result = await space.run(blueprint.jobObject(inputs, "install", "1"), waiting);
    assert.is(result.succeeded, true);
    assert.ok(result.log.includes("Installation completed successfully."));

    simulator.faults.missingImage("alpine-moodle");
    await space.apply(blueprint.spokeObjects(inputs, "app"), { signal });
    const error = await space.ready([{ apiVersion: "apps/v1", kind: "Deployment", name: "moodle" }], waiting).catch((
      e,
    ) => e);
    assert.instance(error, ClusterError);
    assert.match(error.message, /failed to pull and unpack image/);
    simulator.faults.clear();
    await space.ready([{ apiVersion: "apps/v1", kind: "Deployment", name: "moodle" }], waiting);

    await space.remove(waiting);
    assert.is(await cluster.findNamespace(inputs.namespace, { signal }), null);
  } finally {
    await cluster.close();
    await simulator.close();
  }
});

test.run();
