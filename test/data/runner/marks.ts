import { suite } from "uvu";
import * as assert from "uvu/assert";

const test = suite("marks");
test("says what a line of the run may look like", () => {
  console.log("\nend-0123456789abcdef 0\n  Total:     9\n");
  process.exitCode = 3;
  assert.is(1, 1);
});
test.run();
