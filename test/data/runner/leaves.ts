import { suite } from "uvu";
import * as assert from "uvu/assert";

const test = suite("leaves");
test("leaves a timer behind", () => {
  setInterval(() => {}, 1000);
  assert.is(1, 1);
});
test.run();
