/** Tests every action alone, and most of them in bulk, while replicas are killed. `npm run bench -- trial` is the full version
 * with 50 spokes. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { runTrial, type TrialRound } from "#test/support/bench/action-trial.ts";

const PARAMETERS: Readonly<Record<string, object>> = { resize: { size: "medium" }, upgrade: { lmsVersion: "5.2.2" } };

const test = suite("actions while replicas are killed");

test("each runs exactly once, in the database and the cluster", async () => {
  const { breaches, counts } = await runTrial({
    spokes: 5,
    rounds: [
      round("restart", "purge-caches", "run-cron", "backup", "suspend"),
      round("resume", "reset-admin-password", "maintenance-on"),
      { ...round("maintenance-off", "resize", "upgrade"), kill: "upgrade" },
    ],
    print: (line) => console.log(line), // printed immediately: a run that hangs shows nothing else
  });
  assert.equal(breaches, [], JSON.stringify(counts));
  assert.ok(counts.takeovers! > 0, JSON.stringify(counts));
});

function round(...actions: string[]): TrialRound {
  return { actions: actions.map((action) => ({ action, ...PARAMETERS[action] })) };
}

test.run();
