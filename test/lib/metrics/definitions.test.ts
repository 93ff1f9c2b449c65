/** Tests the conventions of OpenMetrics, and that all recorded metrics are defined. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { METRIC_DEFINITIONS, type MetricDefinition } from "#lib/metrics/definitions.ts";

const test = suite("METRIC_DEFINITIONS");
const all: readonly MetricDefinition[] = METRIC_DEFINITIONS;
const none = (found: readonly MetricDefinition[]) => assert.equal(found.map(({ name }) => name), []);

test("has unique lower-case names with a known prefix", () => {
  assert.is(new Set(all.map(({ name }) => name)).size, all.length);
  none(all.filter(({ name }) => !/^(?:wheelwright|process)(?:_[a-z]+)+$/.test(name)));
});

test("has names that end in _total for counters, and in the unit", () => {
  none(all.filter(({ name, type }) => name.endsWith("_total") !== (type === "counter")));
  none(all.filter(({ name, type }) => type === "histogram" && !name.endsWith("_seconds")));
  none(
    all.filter(({ name }) =>
      /_(?:age|delay|duration|wait|memory)(?:_|$)/.test(name) && !/_(?:seconds|bytes)$/.test(name)
    ),
  );
});

test("has increasing buckets for histograms only", () => {
  none(all.filter(({ type, buckets }) => (type === "histogram") !== (buckets !== undefined)));
  none(all.filter(({ buckets = [] }) => buckets.some((bucket, i) => i > 0 && bucket <= buckets[i - 1]!)));
});

test("has no label for customers or unlimited values", () => {
  const few =
    "version commit method route status reason kind outcome step state call verb health percent disk amount accounts days part"
      .split(" ");
  none(all.filter(({ labels = [] }) => labels.some((label) => !few.includes(label))));
});

test("describes each metric in a sentence", () => {
  none(all.filter(({ help }) => !/^[A-Z1].{8,}[^.]$/.test(help)));
});

test.run();
