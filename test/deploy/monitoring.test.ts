/** Tests the chart's Prometheus scrape configuration and Grafana dashboard. */
import { readFile } from "node:fs/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Json } from "#lib/dev/simulator/store/object.ts";
import { METRIC_DEFINITIONS, type MetricDefinition } from "#lib/metrics/definitions.ts";
import { renderObjects, REQUIRED_CHART_VALUES } from "#test/support/chart.ts";
import { helm } from "#test/support/tools.ts";

const test = suite("deploy/helm/wheelwright/files");
const rendered = helm === null ? test.skip : test;

const WATCHED = {
  ...REQUIRED_CHART_VALUES,
  autoscaling: { enabled: true },
  metrics: { alerts: { enabled: true, runbook: "https://wiki.example.org/hubs" }, dashboard: { enabled: true } },
};

function made(): { readonly rules: Json[]; readonly expressions: string[]; readonly scaledBy: string } {
  const objects = renderObjects(WATCHED), of = (kind: string) => objects.filter((object) => object.kind === kind);
  const [{ rules }] = of("PrometheusRule")[0].spec.groups;
  const [dashboard] = of("ConfigMap").filter(({ metadata }) => metadata.name === "wheelwright-dashboard");
  const drawn = JSON.parse(dashboard.data["wheelwright.json"]).panels
    .flatMap(({ targets }: Json) => targets.map(({ expr }: Json) => expr));
  const scaledBy = of("HorizontalPodAutoscaler")[0].spec.metrics[0].pods.metric.name;
  return { rules, scaledBy, expressions: [...rules.map(({ expr }: Json) => expr), ...drawn] };
}

rendered("asks eight times for attention, and leads to what is to be done", () => {
  const { rules } = made();
  assert.is(rules.length, 8);
  for (const { alert, annotations, labels } of rules) {
    assert.is(annotations.runbook_url, `https://wiki.example.org/hubs#${alert.toLowerCase()}`);
    assert.match(annotations.summary, /^.{20,}[^.]$/);
    assert.ok(["critical", "warning"].includes(labels.severity));
  }
});

rendered("uses only existing metrics and labels", () => {
  const { expressions, scaledBy } = made(), all: readonly MetricDefinition[] = METRIC_DEFINITIONS;
  const labels = new Map(all.flatMap(({ name, type, labels = [] }) => {
    if (type !== "histogram") return [[name, labels] as const];
    return ["bucket", "sum", "count"].map((part) =>
      [`${name}_${part}`, part === "bucket" ? ["le", ...labels] : labels] as const
    );
  }));
  assert.ok(labels.has(scaledBy));
  for (const expression of expressions) {
    const words = [...expression.replaceAll(/"[^"]*"/g, "").matchAll(/\b[a-z]+(?:_[a-z]+)+\b/g)].map(([word]) => word);
    const named = words.filter((word) => /^(?:wheelwright|process)_/.test(word));
    assert.ok(named.length > 0, expression);
    assert.equal(named.filter((name) => !labels.has(name)), [], expression);
    const known = ["pod", ...named.flatMap((name) => labels.get(name)!)];
    const used = [...expression.matchAll(/\b(?:by|on) \(([a-z_, ]+)\)|([a-z_]+)(?==~?"|!=)/g)]
      .flatMap(([, group, one]) => group?.split(", ") ?? [one!]);
    assert.equal(used.filter((label) => !known.includes(label)), [], expression);
  }
});

rendered("shows each number of all spokes once, whichever replica reports it", () => {
  const { expressions } = made(),
    fleet = (METRIC_DEFINITIONS as readonly MetricDefinition[]).filter((metric) => metric.fleetWide);
  const names = fleet.map(({ name }) => name).join("|");
  const anyhow = new RegExp(`\\b(?:${names})\\b`, "g"),
    once = new RegExp(`max(?: by \\([a-z, ]+\\) )?\\((?:${names})\\b`, "g");
  for (const each of expressions) assert.is(each.match(anyhow)?.length, each.match(once)?.length, each);
});

rendered("leads to headings of docs/operating.md", async () => {
  const page = await readFile(new URL("../../docs/operating.md", import.meta.url), "utf8");
  for (const { alert } of made().rules) assert.match(page, `\n### ${alert}\n`);
  const values = { ...WATCHED, metrics: { alerts: { enabled: true } } };
  const [{ annotations }] = renderObjects(values).find(({ kind }) => kind === "PrometheusRule").spec.groups[0].rules;
  assert.is(annotations.runbook_url, "docs/operating.md#wheelwrightdown");
});

test.run();
