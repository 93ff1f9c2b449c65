/** Compares the pages on metrics with the declared metrics. */
import { readFile } from "node:fs/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { METRIC_DEFINITIONS } from "#lib/metrics/definitions.ts";
import { insertMetricList } from "#src/generate/metrics.ts";

const test = suite("pages on metrics");
const read = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), "utf8");

test("name only metrics that exist", async () => {
  const known = new Set<string>(METRIC_DEFINITIONS.flatMap(({ name, type }) => [
    name,
    ...(type === "histogram" ? ["bucket", "sum", "count"].map((part) => `${name}_${part}`) : []),
  ]));
  for (const path of ["docs/metrics.md", "docs/operating.md", "deploy/metrics.md"]) {
    const named = (await read(path)).match(/\bwheelwright_[a-z_]+/g) ?? [];
    assert.ok(named.length > 0);
    assert.equal(named.filter((name) => !known.has(name)), [], path);
  }
});

test("explain what to do about each of the eight alerts", async () => {
  const [, alerts = ""] = (await read("docs/operating.md")).split("\n## Alerts\n");
  const parts = alerts.split("\n### ").slice(1).map((part) => part.split("\n\n"));
  assert.equal(parts.map(([name]) => name), [
    "WheelwrightDown",
    "WheelwrightErrors",
    "WheelwrightWorkWaits",
    "WheelwrightOperationsFail",
    "WheelwrightClusterAway",
    "WheelwrightDatabaseExhausted",
    "WheelwrightBackupsLate",
    "WheelwrightAuditUnsealed",
  ]);
  for (const [name, what = ""] of parts) assert.ok(what.length > 200, name);
});

test("the list is written from the declarations, between its marks", () => {
  const text = insertMetricList("a\n<!-- metrics -->\nold\n<!-- end of metrics -->\nb\n");
  assert.match(text, /^a\n<!-- metrics -->\n\n- `wheelwright_.*\n<!-- end of metrics -->\nb\n$/s);
  for (const { name } of METRIC_DEFINITIONS) assert.match(text, new RegExp(`^- \`${name}[\`{]`, "m"));
  assert.throws(() => insertMetricList("no marks"), /lacks the comments/);
});

test.run();
