import { suite } from "uvu";
import * as assert from "uvu/assert";
import { planItemChanges } from "#lib/workers/billing/quantities.ts";

const test = suite("planItemChanges");
const item = (id: string, size: string | null, quantity: number) => ({ id, size, quantity, price: "p", monthly: 1 });

test("plans no changes for equal quantities", () => {
  assert.equal(planItemChanges([], {}), []);
  assert.equal(planItemChanges([item("a", "small", 2), item("b", "large", 0)], { small: 2 }), []);
});

test("sets existing items, and adds missing ones", () => {
  assert.equal(planItemChanges([item("a", "small", 2)], { small: 1, medium: 3, large: 0 }), [
    { item: "a", quantity: 1 },
    { size: "medium", quantity: 3 },
  ]);
});

test("sets the quantity of an unused size to 0", () => {
  assert.equal(planItemChanges([item("a", "small", 2), item("b", "toString", 1)], {}), [
    { item: "a", quantity: 0 },
    { item: "b", quantity: 0 },
  ]);
});

test("uses one of two items of a size, and ignores foreign items", () => {
  const items = [item("a", "small", 1), item("x", null, 7), item("b", "small", 2)];
  assert.equal(planItemChanges(items, { small: 3 }), [{ item: "a", quantity: 3 }, { item: "b", quantity: 0 }]);
});

test.run();
