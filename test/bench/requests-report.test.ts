import { suite } from "uvu";
import * as assert from "uvu/assert";
import { checkTargets, renderRequestsReport, type RequestMeasurement } from "#test/bench/requests-report.ts";

const test = suite("requests report");

function measured(rate: number, p99: number): RequestMeasurement {
  const three = (value: number) => [value, value, value];
  return {
    rate: three(rate),
    server: three(1000 / rate),
    database: three(1),
    client: three(0.1),
    p50: three(1),
    p99: three(p99),
  };
}

test("checks each target separately", () => {
  const held = (ours: RequestMeasurement) =>
    checkTargets({ wheelwright: ours, bare: measured(1000, 10), fastify: measured(500, 20) }).map((one) => one.held);
  assert.equal(held(measured(900, 12)), [true, true, true]);
  assert.equal(held(measured(899, 12)), [false, false, true]);
  assert.equal(held(measured(950, 12.1)), [true, true, false]);
  assert.equal(held(measured(100, 1)), [false, false, true]);
});

test("prints the compared servers and the missed targets", () => {
  const text = renderRequestsReport("GET it", {
    wheelwright: measured(800, 11),
    bare: measured(1000, 10),
    fastify: measured(400, 20),
  }, 240);
  assert.match(text, /^GET it \(p50 and p99 in ms at 240 requests\/s\)/);
  assert.match(text, /wheelwright +800 \(800–800\) +0\.80 +2\.00/);
  assert.match(text, /MISSED: 0\.80 .*bare's, target >= 0\.9/);
  assert.match(text, /holds: 2\.00 .*Fastify's/);
});

test.run();
