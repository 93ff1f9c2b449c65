import { suite } from "uvu";
import * as assert from "uvu/assert";
import { watch } from "#lib/drivers/cluster/client/watch.ts";
import { anyone, failureOf, firstThen, GET, PATCH, withServer } from "#test/support/kube/api.ts";
import { answer, refuse } from "#test/support/kube/server.ts";
import { listenIn, type Listening } from "#test/support/recorded-telemetry.ts";
import { rejection } from "#test/support/until.ts";

const test = suite("tellCall");

const told = ({ spans }: Listening) => spans.map(({ labels, outcome }) => [...Object.values(labels), outcome]);

test("tells each exchange by its verb and status, those that are repeated too, and the path apart", async () => {
  const heard = listenIn();
  const first = firstThen(
    (_asked, _response, socket) => socket.destroy(),
    (_asked, response) => refuse(response, 503, "ServiceUnavailable", "down"),
  );
  await withServer(first, async (api) => {
    await api.call(GET, anyone);
    await api.call(PATCH, anyone);
  }, { telemetry: heard.telemetry });
  assert.equal(told(heard), [
    ["GET", 0, "failed"],
    ["GET", 503, "succeeded"],
    ["GET", 200, "succeeded"],
    ["PATCH", 200, "succeeded"],
  ]);
  assert.equal(heard.spans.map(({ details }) => details.path).slice(2), ["/api/v1/pods", "/api/v1/pods/x"]);
});

test("tells a call that is called off as that, and not as a server that does not answer", async () => {
  const heard = listenIn(), stop = new AbortController(), reason = new Error("called off");
  await withServer(() => stop.abort(reason), async (api) => {
    assert.is(await rejection(api.call(GET, { signal: stop.signal })), reason);
  }, { telemetry: heard.telemetry });
  assert.equal(told(heard), [["GET", "cancelled", "failed"]]);
});

test("tells the beginning of a stream, and each time that a watch is begun again", async () => {
  const heard = listenIn(), stop = new AbortController();
  const added = {
    type: "ADDED",
    object: { metadata: { name: "x", resourceVersion: "2" }, kind: "Pod", apiVersion: "v1" },
  };
  const serve = firstThen(
    (_asked, response) => refuse(response, 503, "ServiceUnavailable", "down"),
    (_asked, response) => void response.writeHead(200).write(`${JSON.stringify(added)}\n`),
  );
  await withServer(serve, async (api) => {
    for await (const _ of watch(api, { path: "/api/v1/pods", version: "1" }, { signal: stop.signal })) break;
  }, { telemetry: heard.telemetry });
  assert.equal(told(heard), [["STREAM", 503, "succeeded"], ["STREAM", 200, "succeeded"]]);
  assert.equal(heard.notes.map(({ kind }) => kind), ["watch_restart"]);
});

test("tells a refusal for good by its status", async () => {
  const heard = listenIn();
  await withServer((_asked, response) => refuse(response, 404, "NotFound", "gone"), async (api) => {
    await failureOf(api.call(GET, anyone));
  }, { telemetry: heard.telemetry });
  assert.equal(told(heard), [["GET", 404, "succeeded"]]);
});

test("tells nothing of a call that never left", async () => {
  const heard = listenIn();
  await withServer((_asked, response) => answer(response, 200, {}), async (api, { asked }) => {
    const gone = AbortSignal.abort(new Error("called off before"));
    await rejection(api.call(GET, { signal: gone }));
    assert.is(asked.length, 0);
  }, { telemetry: heard.telemetry });
  assert.equal(told(heard).filter(([, status]) => status !== "cancelled"), []);
});

test.run();
