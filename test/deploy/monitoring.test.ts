/** What the chart has Prometheus ask, and Grafana draw. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Json } from "#lib/dev/simulator/store/object.ts";
import { LEAST, renderObjects } from "#test/support/chart.ts";
import { helm } from "#test/support/tools.ts";

const test = suite("deploy/helm/wheelwright/files");
const rendered = helm === null ? test.skip : test;

const WATCHED = {
  ...LEAST,
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

test.run();
