import { suite } from "uvu";
import * as assert from "uvu/assert";
import { followLogs } from "#lib/drivers/cluster/logs.ts";
import { anyone, withServer } from "#test/support/kube/api.ts";

const test = suite("followLogs");

test("keeps the last 200 lines of a log", () =>
  withServer((_asked, response) => {
    response.end(Array.from({ length: 250 }, (_, i) => `line ${i}\r\n`).join(""));
  }, async (api) => {
    const logs = followLogs(api, "n", anyone.signal);
    const status = { containerStatuses: [{ name: "main", state: { terminated: { exitCode: 0 } } }] };
    logs.show([{ apiVersion: "v1", kind: "Pod", metadata: { name: "p", uid: "1" }, status }]);
    await logs.close(10_000);
    const [{ lines, ...of }] = logs.followed() as [ReturnType<typeof logs.followed>[number]];
    assert.equal(of, { pod: "p", container: "main" });
    assert.equal([lines.length, lines[0], lines.at(-1)], [200, "line 50", "line 249"]);
  }));

test("once it is closed, a log that has come to its end is not asked for again", () =>
  withServer((_asked, response) => {
    response.end("the end\n");
  }, async (api, server) => {
    const logs = followLogs(api, "n", anyone.signal);
    const status = { containerStatuses: [{ name: "main", state: { running: {} } }] };
    logs.show([{ apiVersion: "v1", kind: "Pod", metadata: { name: "p", uid: "1" }, status }]);
    await logs.close(10_000);
    assert.equal(logs.followed().map(({ lines }) => lines), [["the end"]]);
    assert.is(server.asked.length, 1);
  }));

test.run();
