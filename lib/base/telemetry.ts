/**
 * Passes spans and measurements to observers, which export metrics and traces. A span's parent comes from the work
 * context (work-context.ts).
 */
import { PASS_THROUGH_SAMPLER, type TraceSampler } from "#lib/base/trace.ts";

/**
 * The kinds of spans and their labels. A label must have few possible values, because metrics create a time series for
 * each value. IDs and paths belong in the span's `details`.
 */
export interface SpanLabels {
  /** An HTTP request to this service. `route` is the endpoint's path pattern. */
  readonly request: { readonly method: string; readonly route: string; status?: number };
  readonly transaction: NoLabels;
  /** A replica's work on a job, from start to finish or failure. */
  readonly job: { readonly kind: string };
  readonly step: { readonly kind: string; readonly step: string };
  /** A call to a Kubernetes API server. Status 0 means no response; "cancelled" means cancelled by this replica. */
  readonly cluster_call: { readonly verb: string; status?: number | "cancelled" };
  readonly mail: NoLabels;
  /** A call to the payment provider, such as `POST customers`. */
  readonly provider_call: { readonly call: string };
}

/** The kinds of measurements and their labels. */
export interface MeasurementLabels {
  /** A finished operation. The value is the time since the operation was requested, in seconds. */
  readonly operation: { readonly kind: string; readonly outcome: string };
  readonly shed: { readonly reason: "full" | "late" | "share" };
  readonly takeover: NoLabels;
  /** A minute of a site for which the result of the requests to its login page was stored. */
  readonly site_minute: { readonly kind: "up" | "down" | "planned" | "unknown" };
  /** An attempt to send a message to the receiver of a webhook. */
  readonly webhook_delivery: { readonly outcome: "succeeded" | "failed" };
  readonly watch_restart: NoLabels;
  /** A trace span that could not be sent to the collector, or that the collector refused. */
  readonly span_dropped: NoLabels;
  /** A measurement of the event loop's delay, in seconds. */
  readonly event_loop: NoLabels;
}
type NoLabels = { readonly [label: string]: never };

export type SpanKind = keyof SpanLabels;
export type MeasurementKind = keyof MeasurementLabels;

/** A measured unit of work, which may add labels and details to its span while it runs. */
export interface Span<K extends SpanKind = SpanKind> {
  readonly kind: K;
  readonly labels: SpanLabels[K];
  /** Attributes for traces only: IDs, paths and counts. Must not contain secrets or text that users wrote. */
  readonly details: Record<string, string | number>;
  /** When the span started, as a value from performance.now(). */
  readonly beganAt: number;
  /** The outcome of the work. Defaults to `failed` if the work throws, and otherwise to `succeeded`. */
  outcome?: string;
  seconds?: number;
  /** The error, for traces only. The error's message is recorded only for a Fault or DriverError. */
  error?: unknown;
}

export interface SpanOptions {
  readonly details?: Readonly<Record<string, string | number>>;
}

export interface Telemetry {
  span<K extends SpanKind, T>(
    kind: K,
    labels: SpanLabels[K],
    work: (span: Span<K>) => Promise<T>,
    options?: SpanOptions,
  ): Promise<T>;
  record<K extends MeasurementKind>(kind: K, labels: MeasurementLabels[K], seconds?: number): void;
  readonly sampler: TraceSampler;
}

/** Receives finished spans and measurements, for example to export them. */
export interface TelemetryObserver {
  startSpan?(span: Span): TelemetryObservation | null;
  record?(kind: MeasurementKind, labels: MeasurementLabels[MeasurementKind], seconds?: number): void;
  readonly sampler?: TraceSampler;
}

export interface TelemetryObservation {
  /** Runs the work in a context that belongs to this span. */
  wrap?<T>(work: () => Promise<T>): Promise<T>;
  end(span: Span): void;
}

/** A telemetry object that records nothing. */
export const NO_TELEMETRY: Telemetry = Object.freeze(
  {
    span: (_kind, _labels, work) => work(IGNORED_SPAN as never),
    record: () => {},
    sampler: PASS_THROUGH_SAMPLER,
  } satisfies Telemetry,
);

/** A placeholder span whose labels and details are never read. */
const IGNORED_SPAN = { labels: {}, details: {} };

export function createTelemetry(observers: readonly TelemetryObserver[]): Telemetry {
  if (observers.length === 0) return NO_TELEMETRY;
  return {
    async span(kind, labels, work, { details = {} } = {}) {
      const span: Span<typeof kind> = {
        kind,
        labels: { ...labels },
        details: { ...details },
        beganAt: performance.now(),
      };
      const observations = observers.flatMap((observer) => observer.startSpan?.(span as Span) ?? []);
      const run = observations.reduce<() => ReturnType<typeof work>>(
        (inner, { wrap: surround }) => surround ? () => surround(inner) : inner,
        () => work(span),
      );
      try {
        const result = await run();
        span.outcome ??= "succeeded";
        return result;
      } catch (error) {
        span.outcome ??= "failed";
        span.error = error;
        throw error;
      } finally {
        span.seconds = (performance.now() - span.beganAt) / 1000;
        for (const { end } of observations) end(span as Span);
      }
    },
    record(kind, labels, seconds) {
      for (const { record: note } of observers) note?.(kind, labels, seconds);
    },
    sampler: observers.find(({ sampler: samples }) => samples)?.sampler ?? PASS_THROUGH_SAMPLER,
  };
}
