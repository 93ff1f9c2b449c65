import { suite } from "uvu";
import * as assert from "uvu/assert";

const test = suite("fails");
test("is well", () => assert.is(1, 1));
test("is not", () => assert.is(1, 2, "a surprise"));
test.run();
