/** Encodes trace spans as JSON for OTLP, the OpenTelemetry protocol. */
import type { SpanContext } from "#lib/base/trace.ts";

export type SpanAttributeValue = string | number;

export interface RecordedSpan {
  readonly context: SpanContext;
  readonly name: string;
  readonly role: "internal" | "server" | "client";
  /** The start time, in milliseconds since the epoch. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly attributes: Readonly<Record<string, SpanAttributeValue>>;
  /** The error message. Null without an error, and empty if the message is not safe to export. */
  readonly failure: string | null;
}

const ROLES = { internal: 1, server: 2, client: 3 };
const ERROR = 2;

/** Returns the JSON for an OTLP request that contains these encoded spans. */
export function encodeSpanBatch(
  resource: Readonly<Record<string, string>>,
  version: string,
  spans: readonly string[],
): string {
  const resourceJson = JSON.stringify({ attributes: toAttributes(resource) }),
    scope = JSON.stringify({ name: "wheelwright", version });
  return `{"resourceSpans":[{"resource":${resourceJson},"scopeSpans":[{"scope":${scope},"spans":[${
    spans.join(",")
  }]}]}]}`;
}

/** Encodes a span as soon as it ends, because JSON text needs less memory than an object. */
export function encodeSpan(
  { context: place, name, role, startedAt: beganAt, endedAt, attributes, failure }: RecordedSpan,
): string {
  return JSON.stringify({
    traceId: place.traceId,
    spanId: place.spanId,
    ...(place.parentId !== null && { parentSpanId: place.parentId }),
    ...(place.state !== "" && { traceState: place.state }),
    flags: 1,
    name,
    kind: ROLES[role],
    startTimeUnixNano: nanoseconds(beganAt),
    endTimeUnixNano: nanoseconds(Math.max(beganAt, endedAt)),
    attributes: toAttributes(attributes),
    ...(failure !== null && { status: { code: ERROR, ...(failure !== "" && { message: failure }) } }),
  });
}

function toAttributes(values: Readonly<Record<string, SpanAttributeValue>>): object[] {
  return Object.entries(values).map(([key, value]) => ({
    key,
    value: typeof value === "string" ? { stringValue: value.toWellFormed() } : { intValue: String(Math.round(value)) },
  }));
}

/** Returns nanoseconds as text, because they exceed the precision of a JavaScript number. */
function nanoseconds(ms: number): string {
  const milliseconds = Math.floor(ms);
  return `${milliseconds}${String(Math.floor((ms - milliseconds) * 1e6)).padStart(6, "0")}`;
}
