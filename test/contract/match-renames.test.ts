import { suite } from "uvu";
import * as assert from "uvu/assert";
import { matchRenames } from "#test/contract/match-renames.ts";

const test = suite("findRenamed");

const find = (gone: string[], fresh: string[], isAlike = (_gone: string, _fresh: string) => true) =>
  Object.fromEntries(matchRenames(gone, fresh, isAlike));

test("pairs similar names", () => {
  assert.equal(find(["startedAt", "label"], ["labels", "startAt"]), { startedAt: "startAt", label: "labels" });
  assert.equal(find(["a"], ["b"]), { a: "b" });
});

test("uses each name in one pair only", () => {
  assert.equal(find(["name", "names"], ["Name"]), { name: "Name" });
  assert.equal(find(["name"], ["Name", "names"]), { name: "Name" });
});

test("pairs no names with different content", () => {
  assert.equal(find(["name", "step"], ["names", "steps"], (gone) => gone === "step"), { step: "steps" });
  assert.equal(find(["name"], []), {});
});

test.run();
