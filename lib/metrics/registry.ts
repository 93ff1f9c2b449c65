/** Collects metrics with prom-client. To save memory, this module is imported only if METRICS_PORT is set. */
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type {
  MeasurementKind,
  MeasurementLabels,
  Span,
  SpanKind,
  TelemetryObservation,
  TelemetryObserver,
} from "#lib/base/telemetry.ts";
import {
  type CounterName,
  type GaugeName,
  type HistogramName,
  METRIC_DEFINITIONS,
  type MetricDefinition,
} from "#lib/metrics/definitions.ts";

type Labels = Readonly<Record<string, string | number>>;

/** A gauge's value: a number, a number for each set of labels, or null if unknown. */
export type GaugeValue = number | readonly (readonly [labels: Labels, value: number])[] | null;
export type GaugeValues = Readonly<Record<GaugeName, GaugeValue>>;

export interface MetricsRegistry {
  readonly observer: TelemetryObserver;
  /** Returns all metrics in the Prometheus text format, version 0.0.4. */
  text(readings: GaugeValues): Promise<string>;
  readonly contentType: string;
}

export function createMetricsRegistry(): MetricsRegistry {
  const registry = new Registry(), registers = [registry];
  const counters = new Map<string, Counter>(), gauges = new Map<string, Gauge>(), times = new Map<string, Histogram>();
  for (const { name, type, help, labels = [], buckets = [] } of METRIC_DEFINITIONS as readonly MetricDefinition[]) {
    const common = { name, help, labelNames: labels, registers };
    if (type === "counter") counters.set(name, new Counter(common));
    else if (type === "gauge") gauges.set(name, new Gauge(common));
    else times.set(name, new Histogram({ ...common, buckets: [...buckets] }));
  }
  const increment = (name: CounterName, labels: Labels = {}) => counters.get(name)!.inc(labels);
  const observe = (name: HistogramName, labels: Labels, seconds = 0) => times.get(name)!.observe(labels, seconds);

  const onSpanEnd: { readonly [K in SpanKind]: (span: Span<K>) => void } = {
    request: ({ labels, seconds }) => observe("wheelwright_http_request_duration_seconds", { ...labels }, seconds),
    transaction: ({ outcome = "" }) => increment("wheelwright_database_transactions_total", { outcome }),
    job({ labels, outcome = "", seconds }) {
      observe("wheelwright_job_duration_seconds", { ...labels, outcome }, seconds);
      if (outcome === "lost") increment("wheelwright_fences_lost_total");
    },
    step: ({ labels, outcome = "", seconds }) =>
      observe("wheelwright_operation_step_duration_seconds", { ...labels, outcome }, seconds),
    cluster_call: ({ labels, seconds }) => observe("wheelwright_cluster_call_duration_seconds", { ...labels }, seconds),
    mail: ({ outcome = "" }) => increment("wheelwright_emails_total", { outcome }),
    provider_call: ({ labels, outcome = "", seconds }) =>
      observe("wheelwright_provider_call_duration_seconds", { ...labels, outcome }, seconds),
  };
  const onMeasurement: { readonly [K in MeasurementKind]: (labels: MeasurementLabels[K], seconds?: number) => void } = {
    operation: (labels, seconds) => observe("wheelwright_operation_duration_seconds", { ...labels }, seconds),
    shed: (labels) => increment("wheelwright_http_requests_shed_total", { ...labels }),
    site_minute: (labels) => increment("wheelwright_site_minutes_total", { ...labels }),
    takeover: () => increment("wheelwright_takeovers_total"),
    span_dropped: () => increment("wheelwright_trace_spans_dropped_total"),
    webhook_delivery: (labels) => increment("wheelwright_webhook_deliveries_total", { ...labels }),
    watch_restart: () => increment("wheelwright_cluster_watch_restarts_total"),
    event_loop: (_, seconds) => observe("wheelwright_event_loop_delay_seconds", {}, seconds),
  };

  const observation: TelemetryObservation = { end: (span) => onSpanEnd[span.kind](span as never) };
  return {
    observer: {
      startSpan: () => observation,
      record: (kind, labels, seconds) => onMeasurement[kind](labels as never, seconds),
    },
    async text(readings) {
      for (const [name, gauge] of gauges) setGauge(gauge, readings[name as GaugeName]);
      return await registry.metrics();
    },
    contentType: registry.contentType,
  };
}

/** Sets the value of a gauge. Omits a gauge with an unknown value from the metrics page, because 0 would be wrong. */
function setGauge(gauge: Gauge, reading: GaugeValue): void {
  gauge.reset();
  if (typeof reading === "number") return gauge.set(reading);
  gauge.remove({}); // reset() sets a gauge without labels to 0
  for (const [labels, value] of reading ?? []) gauge.set(labels, value);
}
