import { suite } from "uvu";
import * as assert from "uvu/assert";

const test = suite("passes");
test("is well", () => assert.is(1, 1));
test("is well, too", () => assert.is(2, 2));
test.run();
