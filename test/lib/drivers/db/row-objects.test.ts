import { suite } from "uvu";
import * as assert from "uvu/assert";
import { READ_NUMBER, readReadNumbers, toRowObjects } from "#lib/drivers/db/row-objects.ts";

const test = suite("toRowObjects");
const columnsOf = (...names: string[]) => names.map((name) => ({ name }));

test("names the values after the columns, in the same order", () => {
  const names = Array.from({ length: 40 }, (_, i) => `field${39 - i}`);
  const [row] = toRowObjects(columnsOf(...names), [names.map((_, i) => i)]);
  assert.equal(Object.entries(row!), names.map((name, i) => [name, i]));
});

test("keeps any column name as it is", () => {
  const names = ["count(*)", `a "quoted" name`, "line\nbreak", "?column?"];
  assert.equal(toRowObjects(columnsOf(...names), [[1, 2, 3, 4]]), [
    Object.fromEntries(names.map((name, i) => [name, i + 1])),
  ]);
});

test("keeps the last of several columns with the same name", () => {
  assert.equal(toRowObjects(columnsOf("id", "id"), [[1, 2]]), [{ id: 2 }]);
});

test("returns the numbers of the reads apart from the rows", () => {
  const columns = columnsOf(READ_NUMBER, "id");
  assert.equal(toRowObjects(columns, [[2, "a"], [1, "b"]]), [{ id: "a" }, { id: "b" }]);
  assert.equal(readReadNumbers(columns, [[2, "a"], [1, "b"]]), [2, 1]);
  assert.is(readReadNumbers(columnsOf("id"), [["a"]]), undefined);
});

test.run();
