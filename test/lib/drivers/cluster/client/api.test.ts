import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openKubeApi } from "#lib/drivers/cluster/client/api.ts";
import { openServerConnections, type ServerConnections } from "#lib/drivers/cluster/client/connection.ts";
import {
  failureOf,
  GET_REQUEST,
  PATCH_REQUEST,
  respondOnceThen,
  UNCANCELLED,
  withServer,
} from "#test/support/kube/api.ts";
import { answer, openKubeServer, respondWithError } from "#test/support/kube/server.ts";

const test = suite("openApi");

const reason = new Error("called off");

test("keeps the server's base path and sends the User-Agent", () =>
  withServer((_asked, response) => answer(response, 200, { items: [] }), async (api, server) => {
    await api.call({ ...GET_REQUEST, query: { labelSelector: "a=b,c" } }, UNCANCELLED);
    const { path, query, headers } = server.requests[0]!;
    assert.equal([path, query.get("labelSelector")], ["/k8s/clusters/c-1/api/v1/pods", "a=b,c"]);
    assert.equal([headers["user-agent"], headers.accept], ["wheelwright/1.2.3", "application/json"]);
  }, { path: "/k8s/clusters/c-1/" }));

test("repeats a call whose connection was lost", () =>
  withServer(respondOnceThen((_asked, _response, socket) => socket.destroy()), async (api, server) => {
    assert.equal((await api.call(GET_REQUEST, UNCANCELLED)).body, { fine: true });
    assert.is(server.requests.length, 2);
  }));

test("repeats a call whose keep-alive connection was lost", () =>
  withServer((requests, response, socket) => {
    if (requests.method === "POST" && server.filter(({ method }) => method === "POST").length === 1) {
      return void socket.destroy();
    }
    answer(response, 200, { fine: requests.body });
  }, async (api, { requests }) => {
    server = requests;
    await Promise.all(Array.from({ length: 6 }, () => api.call(GET_REQUEST, UNCANCELLED)));
    const { body } = await api.call({ method: "POST", path: "/x", body: { a: 1 }, repeat: "safe" }, UNCANCELLED);
    assert.equal([body, requests.slice(6).map(({ method }) => method)], [{ fine: '{"a":1}' }, ["POST", "POST"]]);
  }));
let server: readonly { readonly method: string }[] = [];

test("does not repeat a patch whose connection was lost", () =>
  withServer(respondOnceThen((_asked, _response, socket) => socket.destroy()), async (api, server) => {
    const { code, transient } = await failureOf(api.call(PATCH_REQUEST, UNCANCELLED));
    assert.equal([code, transient, server.requests.length], ["unreachable", true, 1]);
  }));

test("repeats a patch after a 429", () =>
  withServer(
    respondOnceThen((_asked, response) => respondWithError(response, 429, "TooManyRequests", "slow down")),
    async (api) => assert.equal((await api.call(PATCH_REQUEST, UNCANCELLED)).body, { fine: true }),
  ));

test("does not repeat a call after a permanent error", () =>
  withServer((_asked, response) => respondWithError(response, 422, "Invalid", "no good"), async (api, server) => {
    const { code, message } = await failureOf(api.call(GET_REQUEST, UNCANCELLED));
    assert.equal([code, message, server.requests.length], ["Invalid", "no good", 1]);
  }));

test("throws a transient error if the server keeps failing", () =>
  withServer(
    (_asked, response) => respondWithError(response, 503, "ServiceUnavailable", "down"),
    async (api, server) => {
      const { transient, status } = await failureOf(api.call(GET_REQUEST, UNCANCELLED));
      assert.equal([transient, status, server.requests.length], [true, 503, 4]);
    },
  ));

