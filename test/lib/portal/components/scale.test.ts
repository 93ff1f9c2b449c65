/** Tests the scales of charts. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { findHighest, roundUpBytes, roundUpCount, roundUpSeconds } from "#lib/portal/components/scale.ts";

const test = suite("the scale of a chart");

test("ends at a round number that is not below the highest value", () => {
  assert.equal([0, 1, 2, 3, 9, 10, 11, 61, 450].map(roundUpCount), [2, 2, 2, 4, 10, 10, 20, 80, 600]);
  assert.equal([0, 0.4, 3, 11, 61, 5000, 90_000].map(roundUpSeconds), [2, 2, 4, 20, 120, 7200, 172_800]);
  assert.equal([0, 5, 3 * 2 ** 30, 187 * 2 ** 30].map(roundUpBytes), [2, 6, 4 * 2 ** 30, 200 * 2 ** 30]);
  for (let value = 1; value < 3000; value += 7) {
    for (const roundUp of [roundUpCount, roundUpSeconds, roundUpBytes]) {
      assert.ok(roundUp(value) >= value && roundUp(value) <= 4 * value + 2, `${value}`);
    }
  }
});

test("ignores unknown values", () => {
  assert.equal([findHighest([null, 3, 1]), findHighest([null]), findHighest([])], [3, 0, 0]);
});

test.run();
