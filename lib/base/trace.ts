/**
 * W3C Trace Context: the ids by which what many programs do for one cause is told to belong together.
 *
 * Anybody may send them, so they are read strictly, are bounded, and open nothing: they are names in logs and traces and
 * never a reason to let somebody do something.
 */
import { randomHex } from "#lib/base/ids.ts";

export interface TraceContext {
  /** 32 digits, of which one at least is not 0. */
  readonly traceId: string;
  /** What this is part of: 16 digits. */
  readonly spanId: string;
  /** Whether who began the trace records it. */
  readonly sampled: boolean;
  /** What other tracers want to be passed on, as it came; empty for nothing. */
  readonly state: string;
}

/** A part of a trace, with its own place in it. */
export interface SpanContext extends TraceContext {
  /** What it is part of; null for the first one. */
  readonly parentId: string | null;
}

type TraceHeaders = Readonly<Record<"traceparent" | "tracestate", string | null>>;

const PARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const ALL_ZEROS = /^0+$/;
const MAX_PARENT_LENGTH = 512; // a later version may say more behind what is known
const MAX_STATE_LENGTH = 512; // as much as the recommendation wants to be passed on
const MAX_MEMBERS = 32;
const MEMBER =
  /^([a-z][a-z0-9_*/-]{0,255}|[a-z0-9][a-z0-9_*/-]{0,240}@[a-z][a-z0-9_*/-]{0,13})=([ -+\--<>-~]{0,255}[!-+\--<>-~])$/;

/** What the headers say, or null where they say nothing that is valid. Of a bad state only the state is left out. */
export function readTraceHeaders({ traceparent, tracestate }: TraceHeaders): TraceContext | null {
  if (traceparent === null || traceparent.length > MAX_PARENT_LENGTH) return null;
  const [, version, traceId = "", spanId = "", flags = "", more] = PARENT.exec(traceparent) ?? [];
  if (version === undefined || version === "ff" || version === "00" && more !== undefined) return null;
  if (ALL_ZEROS.test(traceId) || ALL_ZEROS.test(spanId)) return null;
  return { traceId, spanId, sampled: (parseInt(flags, 16) & 1) === 1, state: parseState(tracestate ?? "") };
}

/** As headers for whom is asked next. */
export function traceHeaders({ traceId, spanId, sampled, state }: TraceContext): Readonly<Record<string, string>> {
  const traceparent = `00-${traceId}-${spanId}-${sampled ? "01" : "00"}`;
  return state === "" ? { traceparent } : { traceparent, tracestate: state };
}

/** As one text, for a row. */
export function formatTrace(trace: TraceContext): string {
  return Object.values(traceHeaders(trace)).join(" ");
}

/** The opposite. What cannot be read was written by nobody here, and is as nothing. */
export function parseTrace(text: string | null): TraceContext | null {
  const [, traceparent = null, tracestate = null] = /^(\S+)(?: (.*))?$/.exec(text ?? "") ?? [];
  return readTraceHeaders({ traceparent, tracestate });
}

/** Whether a trace is recorded here, by what it is part of and by its id. */
export type Sampler = (parent: TraceContext | null, traceId: string) => boolean;

/** Where nothing is recorded, what others have decided goes on to others. */
export const PASS_THROUGH_SAMPLER: Sampler = (parent) => parent?.sampled ?? false;

/** A part of what comes from outside, or the beginning of a trace. */
export function startSpanContext(parent: TraceContext | null, sampler: Sampler, ids = randomIds()): SpanContext {
  const traceId = parent?.traceId ?? ids.traceId;
  const sampled = sampler(parent, traceId);
  return { traceId, spanId: ids.spanId, parentId: parent?.spanId ?? null, sampled, state: parent?.state ?? "" };
}

/** A part of what is under way here. */
export function childSpanContext(place: SpanContext): SpanContext {
  return { ...place, spanId: randomHex().slice(0, 16), parentId: place.spanId };
}

/** That all digits of one are 0 happens to nobody. */
function randomIds(): Pick<SpanContext, "traceId" | "spanId"> {
  return { traceId: randomHex(), spanId: randomHex().slice(0, 16) };
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
