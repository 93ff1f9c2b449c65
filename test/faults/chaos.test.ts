/** Runs a short, reproducible chaos test with three replicas and six faults. `npm run bench -- chaos` is the full version. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { runChaos } from "#test/support/bench/chaos.ts";

const test = suite("chaos");

test("nothing is lost, duplicated, late or stuck, whatever happens to replicas", async () => {
  // Printed immediately: a run that hangs shows nothing else.
  const { breaches, counts } = await runChaos({ seed: 7, rounds: 6, hubs: 2, print: (line) => console.log(line) });
  assert.equal(breaches, [], JSON.stringify(counts));
  assert.ok(counts.accepted! > 0 && counts.takeovers! > 0, JSON.stringify(counts));
});

test.run();
