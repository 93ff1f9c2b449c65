import { suite } from "uvu";
import * as assert from "uvu/assert";
import { followLogs, readLog } from "#lib/drivers/cluster/logs.ts";
import { UNCANCELLED, withServer } from "#test/support/kube/api.ts";
import { until } from "#test/support/until.ts";

const test = suite("followLogs");

test("keeps the last 200 lines of a log", () =>
  withServer((_asked, response) => {
    response.end(Array.from({ length: 250 }, (_, i) => `line ${i}\r\n`).join(""));
  }, async (api) => {
    const logs = followLogs(api, "n", UNCANCELLED.signal);
    const status = { containerStatuses: [{ name: "main", state: { terminated: { exitCode: 0 } } }] };
    logs.update([{ apiVersion: "v1", kind: "Pod", metadata: { name: "p", uid: "1" }, status }]);
    await logs.close(10_000);
    const [{ lines, ...of }] = logs.followed() as [ReturnType<typeof logs.followed>[number]];
    assert.equal(of, { pod: "p", container: "main" });
    assert.equal([lines.length, lines[0], lines.at(-1)], [200, "line 50", "line 249"]);
  }));

test("escapes characters that change the text direction or control a terminal", () =>
  withServer((_asked, response) => {
    response.end("\u001b[31mred\u001b[0m \u202edlrow\u0007\r\n");
  }, async (api) => {
    const source = { namespace: "n", pod: "p", container: "main" };
    assert.equal(await readLog(api, source, UNCANCELLED), ["red \\u202edlrow\\u0007"]);
  }));

test("with a listener, reads the log from its first line each time", async () => {
  const readings: string[][] = [];
  const text = Array.from({ length: 250 }, (_, i) => `line ${i}\n`).join("");
  await withServer((_asked, response, socket) => {
    if (readings.length > 1) return response.end(text);
    response.writeHead(200).write(text.slice(0, 100), () => socket.destroy());
  }, async (api, server) => {
    const logs = followLogs(api, "n", UNCANCELLED.signal, () => {
      const lines: string[] = [];
      readings.push(lines);
      return (line) => void lines.push(line);
    });
    const status = { containerStatuses: [{ name: "main", state: { running: {} } }] };
    logs.update([{ apiVersion: "v1", kind: "Pod", metadata: { name: "p", uid: "1" }, status }]);
    await until(() => readings[1]?.length === 250);
    await logs.close(10_000);
    assert.is(logs.followed()[0]!.lines.length, 200, "the kept lines are limited");
    assert.equal([readings[0]![0], readings[1]![0]], ["line 0", "line 0"]);
    assert.not(server.requests.some(({ query }) => query.has("tailLines")));
  });
});

test("does not request an ended log again after close", () =>
  withServer((_asked, response) => {
    response.end("the end\n");
  }, async (api, server) => {
    const logs = followLogs(api, "n", UNCANCELLED.signal);
    const status = { containerStatuses: [{ name: "main", state: { running: {} } }] };
    logs.update([{ apiVersion: "v1", kind: "Pod", metadata: { name: "p", uid: "1" }, status }]);
    await logs.close(10_000);
    assert.equal(logs.followed().map(({ lines }) => lines), [["the end"]]);
    assert.is(server.requests.length, 1);
  }));

test.run();
