/** What is kept of a span until it is sent, and how OTLP writes many of them. */
import type { SpanContext } from "#lib/base/trace.ts";

export type AttributeValue = string | number;

export interface RecordedSpan {
  readonly place: SpanContext;
  readonly name: string;
  readonly role: "internal" | "server" | "client";
  /** Milliseconds since the epoch. */
  readonly beganAt: number;
  readonly endedAt: number;
  readonly attributes: Readonly<Record<string, AttributeValue>>;
  /** Why it has failed; null where it has not. Empty where nothing can be said of it. */
  readonly failure: string | null;
}

const ROLES = { internal: 1, server: 2, client: 3 };
const ERROR = 2;

/** One request of OTLP in JSON, of spans that are encoded already. */
export function encodeBatch(
  resource: Readonly<Record<string, string>>,
  version: string,
  spans: readonly string[],
): string {
  const about = JSON.stringify({ attributes: pairs(resource) }),
    scope = JSON.stringify({ name: "wheelwright", version });
  return `{"resourceSpans":[{"resource":${about},"scopeSpans":[{"scope":${scope},"spans":[${spans.join(",")}]}]}]}`;
}

/** At once, since a text costs less to keep than all that it is made of. */
export function encodeSpan({ place, name, role, beganAt, endedAt, attributes, failure }: RecordedSpan): string {
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
    attributes: pairs(attributes),
    ...(failure !== null && { status: { code: ERROR, ...(failure !== "" && { message: failure }) } }),
  });
}

function pairs(values: Readonly<Record<string, AttributeValue>>): object[] {
  return Object.entries(values).map(([key, value]) => ({
    key,
    value: typeof value === "string" ? { stringValue: value.toWellFormed() } : { intValue: String(Math.round(value)) },
  }));
}

/** As text: a double cannot hold them. */
function nanoseconds(ms: number): string {
  const whole = Math.floor(ms);
  return `${whole}${String(Math.floor((ms - whole) * 1e6)).padStart(6, "0")}`;
}
