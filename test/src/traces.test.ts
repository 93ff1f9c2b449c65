/** Tests traces through the whole program: parents of spans, and trace IDs in the log. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { CollectedSpan } from "#test/support/collector.ts";
import { openProgramWithOutput, type ProgramWithOutput } from "#test/support/program-with-output.ts";
import { until } from "#test/support/until.ts";
import { selectRows } from "#test/support/rows.ts";

const TRACE = "0af7651916cd43dd8448eb211c80319c", SPAN = "b7ad6b7169203331";
const PARENT = { traceparent: `00-${TRACE}-${SPAN}-01` };

const test = suite<{ observed: ProgramWithOutput; hub: string }>("traces");
test.before(async (context) => {
  context.observed = await openProgramWithOutput();
  context.hub = (await context.observed.send("POST", "/api/federations", { slug: "north" })).body.id;
});
test.after(({ observed }) => observed.close());

const request = async ({ send }: ProgramWithOutput, method: string, path: string, body?: unknown, headers = PARENT) => {
  const token = { authorization: "" };
  return await send(method, path, body, { ...token, ...headers });
};

test("a request continues its client's trace, with the route, the status and IDs", async ({ observed }) => {
  const { collector } = observed;
  const { status, headers } = await request(observed, "GET", "/api/federations/nothing?x=hunter2");
  const span = await collector.span("GET /api/federations/:federationId", ({ traceId }) => traceId === TRACE);
  assert.equal([span.parentSpanId, span.kind, span.status], [SPAN, 2, undefined]);
  assert.equal(span.attributes, {
    "http.request.method": "GET",
    "http.route": "/api/federations/:federationId",
    "http.response.status_code": String(status),
    "wheelwright.request.id": headers.get("x-request-id")!,
  });
  assert.is(span.resource["service.name"], "wheelwright");
  assert.match(span.resource["service.instance.id"]!, /^rep_/);
});

test("an operation is one trace: request, job, steps and calls to the cluster", async ({ observed, hub }) => {
  const { collector, send, operator } = observed;
  const { body } = await send("POST", `/api/federations/${hub}/spokes`, { slug: "oak" });
  await observed.becomes(body.id, "active");
  const job = await collector.span("provision");
  const { traceId } = job, spans = () => collector.spans.filter((span) => span.traceId === traceId);
  const step = await collector.span("provision ingress", (span) => span.traceId === traceId);
  const request = await collector.span("POST /api/federations/:federationId/spokes");

  assert.equal([request.traceId, request.parentSpanId, job.parentSpanId], [traceId, undefined, request.spanId]);
  assert.is(request.attributes["user.id"], operator.id);
  assert.is(job.attributes["wheelwright.operation.id"], body.operation.id);
  assert.is(job.attributes["wheelwright.spoke.id"], body.id);
  const steps = spans().filter((span) =>
    span.parentSpanId === job.spanId && "wheelwright.operation.step" in span.attributes
  );
  const plan = "namespace policies secrets volumes database install app setup cron ingress";
  assert.equal(steps.map(({ name }) => name), plan.split(" ").map((step) => `provision ${step}`));
  const call = spans().find((span) => span.parentSpanId === step.spanId && span.name === "POST ingresses")!;
  const [{ namespace }] = await selectRows(observed.db, "spokes", { id: body.id }, { columns: ["namespace"] });
  assert.is(call.attributes["k8s.namespace.name"], namespace);
  assert.match(call.attributes["url.path"]!, `/namespaces/${namespace}/ingresses`);
  assert.ok(spans().some(({ name, parentSpanId }) => name === "transaction" && parentSpanId === request.spanId));
  assert.ok(BigInt(job.startTimeUnixNano) <= BigInt(steps[0]!.startTimeUnixNano));
  const spanIds = new Set(spans().map(({ spanId }) => spanId));
  assert.equal(spans().filter(({ parentSpanId }) => parentSpanId && !spanIds.has(parentSpanId)), []);
});

test("an email belongs to the trace of its request", async ({ observed, hub }) => {
  const { collector, send, smtp } = observed;
  await send("POST", `/api/federations/${hub}/members`, { email: "ada@example.org", displayName: "Ada" });
  await smtp.next("ada@example.org");
  const mail = await collector.span("send mail"), job = await collector.span("mail");
  const request = await collector.span("POST /api/federations/:federationId/members");
  assert.equal([mail.traceId, job.traceId, job.parentSpanId], [request.traceId, request.traceId, request.spanId]);
});

test("a failed step has an error status, but its request does not", async ({ observed, hub }) => {
  const { collector, send, simulator } = observed;
  simulator.faults.answer(422, { method: "POST", path: "/namespaces", times: 1 });
  const { body } = await send("POST", `/api/federations/${hub}/spokes`, { slug: "elm" });
  await observed.becomes(body.id, "failed");
  const job = await collector.span("provision", ({ status }) => status?.code === 2);
  const same = (span: CollectedSpan) => span.traceId === job.traceId;
  const step = await collector.span("provision namespace", same), call = await collector.span("POST namespaces", same);
  assert.equal([step.status?.code, call.status?.code, call.attributes["error.type"]], [2, 2, "422"]);
  assert.is(step.attributes["error.type"], "InternalError");
  const request = await collector.span("POST /api/federations/:federationId/spokes", same);
  assert.is(request.status, undefined);
});

test("each log line has the IDs of its trace and span", async ({ observed, hub }) => {
  const { send } = observed;
  const { body, headers } = await send("POST", `/api/federations/${hub}/spokes`, { slug: "ash" });
  await observed.becomes(body.id, "active");
  const requestId = headers.get("x-request-id"), operation = body.operation.id;
  const ended = await until(() =>
    observed.log.find((line) => line.operation === operation && line.message === "Operation succeeded")
  );
  const ours = observed.log.filter((line) => line.requestId === requestId || line.operation === operation);
  assert.ok(ours.length > 10);
  assert.equal([...new Set(ours.map(({ traceId }) => traceId))], [ended.traceId]);
  for (const line of observed.log) {
    if (line.requestId || line.operation) assert.match(line.traceId!, /^[0-9a-f]{32}$/, JSON.stringify(line));
  }
});

test("invalid trace headers start a new trace", async ({ observed }) => {
  const headers = { traceparent: `00-${TRACE}-${SPAN}-01-more`, tracestate: "\u00ff", "x-request-id": "mine-1" };
  assert.is((await request(observed, "GET", "/api/version", undefined, headers)).headers.get("x-request-id"), "mine-1");
  const line = observed.log.find((each) => each.requestId === "mine-1")!;
  assert.match(line.traceId!, /^[0-9a-f]{32}$/);
  assert.is.not(line.traceId, TRACE);
});

test("a task of the service has its own trace", async ({ observed }) => {
  const { collector } = observed;
  const prune = await collector.span("prune");
  assert.equal([prune.parentSpanId, prune.attributes["user.id"]], [undefined, undefined]);
  const step = await collector.span("prune replicas", ({ traceId }) => traceId === prune.traceId);
  assert.is(step.parentSpanId, prune.spanId);
});

test.run();
