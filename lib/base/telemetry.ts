/**
 * Reports spans and measurements to observers: metrics and traces. The parent of a span comes from the work context
 * (work-context.ts). A span costs about 2 µs on Node and Deno, and almost nothing without observers.
 */
import { PASS_THROUGH_SAMPLER, type Sampler } from "#lib/base/trace.ts";

/**
 * The kinds of spans and their labels. A label must have few possible values, because metrics create a series for each
 * value. IDs and paths belong in a span's details.
 */
export interface SpanLabels {
  /** An HTTP request to this service. `route` is its path pattern. */
  readonly request: { readonly method: string; readonly route: string; status?: number };
  readonly transaction: NoLabels;
  /** A replica's run of a job. */
  readonly job: { readonly kind: string };
  readonly step: { readonly kind: string; readonly step: string };
  /** A call to a Kubernetes API server. Status 0: no response; "cancelled": cancelled by this replica. */
  readonly cluster_call: { readonly verb: string; status?: number | "cancelled" };
  readonly mail: NoLabels;
  /** A call to the payment provider, such as `POST customers`. */
  readonly provider_call: { readonly call: string };
}

/** The kinds of measurements and their labels. */
export interface MeasurementLabels {
  /** The end of an operation, with the seconds since its request. */
  readonly operation: { readonly kind: string; readonly outcome: string };
  readonly shed: { readonly reason: "full" | "late" | "share" };
  readonly takeover: NoLabels;
  readonly watch_restart: NoLabels;
  /** A span that was not sent to the collector, or that the collector refused. */
  readonly span_dropped: NoLabels;
  /** The event loop delay in seconds. */
  readonly event_loop: NoLabels;
}
type NoLabels = { readonly [label: string]: never };

export type SpanKind = keyof SpanLabels;
export type MeasurementKind = keyof MeasurementLabels;

/** A unit of work. The work may add labels and details that become known later. */
export interface Span<K extends SpanKind = SpanKind> {
  readonly kind: K;
  readonly labels: SpanLabels[K];
  /** Attributes for traces only: IDs, paths, counts. No secrets and no text written by users. */
  readonly details: Record<string, string | number>;
  /** The start, as a value of performance.now(). */
  readonly beganAt: number;
  /** The outcome. The work may set it. Otherwise it becomes `failed` if the work throws, or `succeeded`. */
  outcome?: string;
  seconds?: number;
  /** The error, for traces only. Only Fault and DriverError show their message, other errors only their class. */
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
  readonly sampler: Sampler;
}

/** Receives spans and measurements. */
export interface Observer {
  startSpan?(span: Span): Observation | null;
  record?(kind: MeasurementKind, labels: MeasurementLabels[MeasurementKind], seconds?: number): void;
  readonly sampler?: Sampler;
}

export interface Observation {
  /** Runs the work in a context of this span. */
  wrap?<T>(work: () => Promise<T>): Promise<T>;
  end(span: Span): void;
}

/** Telemetry without observers. */
export const NO_TELEMETRY: Telemetry = Object.freeze(
  {
    span: (_kind, _labels, work) => work(IGNORED_SPAN as never),
    record: () => {},
    sampler: PASS_THROUGH_SAMPLER,
  } satisfies Telemetry,
);

/** A shared span whose labels and details are never read. */
const IGNORED_SPAN = { labels: {}, details: {} };

export function openTelemetry(observers: readonly Observer[]): Telemetry {
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
