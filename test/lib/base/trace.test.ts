/** Tests reading trace context from untrusted headers, and forwarding it. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  childSpanContext,
  formatTrace,
  parseTrace,
  readTraceHeaders,
  startSpanContext,
  traceHeaders,
} from "#lib/base/trace.ts";

const test = suite("readTrace, placeIn");

const TRACE = "0af7651916cd43dd8448eb211c80319c", SPAN = "b7ad6b7169203331";
const read = (traceparent: string, tracestate: string | null = null) => readTraceHeaders({ traceparent, tracestate });

test("a traceparent names a trace, a part of it, and whether it is recorded", () => {
  assert.equal(read(`00-${TRACE}-${SPAN}-01`), { traceId: TRACE, spanId: SPAN, sampled: true, state: "" });
  assert.is(read(`00-${TRACE}-${SPAN}-00`)?.sampled, false);
  assert.is(read(`00-${TRACE}-${SPAN}-ff`)?.sampled, true, "flags that are not known yet change nothing");
});

test("a later version may say more, behind what is known", () => {
  assert.is(read(`01-${TRACE}-${SPAN}-01-more-of-it`)?.traceId, TRACE);
  assert.is(read(`01-${TRACE}-${SPAN}-01.more`), null);
});

test("what is not a traceparent to the letter is as nothing", () => {
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

test("a tracestate is passed on as it came, and a bad one leaves the trace as it is", () => {
  const stateOf = (text: string) => read(`00-${TRACE}-${SPAN}-01`, text)?.state;
  assert.is(stateOf("rojo=00f067aa0ba902b7,congo=t61rcWkgMzE"), "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE");
  assert.is(stateOf(" a=1 ,, 1b@c=x y\t"), "a=1,1b@c=x y");
  const many = Array.from({ length: 33 }, (_, i) => `k${i}=v`).join(",");
  for (const bad of ["A=1", "a", "a=", "a=1,a=2", "a=é", "a=1;b=\u0007", "a=b=c", many, `a=${"x".repeat(600)}`]) {
    assert.is(stateOf(bad), "", bad);
  }
});

test("what begins without a parent has a trace of its own, and what is below another stays in its trace", () => {
  const first = startSpanContext(null, () => true), other = startSpanContext(null, () => false);
  assert.match(first.traceId, /^[0-9a-f]{32}$/);
  assert.match(first.spanId, /^[0-9a-f]{16}$/);
  assert.not.equal(first.traceId, other.traceId);
  assert.equal([first.parentId, first.sampled, other.sampled], [null, true, false]);
  const below = childSpanContext(first);
  assert.equal([below.traceId, below.parentId, below.sampled], [first.traceId, first.spanId, true]);
  assert.not.equal(below.spanId, first.spanId);
});

test("a parent from elsewhere is kept, with its state, and tells nothing but ids", () => {
  const parent = read(`00-${TRACE}-${SPAN}-01`, "a=1")!;
  const place = startSpanContext(parent, (given) => given?.sampled ?? false);
  assert.equal({ ...place, spanId: "" }, { traceId: TRACE, spanId: "", parentId: SPAN, sampled: true, state: "a=1" });
  assert.equal(traceHeaders(place), { traceparent: `00-${TRACE}-${place.spanId}-01`, tracestate: "a=1" });
});

test("a trace comes back from a row as it was written, and what nobody here wrote is as nothing", () => {
  for (const state of ["", "a=1,b=x y"]) {
    const trace = { traceId: TRACE, spanId: SPAN, sampled: false, state };
    assert.equal(parseTrace(formatTrace(trace)), trace);
  }
  for (const other of [null, "", "null", `00-${TRACE}`]) assert.is(parseTrace(other), null);
});

test.run();
