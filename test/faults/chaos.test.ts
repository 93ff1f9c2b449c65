/** A little chaos, always the same: three replicas, six troubles. `npm run chaos` is the whole of it. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { runChaos } from "#test/support/bench/chaos.ts";

const test = suite("chaos");

test("whatever happens to replicas, nothing is lost, doubled, late or left hanging", async () => {
  // Told as it comes: of a run that does not end, this is all that is seen.
  const { breaches, counts } = await runChaos({ seed: 7, rounds: 6, hubs: 2, tell: (line) => console.log(line) });
  assert.equal(breaches, [], JSON.stringify(counts));
  assert.ok(counts.accepted! > 0 && counts.takeovers! > 0, JSON.stringify(counts));
});

test.run();
