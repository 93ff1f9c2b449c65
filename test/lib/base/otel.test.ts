/** Tests the OpenTelemetry variables: endpoint, sampler, and invalid values. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ConfigError, readConfig } from "#lib/base/config.ts";
import { NO_TELEMETRY } from "#lib/base/telemetry.ts";

const test = suite("OTEL_ variables");

const TRACE = "0af7651916cd43dd8448eb211c80319c", ENDPOINT = "http://collector:4318";
const read = (env: Record<string, string>) => readConfig({ mode: "dev", env, terminal: false });
const on = (env: Record<string, string>) => read({ OTEL_EXPORTER_OTLP_ENDPOINT: ENDPOINT, ...env });
const parent = (sampled: boolean) => ({ traceId: TRACE, spanId: "b7ad6b7169203331", sampled, state: "" });

function problemOf(env: Record<string, string>): string {
  try {
    read(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.join();
    throw error;
  }
  return "";
}

test("records no traces without an endpoint, and forwards the caller's decision", () => {
  assert.is(read({ OTEL_SERVICE_NAME: "x", OTEL_TRACES_SAMPLER: "always_on" }).traces, null);
  const sampler = NO_TELEMETRY.sampler;
  assert.equal([sampler(null, TRACE), sampler(parent(true), TRACE), sampler(parent(false), TRACE)], [
    false,
    true,
    false,
  ]);
});

test("appends /v1/traces to the endpoint, or uses the traces endpoint unchanged", () => {
  const url = (env: Record<string, string>) => on(env).traces?.url.href;
  assert.is(url({}), "http://collector:4318/v1/traces");
  assert.is(url({ OTEL_EXPORTER_OTLP_ENDPOINT: "https://x.example/otlp/" }), "https://x.example/otlp/v1/traces");
  assert.is(url({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://x.example/in?a=1" }), "https://x.example/in?a=1");
});

test("can be turned off, whatever else is set", () => {
  assert.is(on({ OTEL_SDK_DISABLED: "TRUE" }).traces, null);
  assert.is(on({ OTEL_TRACES_EXPORTER: "none" }).traces, null);
  assert.ok(on({ OTEL_SDK_DISABLED: "1" }).traces, "only `true` counts as true");
});

test("decodes headers and attributes, and prefers those for traces", () => {
  const { traces } = on({
    OTEL_EXPORTER_OTLP_HEADERS: "api-key=a%2Cb==, x-team = learning",
    OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=prod,service.name=given,k8s.cluster.name=%C3%BC",
  });
  assert.equal(traces?.headers, { "api-key": "a,b==", "x-team": "learning" });
  const resource = { "service.name": "given", "deployment.environment.name": "prod", "k8s.cluster.name": "ü" };
  assert.equal(traces?.resource, resource);
  const theirs = on({
    OTEL_EXPORTER_OTLP_HEADERS: "a=1",
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: "b=2",
    OTEL_EXPORTER_OTLP_TIMEOUT: "1000",
    OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: "2000",
    OTEL_SERVICE_NAME: "hubs",
  }).traces!;
  assert.equal([theirs.headers, theirs.timeoutMs, theirs.resource], [{ b: "2" }, 2000, { "service.name": "hubs" }]);
  assert.equal([on({}).traces!.timeoutMs, on({}).traces!.resource], [10_000, { "service.name": "wheelwright" }]);
});

test("samples by the parent or by a fraction of the trace IDs", () => {
  const decide = (name: string, arg = "1") => {
    const { sampler } = on({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: arg }).traces!;
    return [sampler(null, TRACE), sampler(parent(true), TRACE), sampler(parent(false), TRACE)];
  };
  assert.equal(decide("parentbased_always_on"), [true, true, false]);
  assert.equal(decide("parentbased_always_off"), [false, true, false]);
  assert.equal(decide("parentbased_traceidratio", "0"), [false, true, false]);
  assert.equal(decide("always_on"), [true, true, true]);
  assert.equal(decide("always_off"), [false, false, false]);
  assert.equal(decide("traceidratio"), [true, true, true]);
  const { sampler } = on({ OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG: "0.25" }).traces!;
  const part = Array.from(
    { length: 16 },
    (_, i) => sampler(null, TRACE.slice(0, -13) + i.toString(16) + TRACE.slice(-12)),
  );
  assert.is(part.filter(Boolean).length, 4);
});

test("names the variable of an invalid value, without the value", () => {
  const wrong: readonly [string, string][] = [
    ["OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4318"],
    ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "grpc://hunter2"],
    ["OTEL_EXPORTER_OTLP_HEADERS", "hunter2"],
    ["OTEL_EXPORTER_OTLP_HEADERS", "a b=hunter2"],
    ["OTEL_EXPORTER_OTLP_HEADERS", "a=hunter2%"],
    ["OTEL_EXPORTER_OTLP_HEADERS", "a=hunter2%0d%0aHost: x"],
    ["OTEL_EXPORTER_OTLP_TRACES_HEADERS", "Content-Type=hunter2"],
    ["OTEL_EXPORTER_OTLP_TIMEOUT", "hunter2"],
    ["OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", "0"],
    ["OTEL_BSP_SCHEDULE_DELAY", "1"],
    ["OTEL_RESOURCE_ATTRIBUTES", "hunter2"],
    ["OTEL_TRACES_EXPORTER", "hunter2"],
    ["OTEL_TRACES_SAMPLER", "hunter2"],
    ["OTEL_TRACES_SAMPLER_ARG", "1.1"],
  ];
  for (const [name, value] of wrong) {
    const problem = problemOf({ [name]: value });
    assert.match(problem, new RegExp(`^${name} m`), `${name}=${value}`);
    assert.not.match(problem, "hunter2");
  }
});

test("lists unsupported variables that are set", () => {
  const set = {
    OTEL_BSP_MAX_QUEUE_SIZE: "1",
    OTEL_EXPORTER_OTLP_PROTOCOL: "grpc",
    OTEL_EXPORTER_OTLP_HEADERS_FILE: "",
  };
  assert.equal(on(set).ignoredOtelVariables, ["OTEL_BSP_MAX_QUEUE_SIZE", "OTEL_EXPORTER_OTLP_PROTOCOL"]);
  assert.equal(on({ OTEL_EXPORTER_OTLP_PROTOCOL: "http/json" }).ignoredOtelVariables, []);
});

test.run();
