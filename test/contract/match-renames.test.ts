import { suite } from "uvu";
import * as assert from "uvu/assert";
import { findRenamed } from "#test/contract/match-renames.ts";

const test = suite("findRenamed");

const find = (gone: string[], fresh: string[], isAlike = (_gone: string, _fresh: string) => true) =>
  Object.fromEntries(findRenamed(gone, fresh, isAlike));

test("pairs names that are like each other", () => {
  assert.equal(find(["startedAt", "label"], ["labels", "startAt"]), { startedAt: "startAt", label: "labels" });
  assert.equal(find(["a"], ["b"]), { a: "b" });
});

test("gives each name to one alone", () => {
  assert.equal(find(["name", "names"], ["Name"]), { name: "Name" });
  assert.equal(find(["name"], ["Name", "names"]), { name: "Name" });
});

test("pairs nothing that cannot be the same", () => {
  assert.equal(find(["name", "step"], ["names", "steps"], (gone) => gone === "step"), { step: "steps" });
  assert.equal(find(["name"], []), {});
});

test.run();
