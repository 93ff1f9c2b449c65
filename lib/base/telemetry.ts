/**
 * What the program does, told as it ends: to metrics, which count and time it, and to traces, which keep it with what it was
 * a part of. Each thing is told at one place, by `span` or `note`, and costs nothing where nobody listens.
 *
 * What belongs to what is known by the asynchronous context (cause.ts), which the observer of traces narrows around the
 * work: 2 µs a span on Node and Deno.
 */
import { PASS_THROUGH_SAMPLER, type Sampler } from "#lib/base/trace.ts";

/**
 * What takes time, and its labels. They have few values, all of them known to the program: metrics make a series of each.
 * What has many (ids, paths) goes into a span's details.
 */
export interface SpanLabels {
  /** One answer to a client. `route` is the pattern of its path. */
  readonly request: { readonly method: string; readonly route: string; status?: number };
  readonly transaction: NoLabels;
  /** One holder's run of a job. */
  readonly job: { readonly kind: string };
  readonly step: { readonly kind: string; readonly step: string };
  /** One exchange with a cluster. Status 0 is no answer; "cancelled" is a call that was called off here. */
  readonly cluster_call: { readonly verb: string; status?: number | "cancelled" };
  readonly mail: NoLabels;
  /** One exchange with the payment provider: `POST customers`. */
  readonly provider_call: { readonly call: string };
}

/** What is counted or was timed elsewhere, with its labels. */
export interface MeasurementLabels {
  /** An operation is over; in seconds since it was asked for. */
  readonly operation: { readonly kind: string; readonly outcome: string };
  readonly shed: { readonly reason: "full" | "late" | "share" };
  readonly takeover: NoLabels;
  readonly watch_restart: NoLabels;
  /** A span that no collector was given, or that one refused. */
  readonly span_dropped: NoLabels;
  /** Seconds that the event loop was late. */
  readonly event_loop: NoLabels;
}
type NoLabels = { readonly [label: string]: never };

export type SpanKind = keyof SpanLabels;
export type MeasurementKind = keyof MeasurementLabels;

/** One piece of work. Whoever does it may write what is known only later. */
export interface Span<K extends SpanKind = SpanKind> {
  readonly kind: K;
  readonly labels: SpanLabels[K];
  /** For traces alone: ids, paths, counts. No secret, and nothing that a person wrote. */
  readonly details: Record<string, string | number>;
  /** By performance.now(). */
  readonly beganAt: number;
  /** Known once it is over: `failed` when it threw, else `succeeded`, unless the work said otherwise. */
  outcome?: string;
  seconds?: number;
  /** What it threw. For traces alone, which show what is written for people, and of all else its kind. */
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
  /** Which traces are recorded. */
  readonly sampler: Sampler;
}

/** One that listens. */
export interface Observer {
  startSpan?(span: Span): Observation | null;
  record?(kind: MeasurementKind, labels: MeasurementLabels[MeasurementKind], seconds?: number): void;
  readonly sampler?: Sampler;
}

export interface Observation {
  /** Does the work in a context of its own. */
  wrap?<T>(work: () => Promise<T>): Promise<T>;
  end(span: Span): void;
}

/** Where nobody listens. */
export const NO_TELEMETRY: Telemetry = Object.freeze(
  {
    span: (_kind, _labels, work) => work(IGNORED_SPAN as never),
    record: () => {},
    sampler: PASS_THROUGH_SAMPLER,
  } satisfies Telemetry,
);

/** All write into the same one, and nobody reads it. */
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
