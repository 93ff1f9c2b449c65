import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createTelemetry } from "#lib/base/telemetry.ts";
import { METRIC_DEFINITIONS } from "#lib/metrics/definitions.ts";
import { createMetricsRegistry, type GaugeValues } from "#lib/metrics/registry.ts";

const test = suite("createMetricsRegistry");

/** Gauges; those that are not named are unknown. */
function readings(values: Partial<GaugeValues> = {}): GaugeValues {
  const gauges = METRIC_DEFINITIONS.filter(({ type }) => type === "gauge").map(({ name }) => [name, null]);
  return { ...Object.fromEntries(gauges), ...values };
}

/** The series and their values. */
function seriesOf(text: string): Map<string, number> {
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.split(" ").at(-1))]));
}

test("counts and times spans by labels and outcome, not by details", async () => {
  const registry = createMetricsRegistry(), telemetry = createTelemetry([registry.observer]);
  const done = () => Promise.resolve(), failing = () => Promise.reject(new Error("no"));
  await telemetry.span("request", { method: "GET", route: "/x" }, ({ labels }) => (labels.status = 200, done()));
  await telemetry.span("transaction", {}, done);
  await telemetry.span("transaction", {}, failing).catch(() => {});
  await telemetry.span("job", { kind: "mail" }, async (span) => void (span.outcome = "lost"));
  await telemetry.span("step", { kind: "mail", step: "send" }, failing).catch(() => {});
  await telemetry.span("cluster_call", { verb: "GET", status: 0 }, done, { details: { path: "/secret" } });
  await telemetry.span("mail", {}, done);
  await telemetry.span("provider_call", { call: "POST customers" }, async (span) => void (span.outcome = "refused"));
  telemetry.record("operation", { kind: "provision", outcome: "failed" }, 61);
  telemetry.record("shed", { reason: "full" });
  telemetry.record("takeover", {});
  telemetry.record("watch_restart", {});
  telemetry.record("span_dropped", {});
  telemetry.record("event_loop", {}, 0.3);
  const text = await registry.text(readings()), series = seriesOf(text);
  for (
    const each of [
      'wheelwright_http_request_duration_seconds_count{method="GET",route="/x",status="200"}',
      'wheelwright_database_transactions_total{outcome="succeeded"}',
      'wheelwright_database_transactions_total{outcome="failed"}',
      'wheelwright_job_duration_seconds_count{kind="mail",outcome="lost"}',
      "wheelwright_fences_lost_total",
      'wheelwright_operation_step_duration_seconds_count{kind="mail",step="send",outcome="failed"}',
      'wheelwright_cluster_call_duration_seconds_count{verb="GET",status="0"}',
      'wheelwright_emails_total{outcome="succeeded"}',
      'wheelwright_provider_call_duration_seconds_count{call="POST customers",outcome="refused"}',
      'wheelwright_operation_duration_seconds_bucket{le="120",kind="provision",outcome="failed"}',
      'wheelwright_http_requests_shed_total{reason="full"}',
      "wheelwright_takeovers_total",
      "wheelwright_cluster_watch_restarts_total",
      "wheelwright_trace_spans_dropped_total",
      'wheelwright_event_loop_delay_seconds_bucket{le="0.5"}',
    ]
  ) assert.is(series.get(each), 1, each);
  assert.is(series.get('wheelwright_operation_duration_seconds_bucket{le="60",kind="provision",outcome="failed"}'), 0);
  assert.not.match(text, "secret");
});

test("sets gauges to current values, and omits unknown ones", async () => {
  const { text } = createMetricsRegistry();
  const values = readings({
    wheelwright_streams: 3,
    wheelwright_spokes_drifted: 2,
    wheelwright_spokes: [[{ state: "active", health: "healthy" }, 7]],
  });
  const before = seriesOf(await text(values));
  assert.is(before.get("wheelwright_streams"), 3);
  assert.is(before.get("wheelwright_spokes_drifted"), 2);
  assert.is(before.get('wheelwright_spokes{state="active",health="healthy"}'), 7);
  const after = [...seriesOf(await text(readings({ wheelwright_streams: 0 }))).keys()];
  assert.ok(after.includes("wheelwright_streams"));
  assert.equal(after.filter((name) => name.startsWith("wheelwright_spokes")), []);
});

test("returns each metric with its help in the Prometheus text format", async () => {
  const { text, contentType } = createMetricsRegistry(), page = await text(readings());
  assert.match(contentType, /^text\/plain; version=0\.0\.4/);
  for (const { name, type, help } of METRIC_DEFINITIONS) {
    assert.ok(page.includes(`# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`));
  }
});

test.run();
