/** Provides a listener that keeps what the program reports to it. */
import { openTelemetry, type Span, type Telemetry } from "#lib/base/telemetry.ts";

interface Note {
  readonly kind: string;
  readonly labels: object;
  readonly seconds: number | undefined;
}

export interface Listening {
  readonly telemetry: Telemetry;
  /** The ended spans, in the order in which they ended. */
  readonly spans: readonly Span[];
  readonly notes: readonly Note[];
}

export function listenIn(): Listening {
  const spans: Span[] = [], notes: Note[] = [];
  const telemetry = openTelemetry([{
    startSpan: () => ({ end: (span) => void spans.push(span) }),
    record: (kind, labels, seconds) => void notes.push({ kind, labels, seconds }),
  }]);
  return { telemetry, spans, notes };
}
