/** Tests every action alone, and most of them in bulk, while replicas are killed. `npm run trial` is the full version
 * with 50 spokes. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type Round, runTrial } from "#test/support/bench/action-trial.ts";

const PARAMETERS: Readonly<Record<string, object>> = { resize: { size: "medium" }, upgrade: { lmsVersion: "5.2.2" } };

const test = suite("actions");

test("each ends right, once, in the row as in the cluster, though its replica is killed in the middle", async () => {
  const { breaches, counts } = await runTrial({
    spokes: 5,
    rounds: [
      round("restart", "purge-caches", "run-cron", "backup", "suspend"),
      round("resume", "reset-admin-password", "maintenance-on"),
      { ...round("maintenance-off", "resize", "upgrade"), kill: "upgrade" },
    ],
    tell: (line) => console.log(line), // printed immediately: a run that hangs shows nothing else
  });
  assert.equal(breaches, [], JSON.stringify(counts));
  assert.ok(counts.takeovers! > 0, JSON.stringify(counts));
});

function round(...actions: string[]): Round {
  return { wishes: actions.map((action) => ({ action, ...PARAMETERS[action] })) };
}

test.run();
