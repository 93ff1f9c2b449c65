/** Tests the delays of the simulated cluster. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createMeasuredDelays, createProportionalDelays } from "#lib/dev/simulator/delays.ts";
import { inputsOf, openBlueprint } from "#test/lib/moodle/fixtures.ts";
import { openKube } from "#test/lib/dev/simulator/kube-client.ts";

const test = suite("the delays of the simulated cluster");

test("add up to the measured total, and are scaled together", () => {
  const { podStart, initContainer, install, databaseSetUp, app, cli, seed, job } = createMeasuredDelays(1);
  const total = (init: number, program: number) => (podStart + init * initContainer + program) / 1000;
  const between = (least: number, seconds: number, most: number) => assert.ok(least <= seconds && seconds <= most);
  between(64 - 5, total(2, install), 69 - 5); // without the wait for servers that the Job does not start
  between(6, total(0, databaseSetUp), 9);
  between(6.9, total(1, app), 7.1);
  between(4, total(0, cli), 5);
  between(4.9, total(1, seed), 5.1);
  between(1.5, total(0, job), 2.5);
  const half = createMeasuredDelays(0.5);
  for (const [name, ms] of Object.entries(createMeasuredDelays(1))) {
    assert.is(half[name as keyof typeof half], ms / 2, name);
  }
});

test("are fractions of one delay, and zero without it", () => {
  assert.ok(Object.values(createProportionalDelays(0)).every((ms) => ms === 0));
  assert.is(createProportionalDelays(100).podStart, 50);
});

test("apply to programs: an installation takes longer than a database query", async () => {
  const kube = await openKube({ measured: 0.01 });
  try {
    const blueprint = openBlueprint(), inputs = inputsOf(blueprint);
    for (const step of ["namespace", "policies"] as const) {
      for (const object of blueprint.spokeObjects(inputs, step)) await kube.apply(object);
    }
    for (const secret of blueprint.newSecrets(inputs)) await kube.create(secret);
    for (const secret of blueprint.mailSecret(inputs, null)) await kube.create(secret);
    for (const step of ["secrets", "volumes", "database"] as const) {
      for (const object of blueprint.spokeObjects(inputs, step)) await kube.apply(object);
    }
    const database = {
      apiVersion: "apps/v1",
      kind: "StatefulSet",
      metadata: { name: "db", namespace: inputs.namespace },
    };
    await kube.when(database, (live) => live.status.readyReplicas === 1);
    const began = performance.now();
    await kube.run(blueprint.jobObject(inputs, "verify", "1"));
    const queryEnd = performance.now();
    await kube.run(blueprint.jobObject(inputs, "install", "2"));
    const installed = performance.now();
    assert.ok(installed - queryEnd >= 640, "64 s, times a hundredth");
    assert.ok(installed - queryEnd > 2 * (queryEnd - began));
  } finally {
    await kube.close();
  }
});

test.run();
