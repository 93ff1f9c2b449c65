import { suite } from "uvu";
import * as assert from "uvu/assert";
import { listRequestFigures, renderRequestsReport, type RequestMeasurement } from "#test/bench/requests-report.ts";

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

test("compares CPU times and throughput with both peers, and CPU times of the server with goals", () => {
  const figures = listRequestFigures("GET it", false, {
    wheelwright: measured(800, 11),
    bare: measured(1000, 10),
    fastify: measured(400, 20),
  });
  assert.equal(figures.map(({ name }) => name), [
    "GET it: CPU time of the server",
    "GET it: CPU time of PostgreSQL",
    "GET it: requests per second",
  ]);
  const [server, database] = figures;
  assert.equal(server?.peers?.map(({ name, values, goal }) => [name, values[0], goal]), [
    ["bare hono", 1, 1.25],
    ["Fastify", 2.5, 0.6],
  ]);
  assert.equal(database?.peers?.map(({ goal }) => goal), [undefined, undefined]);
});

test("prints the compared servers", () => {
  const text = renderRequestsReport("GET it", {
    wheelwright: measured(800, 11),
    bare: measured(1000, 10),
    fastify: measured(400, 20),
  }, 240);
  assert.match(text, /^GET it \(p50 and p99 in ms at 240 requests\/s\)/);
  assert.match(text, /wheelwright +800 \(800–800\) +0\.80 +2\.00/);
});

test.run();
