/**
 * Reads and writes W3C Trace Context headers, which connect the spans that several programs record. Any caller may send
 * these headers, so they are validated and never used for authorization.
 */
import { createRandomHex } from "#lib/base/ids.ts";

export interface TraceContext {
  /** 32 hexadecimal digits, not all 0. */
  readonly traceId: string;
  /** 16 hexadecimal digits, not all 0. */
  readonly spanId: string;
  /** Whether the trace is recorded. */
  readonly sampled: boolean;
  /** The value of the `tracestate` header, which is passed on unchanged. May be empty. */
  readonly state: string;
}

/** The IDs that identify a span and its parent. */
export interface SpanContext extends TraceContext {
  /** The parent span's ID; null if the span has no parent. */
  readonly parentId: string | null;
}

type TraceHeaders = Readonly<Record<"traceparent" | "tracestate", string | null>>;

const PARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const ALL_ZEROS = /^0+$/;
const MAX_PARENT_LENGTH = 512; // characters; later versions of the header may append fields
const MAX_STATE_LENGTH = 512; // characters; W3C requires programs to forward at least this many
const MAX_MEMBERS = 32;
const MEMBER =
  /^([a-z][a-z0-9_*/-]{0,255}|[a-z0-9][a-z0-9_*/-]{0,240}@[a-z][a-z0-9_*/-]{0,13})=([ -+\--<>-~]{0,255}[!-+\--<>-~])$/;

/** Parses the trace headers. Returns null if `traceparent` is invalid; ignores an invalid `tracestate`. */
export function readTraceHeaders({ traceparent, tracestate }: TraceHeaders): TraceContext | null {
  if (traceparent === null || traceparent.length > MAX_PARENT_LENGTH) return null;
  const [, version, traceId = "", spanId = "", flags = "", more] = PARENT.exec(traceparent) ?? [];
  if (version === undefined || version === "ff" || version === "00" && more !== undefined) return null;
  if (ALL_ZEROS.test(traceId) || ALL_ZEROS.test(spanId)) return null;
  return { traceId, spanId, sampled: (parseInt(flags, 16) & 1) === 1, state: parseState(tracestate ?? "") };
}

/** Returns the trace headers to add to an outgoing request. */
export function buildTraceHeaders({ traceId, spanId, sampled, state }: TraceContext): Readonly<Record<string, string>> {
  const traceparent = `00-${traceId}-${spanId}-${sampled ? "01" : "00"}`;
  return state === "" ? { traceparent } : { traceparent, tracestate: state };
}

/** Formats the trace context as text to store in a database row. */
export function formatTrace(trace: TraceContext): string {
  return Object.values(buildTraceHeaders(trace)).join(" ");
}

/** Parses text that `formatTrace` returned. Returns null if the text is invalid. */
export function parseTrace(text: string | null): TraceContext | null {
  const [, traceparent = null, tracestate = null] = /^(\S+)(?: (.*))?$/.exec(text ?? "") ?? [];
  return readTraceHeaders({ traceparent, tracestate });
}

/** Decides whether to record a trace, given the caller's span (null without a caller) and the trace ID. */
export type TraceSampler = (parent: TraceContext | null, traceId: string) => boolean;

/** Records a trace only if the caller records it. */
export const PASS_THROUGH_SAMPLER: TraceSampler = (parent) => parent?.sampled ?? false;

/** Starts a span as a child of the caller's span, or as the start of a new trace. */
export function startSpanContext(parent: TraceContext | null, sampler: TraceSampler, ids = randomIds()): SpanContext {
  const traceId = parent?.traceId ?? ids.traceId;
  const sampled = sampler(parent, traceId);
  return { traceId, spanId: ids.spanId, parentId: parent?.spanId ?? null, sampled, state: parent?.state ?? "" };
}

/** Returns the context for a new child span. */
export function createChildSpanContext(span: SpanContext): SpanContext {
  return { ...span, spanId: createRandomHex().slice(0, 16), parentId: span.spanId };
}

/** Returns random IDs. An ID that contains only zeros would be invalid, but is too unlikely to check for. */
function randomIds(): Pick<SpanContext, "traceId" | "spanId"> {
  return { traceId: createRandomHex(), spanId: createRandomHex().slice(0, 16) };
}

function parseState(text: string): string {
  if (text.length > MAX_STATE_LENGTH) return "";
  const members = text.split(",").map((member) => member.replace(/^[ \t]+|[ \t]+$/g, "")).filter((member) =>
    member !== ""
  );
  const keys = members.map((member) => MEMBER.exec(member)?.[1]);
  const valid = keys.length <= MAX_MEMBERS && keys.every((key) => key !== undefined) &&
    new Set(keys).size === keys.length;
  return valid ? members.join(",") : "";
}
