/** Provides a telemetry listener that records all spans and measurements of the program. */
import { createTelemetry, type Span, type Telemetry } from "#lib/base/telemetry.ts";

interface RecordedMeasurement {
  readonly kind: string;
  readonly labels: object;
  readonly seconds: number | undefined;
}

export interface RecordedTelemetry {
  readonly telemetry: Telemetry;
  /** The ended spans, in order of their ends. */
  readonly spans: readonly Span[];
  readonly notes: readonly RecordedMeasurement[];
}

export function recordTelemetry(): RecordedTelemetry {
  const spans: Span[] = [], notes: RecordedMeasurement[] = [];
  const telemetry = createTelemetry([{
    startSpan: () => ({ end: (span) => void spans.push(span) }),
    record: (kind, labels, seconds) => void notes.push({ kind, labels, seconds }),
  }]);
  return { telemetry, spans, notes };
}
