/** Tests what is sent to a collector, and that a collector never delays anybody. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createLog } from "#lib/base/log.ts";
import { SECOND } from "#lib/base/time.ts";
import { startSpanContext } from "#lib/base/trace.ts";
import { openSpanExporter, type SpanExporter, type SpanExporterOptions } from "#lib/drivers/traces/exporter.ts";
import type { RecordedSpan } from "#lib/drivers/traces/encode.ts";
import { acceptExport, type Collector, openCollector } from "#test/support/collector.ts";
import { until } from "#test/support/until.ts";

interface Entry {
  readonly level: string;
  readonly message: string;
  readonly reason?: string;
  readonly dropped?: number;
}

interface Context {
  collector: Collector;
  log: Entry[];
  dropped: number;
  open(more?: Partial<SpanExporterOptions>, settings?: Partial<SpanExporterOptions["settings"]>): SpanExporter;
}

const test = suite<Context>("openExporter");
test.before.each(async (context) => {
  const collector = context.collector = await openCollector();
  context.log = [];
  context.dropped = 0;
  context.open = (more, settings) => {
    const url = new URL(`${collector.url}/v1/traces`);
    return openSpanExporter({
      settings: {
        url,
        headers: {},
        timeoutMs: 10 * SECOND,
        batchDelayMs: 10,
        resource: { "service.name": "hubs" },
        ...settings,
      },
      version: "1.2.3",
      log: createLog({ level: "debug", format: "json", write: (line) => context.log.push(JSON.parse(line)) }),
      onDropped: () => context.dropped++,
      firstRetryMs: 10,
      ...more,
    });
  };
});
test.after.each(({ collector }) => collector.close());

const span = (name: string, more: Partial<RecordedSpan> = {}): RecordedSpan => ({
  context: startSpanContext(null, () => true),
  name,
  role: "server",
  startedAt: 1_790_000_000_000.25,
  endedAt: 1_790_000_000_001.5,
  attributes: { "http.route": "/x", count: 2 },
  failure: null,
  ...more,
});

const many = (exporter: SpanExporter, count: number, name = "many") => {
  for (let i = 0; i < count; i++) exporter.add(span(name));
};

test("sends a span as OTLP with the resource and the configured headers", async ({ collector, open }) => {
  const exporter = open({}, { headers: { "api-key": "k1" } });
  const parent = { traceId: "a".repeat(32), spanId: "b".repeat(16), sampled: true, state: "x=1" };
  const place = startSpanContext(parent, () => true);
  exporter.add(span("GET /x", { context: place, failure: "It broke" }));
  const { spanId, ...got } = await collector.span("GET /x");
  assert.is(spanId, place.spanId);
  assert.equal(
    got,
    {
      traceId: "a".repeat(32),
      parentSpanId: "b".repeat(16),
      traceState: "x=1",
      flags: 1,
      name: "GET /x",
      kind: 2,
      startTimeUnixNano: "1790000000000250000",
      endTimeUnixNano: "1790000000001500000",
      attributes: { "http.route": "/x", count: "2" },
      status: { code: 2, message: "It broke" },
      resource: { "service.name": "hubs" },
    } as unknown as typeof got,
  );
  assert.is(collector.headers[0]!["api-key"], "k1");
  await exporter.close();
});

test("sends remaining spans on close, and drops later ones", async (context) => {
  const { collector, open } = context;
  const exporter = open({}, { batchDelayMs: 60 * SECOND });
  exporter.add(span("last"));
  await exporter.close();
  assert.equal(collector.spans.map(({ name }) => name), ["last"]);
  exporter.add(span("later"));
  assert.equal([context.dropped, context.log], [1, []]);
});

test("makes one more attempt for waiting batches on close", async (context) => {
  const { collector, open } = context;
  collector.answer = (response, batch) => batch === 1 ? response.writeHead(503).end() : acceptExport(response);
  const exporter = open({ firstRetryMs: 60 * SECOND });
  exporter.add(span("refused"));
  await until(() => context.log.length === 1);
  exporter.add(span("behind"));
  await exporter.close();
  assert.equal([collector.spans.map(({ name }) => name), context.dropped], [["refused", "behind"], 0]);
});

test("sends full batches immediately over one connection", async ({ collector, open }) => {
  const exporter = open({}, { batchDelayMs: 60 * SECOND });
  many(exporter, 1200);
  await until(() => collector.spans.length >= 1024);
  await exporter.close();
  assert.equal([collector.spans.length, collector.headers.length], [1200, 3]);
});

test("retries a batch after a transient error, and logs this once", async (context) => {
  const { collector, open, log } = context;
  collector.answer = (response, batch) => batch < 3 ? response.writeHead(503).end("no") : acceptExport(response);
  const exporter = open();
  exporter.add(span("again"));
  await collector.span("again");
  await exporter.close();
  assert.equal(log.map(({ level, message, reason }) => [level, message, reason]), [
    ["warn", "Cannot send traces; some may be lost", "the collector returned 503"],
    ["info", "Resumed sending traces", undefined],
  ]);
  assert.is(context.dropped, 0);
});

test("waits as long as Retry-After says", async ({ collector, open }) => {
  const times: number[] = [];
  collector.answer = (response, batch) => {
    times.push(performance.now());
    if (batch > 1) acceptExport(response);
    else response.writeHead(429, { "retry-after": "1" }).end();
  };
  const exporter = open();
  exporter.add(span("later"));
  await collector.span("later");
  assert.ok(times[1]! - times[0]! > 0.9 * SECOND);
  await exporter.close();
});

test("drops and counts a batch after a permanent error", async (context) => {
  const { collector, open } = context;
  collector.answer = (response, batch) => batch === 1 ? response.writeHead(401).end() : acceptExport(response);
  const exporter = open();
  many(exporter, 3, "lost");
  await until(() => context.dropped === 3);
  exporter.add(span("next"));
  await collector.span("next");
  await exporter.close();
  assert.equal([collector.headers.length, collector.spans.length], [2, 1]);
});

test("does not follow redirects", async (context) => {
  const { collector, open } = context, other = await openCollector();
  collector.answer = (response) => response.writeHead(307, { location: `${other.url}/v1/traces` }).end();
  const exporter = open({}, { headers: { "api-key": "k1" } });
  exporter.add(span("lost"));
  await until(() => context.dropped === 1);
  await exporter.close();
  assert.is(other.headers.length, 0);
  await other.close();
});

test("counts spans that the collector rejects, whatever its response", async (context) => {
  const { collector, open } = context;
  const answers = [
    '{"partialSuccess":{"rejectedSpans":"2"}}',
    '{"partialSuccess":{"rejectedSpans":-9}}',
    "null",
    "{",
    "[]",
  ];
  collector.answer = (response, batch) => response.writeHead(200).end(answers[batch - 1] ?? '{"partialSuccess":7}');
  const exporter = open();
  for (let i = 0; i <= answers.length; i++) {
    many(exporter, 3);
    await until(() => collector.spans.length === 3 * (i + 1));
  }
  await exporter.close();
  assert.is(context.dropped, 2);
});

test("queues spans while the collector is down, and drops and counts the excess", async (context) => {
  const { collector, open, log } = context;
  await collector.close();
  const exporter = open();
  const began = performance.now();
  many(exporter, 10_000);
  assert.ok(performance.now() - began < SECOND, "adding a span never waits");
  assert.ok(context.dropped >= 10_000 - 2048 - 512, String(context.dropped));
  await until(() => context.dropped === 10_000); // each batch after its attempts
  await exporter.close();
  assert.equal(log.map(({ message, reason, dropped }) => [message, reason ?? dropped]), [
    ["Cannot send traces; some may be lost", "connection refused"],
    ["Some spans were dropped, so their traces are incomplete", 10_000],
  ]);
});

test("close waits at most two seconds for the collector", async (context) => {
  const { collector, open } = context;
  collector.answer = () => {};
  const exporter = open();
  exporter.add(span("lost"));
  await until(() => collector.headers.length === 1);
  const began = performance.now();
  await exporter.close();
  assert.ok(performance.now() - began < 5 * SECOND);
  assert.is(context.dropped, 1);
});

test("limits how much of a response it reads", async (context) => {
  const { collector, open } = context;
  let sent = 0;
  collector.answer = (response, batch) => {
    if (batch > 1) return acceptExport(response);
    response.writeHead(200);
    const more = () => {
      while (!response.destroyed && response.write("x".repeat(65_536))) sent += 65_536;
      sent += 65_536;
    };
    response.on("drain", more);
    more();
  };
  const exporter = open();
  exporter.add(span("first"));
  await collector.span("first"); // sent again, because its result is unknown
  await exporter.close();
  assert.ok(sent < 32 * 2 ** 20, String(sent));
});

test("survives an invalid header", async (context) => {
  const { open, log } = context;
  const exporter = open({}, { headers: { "api-key": "a\nhunter2" } });
  exporter.add(span("lost"));
  await until(() => log.length > 0);
  await exporter.close();
  assert.not.match(JSON.stringify(log), "hunter2");
});

test.run();
