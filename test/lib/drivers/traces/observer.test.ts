/** Tests which spans are created, their names, and what they leave out. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { getCurrentContext, runInContext } from "#lib/base/work-context.ts";
import { Fault } from "#lib/base/errors.ts";
import { createTelemetry, type SpanKind, type SpanLabels } from "#lib/base/telemetry.ts";
import { startSpanContext } from "#lib/base/trace.ts";
import { ClusterError } from "#lib/drivers/cluster/cluster.ts";
import { MailError } from "#lib/drivers/mail/transport.ts";
import { createTraceObserver } from "#lib/drivers/traces/observer.ts";
import type { RecordedSpan } from "#lib/drivers/traces/encode.ts";

const test = suite("createTraceObserver");

const root = startSpanContext(null, () => true);
const done = () => Promise.resolve();

function open() {
  const spans: RecordedSpan[] = [];
  const telemetry = createTelemetry([createTraceObserver(() => true, { add: (span) => void spans.push(span) })]);
  const recordSpan = async <K extends SpanKind>(
    kind: K,
    labels: SpanLabels[K],
    work: () => Promise<unknown> = done,
    details: Record<string, string | number> = {},
  ): Promise<RecordedSpan> => {
    const error = await runInContext(
      { rootSpan: root, logFields: {} },
      () => telemetry.span(kind, labels, work, { details }),
    ).catch(
      () => {},
    );
    assert.is(error, undefined);
    return spans.at(-1)!;
  };
  return { spans, telemetry, tell: recordSpan };
}

test("uses requests and jobs as root spans, and others as children", async () => {
  const { telemetry, spans } = open();
  await runInContext(
    { rootSpan: root, logFields: {} },
    () =>
      telemetry.span(
        "request",
        { method: "GET", route: "/x", status: 200 },
        () =>
          telemetry.span("transaction", {}, () => {
            assert.is(getCurrentContext()!.span.parentId, root.spanId);
            return telemetry.span("mail", {}, done);
          }),
      ),
  );
  const [mail, transaction, request] = spans.map(({ context: place }) => place);
  assert.equal(request, root);
  assert.equal([transaction!.parentId, mail!.parentId], [root.spanId, transaction!.spanId]);
  assert.equal(spans.map(({ name, role }) => [name, role]), [
    ["send mail", "client"],
    ["transaction", "client"],
    ["GET /x", "server"],
  ]);
});

test("creates no spans without a context or for an unsampled trace", async () => {
  const { telemetry, spans } = open();
  await telemetry.span("transaction", {}, done);
  await runInContext(
    { rootSpan: { ...root, sampled: false }, logFields: {} },
    () => telemetry.span("transaction", {}, done),
  );
  assert.equal(spans, []);
});

test("names a cluster call after its resource, with the path as attribute", async () => {
  const { tell: recordSpan } = open();
  const nameOf = async (verb: string, path: string) => {
    const { name, attributes } = await recordSpan("cluster_call", { verb, status: 200 }, done, { path });
    return [name, attributes["k8s.namespace.name"], attributes["http.request.method"]];
  };
  assert.equal(await nameOf("PATCH", "/apis/apps/v1/namespaces/oak-1/deployments/moodle"), [
    "PATCH deployments",
    "oak-1",
    "PATCH",
  ]);
  assert.equal(await nameOf("GET", "/base/api/v1/namespaces/oak-1"), ["GET namespaces", undefined, "GET"]);
  assert.equal(await nameOf("STREAM", "/api/v1/namespaces/oak-1/pods"), ["WATCH pods", "oak-1", "GET"]);
  assert.equal(await nameOf("GET", "/apis/storage.k8s.io/v1/storageclasses"), ["GET storageclasses", undefined, "GET"]);
  assert.equal(await nameOf("GET", "/version"), ["GET version", undefined, "GET"]);
  assert.equal((await nameOf("GET", "/"))[0], "GET ");
});

test("records error types, and messages only if they are safe to export", async () => {
  const { tell: recordSpan } = open(), step = { kind: "provision", step: "secrets" };
  const failing = async (error: Error) => {
    const { failure, attributes } = await recordSpan("step", step, () => Promise.reject(error));
    return [failure, attributes["error.type"]];
  };
  const clusterError = new ClusterError("Invalid", "denied: password=hunter2", { transient: false });
  assert.equal(await failing(clusterError), ["denied: password=***", "Invalid"]);
  assert.equal(await failing(new Fault("unavailable", "busy", "Come back later")), ["Come back later", "busy"]);
  const refused = "The mail server rejected mail for ada@example.org: 550 5.1.1 <ada@example.org>: unknown";
  assert.equal(await failing(new MailError("mail_recipient", refused, { transient: false })), [
    "The mail server rejected mail for ***: 550 5.1.1 <***>: unknown",
    "mail_recipient",
  ]);
  assert.equal(await failing(new TypeError("hunter2 is not a function")), ["", "TypeError"]);
  assert.is(String((await failing(new Fault("unavailable", "x", "x".repeat(9000))))[0]).length, 500);
});

test("does not count a refused request or a check for existence as failed", async () => {
  const { tell: recordSpan } = open();
  const failed = async (kind: "request" | "cluster_call", status: number | "cancelled") => {
    const labels = kind === "request" ? { method: "GET", route: "/x", status } : { verb: "GET", status };
    return (await recordSpan(kind, labels as never)).attributes["error.type"] ?? null;
  };
  assert.equal([await failed("request", 404), await failed("request", 503)], [null, "503"]);
  const calls = [];
  for (const status of [200, 404, 409, 403, 500, "cancelled"] as const) {
    calls.push(await failed("cluster_call", status));
  }
  assert.equal(calls, [null, null, null, "403", "500", null]);
});

test("sends a job's span from the replica that ends it, starting at the request", async () => {
  const { telemetry, spans } = open();
  const run = (outcome: string) =>
    runInContext({ rootSpan: root, logFields: {} }, () =>
      telemetry.span("job", { kind: "provision" }, (span) => {
        span.outcome = outcome;
        if (outcome === "failed") span.details.failure = "ImagePullBackOff";
        return Promise.resolve();
      }, { details: { operation: "op_1", asked_at: 1_000, traceId: "x" } }));
  for (const outcome of ["queued", "lost", "failed"]) await run(outcome);
  assert.is(spans.length, 1);
  const [{ startedAt: beganAt, failure, attributes }] = spans as [RecordedSpan];
  assert.equal([beganAt, failure, attributes], [1_000, "", {
    "wheelwright.operation.kind": "provision",
    "wheelwright.operation.id": "op_1",
    "error.type": "ImagePullBackOff",
  }]);
});

test.run();
