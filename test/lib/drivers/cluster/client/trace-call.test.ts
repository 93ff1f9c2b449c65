import { suite } from "uvu";
import * as assert from "uvu/assert";
import { watchCollection } from "#lib/drivers/cluster/client/watch.ts";
import {
  failureOf,
  GET_REQUEST,
  PATCH_REQUEST,
  respondOnceThen,
  UNCANCELLED,
  withServer,
} from "#test/support/kube/api.ts";
import { answer, respondWithError } from "#test/support/kube/server.ts";
import { type RecordedTelemetry, recordTelemetry } from "#test/support/recorded-telemetry.ts";
import { rejection } from "#test/support/until.ts";

const test = suite("traceClusterCall");

const callsOf = ({ spans }: RecordedTelemetry) =>
  spans.map(({ labels, outcome }) => [...Object.values(labels), outcome]);

test("records each request with verb and status, including retries, and the path separately", async () => {
  const telemetry = recordTelemetry();
  const first = respondOnceThen(
    (_asked, _response, socket) => socket.destroy(),
    (_asked, response) => respondWithError(response, 503, "ServiceUnavailable", "down"),
  );
  await withServer(first, async (api) => {
    await api.call(GET_REQUEST, UNCANCELLED);
    await api.call(PATCH_REQUEST, UNCANCELLED);
  }, { telemetry: telemetry.telemetry });
  assert.equal(callsOf(telemetry), [
    ["GET", 0, "failed"],
    ["GET", 503, "succeeded"],
    ["GET", 200, "succeeded"],
    ["PATCH", 200, "succeeded"],
  ]);
  assert.equal(telemetry.spans.map(({ details }) => details.path).slice(2), ["/api/v1/pods", "/api/v1/pods/x"]);
});

test("records a cancelled call as cancelled, not as an unanswered one", async () => {
  const telemetry = recordTelemetry(), stop = new AbortController(), reason = new Error("aborted");
  await withServer(() => stop.abort(reason), async (api) => {
    assert.is(await rejection(api.call(GET_REQUEST, { signal: stop.signal })), reason);
  }, { telemetry: telemetry.telemetry });
  assert.equal(callsOf(telemetry), [["GET", "cancelled", "failed"]]);
});

test("records the start of a stream and each restart of a watch", async () => {
  const telemetry = recordTelemetry(), stop = new AbortController();
  const added = {
    type: "ADDED",
    object: { metadata: { name: "x", resourceVersion: "2" }, kind: "Pod", apiVersion: "v1" },
  };
  const serve = respondOnceThen(
    (_asked, response) => respondWithError(response, 503, "ServiceUnavailable", "down"),
    (_asked, response) => void response.writeHead(200).write(`${JSON.stringify(added)}\n`),
  );
  await withServer(serve, async (api) => {
    for await (const _ of watchCollection(api, { path: "/api/v1/pods", version: "1" }, { signal: stop.signal })) break;
  }, { telemetry: telemetry.telemetry });
  assert.equal(callsOf(telemetry), [["STREAM", 503, "succeeded"], ["STREAM", 200, "succeeded"]]);
  assert.equal(telemetry.notes.map(({ kind }) => kind), ["watch_restart"]);
});

test("records the status of a permanent refusal", async () => {
  const telemetry = recordTelemetry();
  await withServer((_asked, response) => respondWithError(response, 404, "NotFound", "gone"), async (api) => {
    await failureOf(api.call(GET_REQUEST, UNCANCELLED));
  }, { telemetry: telemetry.telemetry });
  assert.equal(callsOf(telemetry), [["GET", 404, "succeeded"]]);
});

test("records nothing for a call that was never sent", async () => {
  const telemetry = recordTelemetry();
  await withServer((_asked, response) => answer(response, 200, {}), async (api, { requests: asked }) => {
    const gone = AbortSignal.abort(new Error("aborted before the call"));
    await rejection(api.call(GET_REQUEST, { signal: gone }));
    assert.is(asked.length, 0);
  }, { telemetry: telemetry.telemetry });
  assert.equal(callsOf(telemetry).filter(([, status]) => status !== "cancelled"), []);
});

test.run();
