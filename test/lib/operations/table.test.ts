import { suite } from "uvu";
import * as assert from "uvu/assert";
import { BLUEPRINT_JOBS } from "#lib/moodle/blueprint-files.ts";
import { OPERATIONS } from "#lib/operations/table.ts";
import { inputsOf, openBlueprint } from "#test/lib/moodle/fixtures.ts";

const test = suite("operation plans");

test("have steps with unique names and readable labels", () => {
  for (const [name, { kind: plan }] of Object.entries(OPERATIONS)) {
    assert.is(plan.kind, name);
    const names = plan.steps.map((step) => step.name);
    assert.is(new Set(names).size, names.length, name);
    for (const step of plan.steps) assert.match(step.label, /^[A-Z][a-z].*[a-z]$/, step.name);
    for (const step of plan.steps) {
      assert.ok(step.timeout > 0 && step.timeout <= plan.timeLimit, `${name} ${step.name}`);
    }
  }
});

test("wait longer than a Job's deadline and its 30 s of shutdown", () => {
  const blueprint = openBlueprint();
  for (const step of OPERATIONS.provision.kind.steps) {
    const job = BLUEPRINT_JOBS.find((each) => each === step.name);
    if (!job) continue;
    const seconds = blueprint.jobObject(inputsOf(blueprint), job, "1")["spec"].activeDeadlineSeconds;
    assert.ok(step.timeout > (seconds + 30) * 1000, step.name);
  }
});

test("check the site, its data and its page before they open it to the web", () => {
  const names = OPERATIONS.provision.kind.steps.map((step) => step.name);
  const order = [
    "namespace",
    "policies",
    "secrets",
    "volumes",
    "database",
    "install",
    "app",
    "setup",
    "cron",
    "ingress",
  ];
  assert.equal(names, order);
});

test("check the data before they start a stopped site", () => {
  for (const { kind } of [OPERATIONS.resume, OPERATIONS.restart]) {
    const names = kind.steps.map((step) => step.name);
    assert.ok(names.indexOf("verify") < names.indexOf("app"));
  }
});

test.run();
