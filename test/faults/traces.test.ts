/** Tests that an operation keeps one trace when its holder is killed or stops, in the collector and in every replica's
 * log. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type Bench, openBench } from "#test/support/bench/bench.ts";
import { type CollectedSpan, type Collector, openCollector } from "#test/support/collector.ts";
import { until } from "#test/support/until.ts";

const TRACE = "0af7651916cd43dd8448eb211c80319c", SPAN = "b7ad6b7169203331";

const test = suite<{ bench: Bench; collector: Collector }>("traces across replicas");
test.before(async (context) => {
  context.collector = await openCollector();
  context.bench = await openBench({ replicas: 3, delayMs: 100, env: context.collector.env });
});
test.after(async ({ bench, collector }) => {
  await bench?.close();
  await collector?.close();
});

const isStep = ({ name }: CollectedSpan) => name.startsWith("provision ");
const at = ({ resource }: CollectedSpan) => resource["service.instance.id"]!;

async function ask({ token, replicas }: Bench, path: string, slug: string): Promise<string> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const traceparent = `00-${TRACE}-${SPAN}-01`;
  const init = { method: "POST", headers: { ...headers, traceparent }, body: JSON.stringify({ slug }) };
  return (await (await fetch(replicas[0]!.url + path, init)).json()).id;
}

test("an install across killed and stopped replicas is one span with all steps below it", async ({ bench, collector }) => {
  const hub = await bench.hub("math");
  const [install, app] = await Promise.all(["install-", "moodle-"].map(bench.cluster.holdPods));
  const id = await ask(bench, `/api/federations/${hub}/spokes`, "algebra");
  const first = await bench.caught(id, "install");
  await until(() => collector.spans.some((span) => isStep(span) && at(span) === first.id));
  await first.holder.kill();
  const second = await bench.takeover(first);
  const { job } = first, holder = bench.replicas.find((replica) => replica.id === second.holder)!;
  await install!();
  await bench.caught(id, "app");
  await holder.drain();
  await app!();
  await bench.becomes(id, "active");

  const provisionSpan = await collector.span(
    "provision",
    ({ attributes }) => attributes["wheelwright.operation.id"] === job,
  );
  const request = await collector.span(
    "POST /api/federations/:federationId/spokes",
    ({ traceId }) => traceId === TRACE,
  );
  assert.equal([provisionSpan.traceId, provisionSpan.parentSpanId, request.parentSpanId], [
    TRACE,
    request.spanId,
    SPAN,
  ]);
  await collector.span("provision ingress", ({ traceId }) => traceId === TRACE);
  const steps = collector.spans.filter((span) => isStep(span) && span.traceId === TRACE);
  assert.equal(new Set(steps.map(({ parentSpanId }) => parentSpanId)), new Set([provisionSpan.spanId]));
  assert.ok(new Set(steps.map(at)).size >= 2, "those of more than one replica");
  assert.is(collector.spans.filter(({ spanId }) => spanId === provisionSpan.spanId).length, 1);

  for (const replica of bench.replicas) {
    const lines = replica.log().filter(({ operation }) => operation === job);
    if (replica.id === first.id || replica.id === second.holder) assert.ok(lines.length > 0);
    for (const line of lines) assert.is(line.traceId, TRACE, JSON.stringify(line));
  }
});

test.run();
