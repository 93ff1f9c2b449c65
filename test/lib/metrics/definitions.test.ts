/** Tests the conventions of OpenMetrics, and that all recorded metrics are defined. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type Metric, METRICS } from "#lib/metrics/definitions.ts";

const test = suite("METRICS");
const all: readonly Metric[] = METRICS;
const none = (found: readonly Metric[]) => assert.equal(found.map(({ name }) => name), []);

test("each name stands once, in lower case, with ours or the process's before it", () => {
  assert.is(new Set(all.map(({ name }) => name)).size, all.length);
  none(all.filter(({ name }) => !/^(?:wheelwright|process)(?:_[a-z]+)+$/.test(name)));
});

test("a counter ends in _total and nothing else does, and what has a unit ends in it", () => {
  none(all.filter(({ name, type }) => name.endsWith("_total") !== (type === "counter")));
  none(all.filter(({ name, type }) => type === "histogram" && !name.endsWith("_seconds")));
  none(
    all.filter(({ name }) =>
      /_(?:age|delay|duration|wait|memory)(?:_|$)/.test(name) && !/_(?:seconds|bytes)$/.test(name)
    ),
  );
});

test("buckets grow, and only histograms have them", () => {
  none(all.filter(({ type, buckets }) => (type === "histogram") !== (buckets !== undefined)));
  none(all.filter(({ buckets = [] }) => buckets.some((bucket, i) => i > 0 && bucket <= buckets[i - 1]!)));
});

test("no label names a customer, or anything that has no end", () => {
  const few = "version commit method route status reason kind outcome step state call verb health".split(" ");
  none(all.filter(({ labels = [] }) => labels.some((label) => !few.includes(label))));
});

test("each says in a sentence what it is", () => {
  none(all.filter(({ help }) => !/^[A-Z1].{8,}[^.]$/.test(help)));
});

test.run();
