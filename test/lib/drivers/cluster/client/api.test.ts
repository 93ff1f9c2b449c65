import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openApi } from "#lib/drivers/cluster/client/api.ts";
import { type Connections, openServerConnections } from "#lib/drivers/cluster/client/connection.ts";
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

test("a call keeps the server's base path and names the program", () =>
  withServer((_asked, response) => answer(response, 200, { items: [] }), async (api, server) => {
    await api.call({ ...GET_REQUEST, query: { labelSelector: "a=b,c" } }, UNCANCELLED);
    const { path, query, headers } = server.requests[0]!;
    assert.equal([path, query.get("labelSelector")], ["/k8s/clusters/c-1/api/v1/pods", "a=b,c"]);
    assert.equal([headers["user-agent"], headers.accept], ["wheelwright/1.2.3", "application/json"]);
  }, { path: "/k8s/clusters/c-1/" }));

test("a call whose connection was cut is repeated", () =>
  withServer(respondOnceThen((_asked, _response, socket) => socket.destroy()), async (api, server) => {
    assert.equal((await api.call(GET_REQUEST, UNCANCELLED)).body, { fine: true });
    assert.is(server.requests.length, 2);
  }));

test("a call over a connection that was kept, and is cut, is repeated", () =>
  withServer((asked, response, socket) => {
    if (asked.method === "POST" && server.filter(({ method }) => method === "POST").length === 1) {
      return void socket.destroy();
    }
    answer(response, 200, { fine: asked.body });
  }, async (api, { requests: asked }) => {
    server = asked;
    await Promise.all(Array.from({ length: 6 }, () => api.call(GET_REQUEST, UNCANCELLED)));
    const { body } = await api.call({ method: "POST", path: "/x", body: { a: 1 }, repeat: "safe" }, UNCANCELLED);
    assert.equal([body, asked.slice(6).map(({ method }) => method)], [{ fine: '{"a":1}' }, ["POST", "POST"]]);
  }));
let server: readonly { readonly method: string }[] = [];

test("a patch whose connection was cut is not repeated, for it may have been done", () =>
  withServer(respondOnceThen((_asked, _response, socket) => socket.destroy()), async (api, server) => {
    const { code, transient } = await failureOf(api.call(PATCH_REQUEST, UNCANCELLED));
    assert.equal([code, transient, server.requests.length], ["unreachable", true, 1]);
  }));

test("a patch that was turned away by a 429 is repeated", () =>
  withServer(
    respondOnceThen((_asked, response) => respondWithError(response, 429, "TooManyRequests", "slow down")),
    async (api) => assert.equal((await api.call(PATCH_REQUEST, UNCANCELLED)).body, { fine: true }),
  ));

test("a permanent refusal is not repeated", () =>
  withServer((_asked, response) => respondWithError(response, 422, "Invalid", "no good"), async (api, server) => {
    const { code, message } = await failureOf(api.call(GET_REQUEST, UNCANCELLED));
    assert.equal([code, message, server.requests.length], ["Invalid", "no good", 1]);
  }));

test("a server that keeps failing is given up as transient", () =>
  withServer(
    (_asked, response) => respondWithError(response, 503, "ServiceUnavailable", "down"),
    async (api, server) => {
      const { transient, status } = await failureOf(api.call(GET_REQUEST, UNCANCELLED));
      assert.equal([transient, status, server.requests.length], [true, 503, 4]);
    },
  ));

test("a call that waits for a place is called off at once", () =>
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

test("no more calls are under way than allowed", () => {
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

test("a 429 holds back every call until the server wants to hear from us", () => {
  let refusedAt = 0;
  const gaps: number[] = [];
  return withServer((asked, response) => {
    if (refusedAt) gaps.push(performance.now() - refusedAt);
    else if (asked.path === GET_REQUEST.path) {
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

test("nobody there is transient", async () => {
  const server = await openKubeServer(() => {});
  const connections = await openServerConnections(server.kubeconfig());
  await server.close();
  const api = openApi({ connections, concurrency: 1, deadline: 1000, userAgent: "wheelwright" });
  const { code, transient } = await failureOf(api.call(PATCH_REQUEST, UNCANCELLED));
  assert.equal([code, transient], ["unreachable", true]);
  api.close();
});

test("whoever waited in the queue while a 429 came is quiet, too", () => {
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

test("a quiet that is longer than a call may take is the caller's to wait for", () =>
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
      assert.match(message, "is limiting requests for another 60 s");
      assert.ok(retryAfterMs! > 50_000 && retryAfterMs! <= 60_000);
    }
    assert.is(server.requests.length, 1);
  }));

test("closing ends what rests because the server asked for it", () =>
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
const openWith = (connections: Partial<Connections>, deadline: number) =>
  openApi({
    connections: { cached: () => undefined, current: never, renew: never, close: () => {}, ...connections },
    concurrency: 1,
    deadline,
    userAgent: "wheelwright",
  });

test("credentials that never come cost no more than the deadline, for calls and for streams", async () => {
  const api = openWith({}, 80);
  const asked = [
    api.call(PATCH_REQUEST, UNCANCELLED),
    api.call(PATCH_REQUEST, UNCANCELLED),
    api.stream("/log", {}, UNCANCELLED),
  ].map(failureOf);
  for (const { code, transient, message } of await Promise.all(asked)) {
    assert.equal([code, transient], ["credentials", true]);
    assert.match(message, "timed out after 80 ms");
  }
  api.close();
});

test("whoever waits for credentials is called off at once", async () => {
  const api = openWith({}, 60_000), stop = new AbortController();
  const waiting = [api.call(GET_REQUEST, stop), api.stream("/log", {}, stop)].map((asked) =>
    asked.catch((error) => error)
  );
  stop.abort(reason);
  assert.equal(await Promise.all(waiting), [reason, reason]);
  api.close();
});

test("a token that no header can hold is the credentials' fault, and no mistake of ours", async () => {
  const server = await openKubeServer((_asked, response) => answer(response, 200, {}));
  const connections = await openServerConnections(server.kubeconfig({}, { token: "two\nlines" }));
  const api = openApi({ connections, concurrency: 1, deadline: 1000, userAgent: "wheelwright" });
  const { code, blame } = await failureOf(api.call(GET_REQUEST, UNCANCELLED));
  assert.equal([code, blame, server.requests.length], ["credentials", "operator", 0]);
  api.close();
  await server.close();
});

test("the cluster's clock is followed when ours differs", () =>
  withServer((_asked, response) => {
    answer(response, 200, {}, { date: new Date(Date.now() - 3_600_000).toUTCString() });
  }, async (api) => {
    await api.call(GET_REQUEST, UNCANCELLED);
    const behind = Date.now() - api.now();
    assert.ok(behind > 3_590_000 && behind < 3_610_000, `${behind}`);
  }));

test("closing ends what is under way, and what comes later", () =>
  withServer(() => {}, async (api, server) => {
    const under = failureOf(api.call(GET_REQUEST, UNCANCELLED));
    while (server.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    api.close();
    assert.is((await under).code, "closed");
    assert.is((await failureOf(api.call(GET_REQUEST, UNCANCELLED))).code, "closed");
  }));

test.run();
