import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  formatNumber,
  formatSpread,
  latencySinceDue,
  median,
  percentile,
  ratioOf,
  renderTable,
  scheduleOf,
  spreadOf,
} from "#test/bench/statistics.ts";

const test = suite("bench statistics");
const hundred = Array.from({ length: 100 }, (_, i) => 100 - i);

test("percentile returns the value that this share of numbers does not exceed, in any order", () => {
  assert.equal([0.01, 0.5, 0.99, 1].map((part) => percentile(hundred, part)), [1, 50, 99, 100]);
  assert.equal(percentile([10, 9, 100], 0.5), 10); // sorts as numbers, not as text
  assert.equal(percentile([7], 0.99), 7);
  assert.ok(Number.isNaN(percentile([], 0.5)));
});

test("median returns the mean of the middle two for an even number of rounds", () => {
  assert.equal(median([4, 1, 10, 3]), 3.5);
  assert.equal(spreadOf([4, 1, 10]), { median: 4, min: 1, max: 10 });
});

test("ratioOf compares round by round, because a round's numbers share the machine's load", () => {
  assert.equal(ratioOf([10, 100, 1000], [20, 200, 2000]), { median: 0.5, min: 0.5, max: 0.5 });
});

test("requests are due at equal intervals, the first immediately", () => {
  const schedule = scheduleOf(100, 50);
  assert.equal(schedule.count, 5);
  assert.equal([0, 1, 4].map(schedule.dueAt), [0, 10, 40]);
  assert.equal([0, 9.9, 10, 45, 1000].map(schedule.dueBy), [1, 1, 2, 5, 5]);
});

test("counts the waiting time behind a stalled request from the due time", () => {
  // One request per millisecond. The first three get an immediate response; the others get it at 100 ms.
  const schedule = scheduleOf(1000, 10), answeredAt = [0, 1, 2, 100, 100, 100, 100, 100, 100, 100];
  assert.equal(latencySinceDue(schedule, answeredAt), [0, 0, 0, 97, 96, 95, 94, 93, 92, 91]);
});

test("formats short numbers and aligned columns", () => {
  assert.equal([0.1234, 12.34, 123.4, Infinity].map(formatNumber), ["0.12", "12.3", "123", "-"]);
  assert.equal(formatSpread({ median: 2, min: 1, max: 30 }), "2.00 (1.00–30.0)");
  assert.equal(
    renderTable([["", "rate"], ["ours", "7"], ["other", "1234567"]]),
    "          rate\nours         7\nother  1234567",
  );
});

test.run();
