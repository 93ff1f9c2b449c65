/** A little chaos, always the same: three replicas, eight troubles. `npm run chaos` is the whole of it. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { runChaos } from "#test/support/bench/chaos.ts";

const test = suite("chaos");

test("whatever happens to replicas, nothing is lost, doubled, late or left hanging", async () => {
  const rounds: string[] = [];
  const { breaches, counts } = await runChaos({ seed: 7, rounds: 5, hubs: 2, tell: (line) => rounds.push(line) });
  assert.equal(breaches, [], `${rounds.join("\n")}\n${JSON.stringify(counts)}`);
  assert.ok(counts.accepted! > 0 && counts.takeovers! > 0, JSON.stringify(counts));
});

test.run();
