import { suite } from "uvu";
import * as assert from "uvu/assert";

const test = suite("ends");
test("ends the process", () => process.exit(0));
test("is not reached", () => assert.is(1, 2));
test.run();
