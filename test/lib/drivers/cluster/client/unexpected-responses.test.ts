/** Tests invalid responses: pages, redirects, other protocols, and responses that never end. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { failureOf, GET_REQUEST, PATCH_REQUEST, UNCANCELLED, withServer } from "#test/support/kube/api.ts";
import { answer } from "#test/support/kube/server.ts";
import { until } from "#test/support/until.ts";

const test = suite("openApi, unexpected responses");

for (const body of ["<html>Sign in</html>", '{"items": [', "", "null", "[]", '"fine"', "0"]) {
  test(`rejects a successful response with ${body || "an empty body"}, without an immediate retry`, () =>
    withServer((_asked, response) => answer(response, 200, body), async (api, server) => {
      const { code, transient, blame, message } = await failureOf(api.call(GET_REQUEST, UNCANCELLED));
      assert.equal([code, transient, blame, server.requests.length], ["BadAnswer", true, "operator", 1]);
      assert.match(message, body === "" ? "returned an empty body" : body);
    }));
}

test("does not follow redirects, and names the target without its query", () =>
  withServer(
    (_asked, response) => answer(response, 302, "", { location: "https://login.test/start?state=secret" }),
    async (api, server) => {
      const { code, transient, status, message } = await failureOf(api.call(GET_REQUEST, UNCANCELLED));
      assert.equal([code, transient, status, server.requests.length], ["BadAnswer", true, 302, 1]);
      assert.match(message, "HTTP 302 to https://login.test/start");
      assert.not.match(message, "secret");
    },
  ));

test("does not mistake a 404 page for an unknown kind", () =>
  withServer(
    (_asked, response) => answer(response, 404, "<h1>404 Not Found</h1>", { "content-type": "text/html" }),
    async (api) => assert.is((await failureOf(api.call(GET_REQUEST, UNCANCELLED))).code, "BadAnswer"),
  ));

test("ignores informational responses", () =>
  withServer((_asked, response, socket) => {
    socket.write("HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n");
    answer(response, 200, { fine: true });
  }, async (api) => assert.equal((await api.call(GET_REQUEST, UNCANCELLED)).body, { fine: true })));

test("treats a protocol upgrade as unreachable and closes the connection", () =>
  withServer((_asked, _response, socket) => {
    socket.write("HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: foo\r\n\r\n");
  }, async (api, server) => {
    const { code, transient } = await failureOf(api.call(PATCH_REQUEST, UNCANCELLED));
    assert.ok(["unreachable", "deadline"].includes(code) && transient, code); // Deno's client waits for more
    await until(() => server.openConnections() === 0);
  }, { deadline: 500 }));

test("treats a server without HTTP as unreachable", () =>
  withServer((_asked, _response, socket) => void socket.end("SSH-2.0-OpenSSH_9.9\r\n"), async (api) => {
    const { code, transient } = await failureOf(api.call(PATCH_REQUEST, UNCANCELLED));
    assert.equal([code, transient], ["unreachable", true]);
  }));

test("rejects a refused stream even if the error response never ends", () =>
  withServer((_asked, response) => {
    response.writeHead(403, { "content-type": "application/json" });
    response.write('{"kind": "Status", ');
  }, async (api, server) => {
    assert.is((await failureOf(api.stream("/log", {}, UNCANCELLED))).status, 403);
    await until(() => server.openConnections() === 0);
  }));

test.run();
