/** Tests that no operation causes drift or comparisons of the next sweep. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { checkAndEnqueueAction } from "#lib/domains/spokes/actions.ts";
import type { SpokeActionName } from "#lib/operations/table.ts";
import { listExpectedObjects } from "#lib/moodle/expected-objects.ts";
import { SpokeInputs } from "#lib/moodle/inputs.ts";
import { checkObjectDrift } from "#lib/domains/spokes/check-drift.ts";
import * as v from "valibot";
import { type Clinic, openClinic } from "#test/lib/workers/actions/scene.ts";
import { lookOnce } from "./checks.ts";

const test = suite<{ clinic: Clinic }>("no drift");
test.before(async (context) => void (context.clinic = await openClinic()));
test.after(({ clinic }) => clinic.close());

async function requireNoDrift({ scene, row, space }: Clinic, after: string): Promise<void> {
  const dryRuns = () => scene.simulator.writes().filter(({ dryRun }) => dryRun).length;
  const before = dryRuns();
  await lookOnce(scene.app);
  const { state, drift, health, blueprintInputs, maintenance } = await row();
  assert.equal([state, health, drift], ["active", "healthy", null], after);
  assert.is(dryRuns(), before, `${after}: nothing was in doubt`);
  if (!["resize", "upgrade"].includes(after)) return;
  // These have applied or patched much: nor does the API server see any drift, should it be asked about everything.
  const place = { cluster: await scene.app.clusters.open("default"), space: await space() };
  const inputs = v.parse(SpokeInputs, blueprintInputs), call = { signal: new AbortController().signal };
  for (const expected of listExpectedObjects(scene.app.blueprint, { inputs, maintenance })) {
    assert.equal(await checkObjectDrift(place, expected, call), null, after);
  }
}

async function does({ scene, id }: Clinic, action: SpokeActionName, parameters: object): Promise<void> {
  await scene.db.transact((tx) => checkAndEnqueueAction(scene.app, tx, scene.actor, id, { action, parameters }));
  const job = await scene.ended(id, action);
  assert.is(job.state, "succeeded", `${action}: ${job.failure?.message}`);
}

const ACTIONS: readonly (readonly [SpokeActionName, object])[] = [
  ["restart", {}],
  ["resize", { size: "medium" }],
  ["upgrade", { lmsVersion: "5.2.2", skipBackup: true }],
];

test("right after an installation", ({ clinic }) => requireNoDrift(clinic, "install"));

test("after a spoke was suspended and resumed", async ({ clinic }) => {
  await does(clinic, "suspend", {});
  await does(clinic, "resume", {});
  await requireNoDrift(clinic, "resume");
});

for (const [action, parameters] of ACTIONS) {
  test(`after ${action}`, async ({ clinic }) => {
    await does(clinic, action, parameters);
    await requireNoDrift(clinic, action);
  });
}

test.run();
