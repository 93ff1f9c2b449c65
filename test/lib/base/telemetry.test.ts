import { AsyncLocalStorage } from "node:async_hooks";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createTelemetry, NO_TELEMETRY, type Span, type TelemetryObserver } from "#lib/base/telemetry.ts";

const test = suite("createTelemetry");

/** Keeps the spans that have ended. */
function listener(): TelemetryObserver & { readonly ended: Span[] } {
  const ended: Span[] = [];
  return { ended, startSpan: () => ({ end: (span) => void ended.push(span) }) };
}

test("reports an ended span with its labels and details", async () => {
  const one = listener(), other = listener(), telemetry = createTelemetry([one, other]);
  const labels = { method: "GET", route: "/api/spokes/:spokeId" };
  const result = await telemetry.span("request", labels, (span) => {
    assert.is(one.ended.length, 0);
    span.labels.status = 404;
    return Promise.resolve("done");
  }, { details: { request_id: "req_1" } });
  assert.is(result, "done");
  for (const { ended: [span] } of [one, other]) {
    assert.equal(span!.labels, { ...labels, status: 404 });
    assert.equal([span!.outcome, span!.details], ["succeeded", { request_id: "req_1" }]);
    assert.ok(span!.seconds! >= 0);
  }
  assert.not("status" in labels, "the passed labels are not modified");
});

test("reports thrown work as failed, and rethrows the error", async () => {
  const { ended, ...observer } = listener(), error = new Error("no");
  const thrown = await createTelemetry([observer]).span("mail", {}, () => Promise.reject(error)).catch((error) =>
    error
  );
  assert.is(thrown, error);
  assert.equal([ended[0]!.outcome, ended[0]!.error], ["failed", error]);
});

test("keeps the outcome that the work set", async () => {
  const { ended, ...observer } = listener(), telemetry = createTelemetry([observer]);
  await telemetry.span("job", { kind: "spoke-provision" }, async (span) => void (span.outcome = "lost"));
  assert.is(ended[0]!.outcome, "lost");
});

test("runs the work in the context that an observer wraps around it", async () => {
  const storage = new AsyncLocalStorage<string>(), seen: (string | undefined)[] = [];
  const observer: TelemetryObserver = {
    startSpan: ({ kind }) => ({
      wrap: (work) => storage.run([storage.getStore(), kind].join("/"), work),
      end: () => void seen.push(storage.getStore()),
    }),
  };
  const telemetry = createTelemetry([listener(), observer]);
  await telemetry.span("job", { kind: "mail" }, () =>
    telemetry.span("mail", {}, () => {
      assert.is(storage.getStore(), "/job/mail");
      return Promise.resolve();
    }));
  assert.is(storage.getStore(), undefined);
});

test("does nothing without observers", async () => {
  assert.is(createTelemetry([]), NO_TELEMETRY);
  const outcome = await NO_TELEMETRY.span("request", { method: "GET", route: "/" }, (span) => {
    Object.assign(span, { outcome: "lost" });
    span.labels.status = 200;
    span.details.id = 1;
    return Promise.resolve(7);
  });
  assert.is(outcome, 7);
});

test.run();