test("cancels a queued call immediately", () =>
  withServer(() => {}, async (api, server) => {
    const first = new AbortController(), second = new AbortController();
    const hanging = api.call(GET_REQUEST, first).catch((error) => error);
    while (server.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    const waiting = api.call(GET_REQUEST, second).catch((error) => error);
    await new Promise((resolve) => setTimeout(resolve)); // the call is queued
    second.abort(reason);
    assert.is(await waiting, reason);
    assert.is(server.requests.length, 1);
    first.abort(reason);
    assert.is(await hanging, reason);
  }, { concurrency: 1 }));

test("limits the number of concurrent calls", () => {
  const held: (() => void)[] = [];
  let most = 0;
  return withServer((_asked, response) => {
    held.push(() => answer(response, 200, {}));
    most = Math.max(most, held.length);
    if (held.length === 3) setTimeout(() => held.splice(0).forEach((release) => release()), 20);
  }, async (api) => {
    await Promise.all(Array.from({ length: 9 }, () => api.call(GET_REQUEST, UNCANCELLED)));
    assert.is(most, 3);
  }, { concurrency: 3 });
});

test("delays all calls after a 429", () => {
  let refusedAt = 0;
  const gaps: number[] = [];
  return withServer((requests, response) => {
    if (refusedAt) gaps.push(performance.now() - refusedAt);
    else if (requests.path === GET_REQUEST.path) {
      refusedAt = performance.now();
      return answer(response, 429, { kind: "Status", message: "busy" }, { "retry-after": "1" });
    }
    answer(response, 200, {});
  }, async (api) => {
    const first = api.call(GET_REQUEST, UNCANCELLED);
    while (!refusedAt) await new Promise((resolve) => setTimeout(resolve, 5));
    await new Promise((resolve) => setTimeout(resolve, 100)); // the 429 is on its way to the client
    await Promise.all([first, api.call({ ...GET_REQUEST, path: "/other" }, UNCANCELLED)]);
    assert.is(gaps.length, 2);
    for (const gap of gaps) assert.ok(gap > 900, `asked again after ${gap} ms`);
  });
});

test("throws a transient error if nothing listens", async () => {
  const server = await openKubeServer(() => {});
  const connections = await openServerConnections(server.kubeconfig());
  await server.close();
  const api = openKubeApi({ connections, concurrency: 1, deadline: 1000, userAgent: "wheelwright" });
  const { code, transient } = await failureOf(api.call(PATCH_REQUEST, UNCANCELLED));
  assert.equal([code, transient], ["unreachable", true]);
  api.close();
});

test("also delays calls that were queued before the 429", () => {
  let refusedAt = 0;
  const gaps: number[] = [];
  return withServer((_asked, response) => {
    if (refusedAt) {
      gaps.push(performance.now() - refusedAt);
      return answer(response, 200, {});
    }
    refusedAt = performance.now();
    answer(response, 429, { kind: "Status", message: "busy" }, { "retry-after": "1" });
  }, async (api) => {
    await Promise.all([1, 2, 3].map(() => api.call(GET_REQUEST, UNCANCELLED)));
    assert.is(gaps.length, 3);
    for (const gap of gaps) assert.ok(gap > 900, `asked again after ${gap} ms`);
  }, { concurrency: 1 });
});

test("throws if the requested wait exceeds the deadline", () =>
  withServer((_asked, response) => {
    answer(response, 429, { kind: "Status", message: "busy" }, { "retry-after": "86400" });
  }, async (api, server) => {
    const first = await failureOf(api.call(GET_REQUEST, UNCANCELLED));
    assert.equal([first.message, first.retryAfterMs], ["busy", 60_000]);
    for (
      const { code, message, retryAfterMs } of await Promise.all([
        failureOf(api.call(PATCH_REQUEST, UNCANCELLED)),
        failureOf(api.stream("/log", {}, UNCANCELLED)),
      ])
    ) {
      assert.is(code, "TooManyRequests");
      assert.match(message, "accepts no requests for another 60 s");
      assert.ok(retryAfterMs! > 50_000 && retryAfterMs! <= 60_000);
    }
    assert.is(server.requests.length, 1);
  }));

test("rejects delayed calls on close", () =>
  withServer((_asked, response) => {
    answer(response, 429, { kind: "Status", message: "busy" }, { "retry-after": "4" });
  }, async (api, server) => {
    assert.is((await failureOf(api.stream("/log", {}, UNCANCELLED))).code, "TooManyRequests");
    const under = [
      api.call(GET_REQUEST, UNCANCELLED),
      api.call(PATCH_REQUEST, UNCANCELLED),
      api.stream("/log", {}, UNCANCELLED),
    ].map(failureOf);
    await new Promise((resolve) => setTimeout(resolve)); // the calls are waiting
    api.close();
    assert.equal((await Promise.all(under)).map(({ code }) => code), ["closed", "closed", "closed"]);
    assert.is(server.requests.length, 1);
  }));

const never = (): Promise<never> => new Promise(() => {});
const openWith = (connections: Partial<ServerConnections>, deadline: number) =>
  openKubeApi({
    connections: { cached: () => undefined, current: never, renew: never, close: () => {}, ...connections },
    concurrency: 1,
    deadline,
    userAgent: "wheelwright",
  });

test("limits the wait for credentials of calls and streams to the deadline", async () => {
  const api = openWith({}, 80);
  const requests = [
    api.call(PATCH_REQUEST, UNCANCELLED),
    api.call(PATCH_REQUEST, UNCANCELLED),
    api.stream("/log", {}, UNCANCELLED),
  ].map(failureOf);
  for (const { code, transient, message } of await Promise.all(requests)) {
    assert.equal([code, transient], ["credentials", true]);
    assert.match(message, "timed out after 80 ms");
  }
  api.close();
});

test("cancels a call that waits for credentials immediately", async () => {
  const api = openWith({}, 60_000), stop = new AbortController();
  const waiting = [api.call(GET_REQUEST, stop), api.stream("/log", {}, stop)].map((requests) =>
    requests.catch((error) => error)
  );
  stop.abort(reason);
  assert.equal(await Promise.all(waiting), [reason, reason]);
  api.close();
});

test("reports a token with invalid header characters as a credentials error", async () => {
  const server = await openKubeServer((_asked, response) => answer(response, 200, {}));
  const connections = await openServerConnections(server.kubeconfig({}, { token: "two\nlines" }));
  const api = openKubeApi({ connections, concurrency: 1, deadline: 1000, userAgent: "wheelwright" });
  const { code, blame } = await failureOf(api.call(GET_REQUEST, UNCANCELLED));
  assert.equal([code, blame, server.requests.length], ["credentials", "operator", 0]);
  api.close();
  await server.close();
});

test("follows the cluster's clock if the local clock differs", () =>
  withServer((_asked, response) => {
    answer(response, 200, {}, { date: new Date(Date.now() - 3_600_000).toUTCString() });
  }, async (api) => {
    await api.call(GET_REQUEST, UNCANCELLED);
    const behind = Date.now() - api.now();
    assert.ok(behind > 3_590_000 && behind < 3_610_000, `${behind}`);
  }));

test("rejects running and later calls on close", () =>
  withServer(() => {}, async (api, server) => {
    const under = failureOf(api.call(GET_REQUEST, UNCANCELLED));
    while (server.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    api.close();
    assert.is((await under).code, "closed");
    assert.is((await failureOf(api.call(GET_REQUEST, UNCANCELLED))).code, "closed");
  }));

test.run();
