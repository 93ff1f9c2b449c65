/** Tests reading trace context from untrusted headers, and forwarding it. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  buildTraceHeaders,
  createChildSpanContext,
  formatTrace,
  parseTrace,
  readTraceHeaders,
  startSpanContext,
} from "#lib/base/trace.ts";

const test = suite("readTraceHeaders, startSpanContext");

const TRACE = "0af7651916cd43dd8448eb211c80319c", SPAN = "b7ad6b7169203331";
const read = (traceparent: string, tracestate: string | null = null) => readTraceHeaders({ traceparent, tracestate });

test("reads trace ID, span ID and sampling flag of a traceparent", () => {
  assert.equal(read(`00-${TRACE}-${SPAN}-01`), { traceId: TRACE, spanId: SPAN, sampled: true, state: "" });
  assert.is(read(`00-${TRACE}-${SPAN}-00`)?.sampled, false);
  assert.is(read(`00-${TRACE}-${SPAN}-ff`)?.sampled, true, "unknown flags are ignored");
});

test("accepts additional fields of a later version", () => {
  assert.is(read(`01-${TRACE}-${SPAN}-01-more-of-it`)?.traceId, TRACE);
  assert.is(read(`01-${TRACE}-${SPAN}-01.more`), null);
});

test("ignores an invalid traceparent", () => {
  const wrong = [
    ...["", " ", "00", "garbage", "\0", `${TRACE}-${SPAN}`],
    ...[`ff-${TRACE}-${SPAN}-01`, `00-${TRACE}-${SPAN}-01-more`, `00-${TRACE}-${SPAN}-1`, `00-${TRACE}-${SPAN}`],
    ...[`00-${TRACE.toUpperCase()}-${SPAN}-01`, `00-${"0".repeat(32)}-${SPAN}-01`, `00-${TRACE}-${"0".repeat(16)}-01`],
    ...[` 00-${TRACE}-${SPAN}-01`, `00-${TRACE}-${SPAN}-01 `, `00-${TRACE}-${SPAN}-01\n`, `00-${TRACE}x${SPAN}-01`],
    `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`, // two joined headers
    `01-${TRACE}-${SPAN}-01-${"x".repeat(500)}`,
  ];
  for (const each of wrong) assert.is(read(each), null, each);
  assert.is(readTraceHeaders({ traceparent: null, tracestate: "a=1" }), null);
});

test("forwards a valid tracestate, and drops an invalid one", () => {
  const stateOf = (text: string) => read(`00-${TRACE}-${SPAN}-01`, text)?.state;
  assert.is(stateOf("rojo=00f067aa0ba902b7,congo=t61rcWkgMzE"), "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE");
  assert.is(stateOf(" a=1 ,, 1b@c=x y\t"), "a=1,1b@c=x y");
  const many = Array.from({ length: 33 }, (_, i) => `k${i}=v`).join(",");
  for (const bad of ["A=1", "a", "a=", "a=1,a=2", "a=é", "a=1;b=\u0007", "a=b=c", many, `a=${"x".repeat(600)}`]) {
    assert.is(stateOf(bad), "", bad);
  }
});

test("starts a new trace without a parent, and continues the parent's trace", () => {
  const first = startSpanContext(null, () => true), other = startSpanContext(null, () => false);
  assert.match(first.traceId, /^[0-9a-f]{32}$/);
  assert.match(first.spanId, /^[0-9a-f]{16}$/);
  assert.not.equal(first.traceId, other.traceId);
  assert.equal([first.parentId, first.sampled, other.sampled], [null, true, false]);
  const below = createChildSpanContext(first);
  assert.equal([below.traceId, below.parentId, below.sampled], [first.traceId, first.spanId, true]);
  assert.not.equal(below.spanId, first.spanId);
});

test("continues the trace of a remote parent, with its state", () => {
  const parent = read(`00-${TRACE}-${SPAN}-01`, "a=1")!;
  const place = startSpanContext(parent, (given) => given?.sampled ?? false);
  assert.equal({ ...place, spanId: "" }, { traceId: TRACE, spanId: "", parentId: SPAN, sampled: true, state: "a=1" });
  assert.equal(buildTraceHeaders(place), { traceparent: `00-${TRACE}-${place.spanId}-01`, tracestate: "a=1" });
});

test("parses a formatted trace, and ignores other text", () => {
  for (const state of ["", "a=1,b=x y"]) {
    const trace = { traceId: TRACE, spanId: SPAN, sampled: false, state };
    assert.equal(parseTrace(formatTrace(trace)), trace);
  }
  for (const other of [null, "", "null", `00-${TRACE}`]) assert.is(parseTrace(other), null);
});

test.run();
