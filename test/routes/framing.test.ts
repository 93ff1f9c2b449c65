/** Tests malformed requests on real sockets: each is refused or cut off, and the server keeps answering others. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { FAULTS } from "#lib/base/faults.ts";
import { manifest } from "#src/manifest.ts";
import { openServer } from "#src/server.ts";
import { inParallel } from "#test/support/probes/probe-fields.ts";
import { openScene, type Scene } from "#test/support/scene.ts";
import { openRawConnection } from "#test/support/socket.ts";

interface Context {
  scene: Scene;
  port: number;
  close: () => Promise<void>;
}

const test = suite<Context>("a malformed HTTP request");
test.before(async (context) => {
  context.scene = await openScene({ env: { BODY_LIMIT_BYTES: "1024" } });
  const { port, close } = await openServer(context.scene.app, manifest).listen({ host: "127.0.0.1", port: 0 });
  Object.assign(context, { port, close: () => close(0) });
});
test.after(async ({ scene, close }) => {
  await close();
  await scene.close();
});

const HOST = "Host: localhost\r\n", END = "\r\n\r\n";
const post = (headers: string, body = "") =>
  `POST /api/auth/login HTTP/1.1\r\n${HOST}Content-Type: application/json\r\n${headers}${END}${body}`;
const get = (target: string, headers = "") => `GET ${target} HTTP/1.1\r\n${HOST}${headers}\r\n`;
const LOGIN = '{"email":"a@b.example","password":"x"}';
const tooMuch = "x".repeat(2000);

/** Bytes to send, and the expected statuses; 0 for no response. */
const CASES: readonly (readonly [name: string, bytes: string, ...statuses: number[]])[] = [
  ["text that is not HTTP", "hello\r\n\r\n", 400],
  ["bytes of another protocol", "\u0016\u0003\u0001\u0002\u0000\u0001\u0000", 400, 0],
  ["an unknown version", `GET / HTTP/9.9\r\n${HOST}\r\n`, 400, 505],
  ["no host", "GET /api/healthz HTTP/1.1\r\n\r\n", 400],
  ["an empty host", "GET /api/healthz HTTP/1.1\r\nHost:\r\n\r\n", 400, 200],
  ["a host with a path", "GET /api/healthz HTTP/1.1\r\nHost: a/b\r\n\r\n", 400, 200],
  ["an invalid host", "GET /api/healthz HTTP/1.1\r\nHost: [::1\r\n\r\n", 400],
  ["a host with spaces", "GET /api/healthz HTTP/1.1\r\nHost: a b\r\n\r\n", 400],
  ["a host with a user", "GET /api/healthz HTTP/1.1\r\nHost: a@b\r\n\r\n", 400, 200],
  ["two hosts", get("/api/healthz", "Host: other\r\n"), 400, 200],
  ["an absolute URL", get("http://other.example/api/healthz"), 400, 200, 404],
  ["an asterisk", `OPTIONS * HTTP/1.1\r\n${HOST}\r\n`, 400, 404],
  ["a CONNECT", `CONNECT other.example:443 HTTP/1.1\r\n${HOST}\r\n`, 400, 404, 405, 501, 0],
  ["a TRACE", `TRACE /api/healthz HTTP/1.1\r\n${HOST}\r\n`, 400, 405, 501],
  ["a method in lower case", `get /api/healthz HTTP/1.1\r\n${HOST}\r\n`, 400, 405],
  ["an unknown method", `BREW /api/healthz HTTP/1.1\r\n${HOST}\r\n`, 400, 405],
  ["two slashes", get("//api/healthz"), 404],
  ["two slashes and a host", get("//other.example/../api/healthz"), 400, 404],
  ["a backslash", get("/api\\healthz"), 400, 404],
  ["a path with dot segments", get("/api/../../etc/passwd"), 400, 404],
  ["a NUL in the path", get("/api/spokes/%00"), 400, 401],
  ["raw UTF-8 in the path", get("/api/spokes/\u00e4"), 400, 401, 404],
  ["a fragment", get("/api/healthz#x"), 400, 200, 404],
  ["a very long path", get(`/${"a".repeat(100_000)}`), 400, 414, 431],
  ["a very long header", get("/api/healthz", `X: ${"a".repeat(100_000)}\r\n`), 431],
  ["very many headers", get("/api/healthz", "X: 1\r\n".repeat(20_000)), 431],
  ["a header without a name", get("/api/healthz", ": x\r\n"), 400],
  ["a NUL in a header", get("/api/healthz", "X: a\u0000b\r\n"), 400],
  ["a space before the colon", get("/api/healthz", "X : 1\r\n"), 400],
  ["a header on two lines", get("/api/healthz", "X: 1\r\n 2\r\n"), 400, 200],
  ["a line feed alone", `GET /api/healthz HTTP/1.1\nHost: localhost\n\n`, 400, 200],
  ["an invalid cookie", get("/api/auth/me", "Cookie: =;;wheelwright=;\u0001=\u00ff\r\n"), 400, 401],
  ["an invalid bearer token", get("/api/auth/me", "Authorization: Bearer \u00e4\r\n"), 401],
  ["two bearers", get("/api/auth/me", "Authorization: Bearer a\r\nAuthorization: Bearer b\r\n"), 400, 401],
  [
    "a user agent with invalid bytes",
    post(`User-Agent: \u0085\u00ff\t\u00a0${"x".repeat(5000)}\r\nContent-Length: ${LOGIN.length}`, LOGIN),
    401,
  ],
  [
    "forwarded addresses with invalid bytes",
    get("/api/healthz", 'X-Forwarded-For: \u0085,,::1,[,\r\nX-Request-Id: \u0085"\r\n'),
    200,
  ],
  ["an invalid length", post("Content-Length: x"), 400],
  ["a negative length", post("Content-Length: -1"), 400],
  ["two lengths", post("Content-Length: 2\r\nContent-Length: 3", "{}"), 400],
  ["a length and chunks", post("Content-Length: 2\r\nTransfer-Encoding: chunked", "0\r\n\r\n"), 400],
  ["an unknown transfer encoding", post("Transfer-Encoding: gzip", "x"), 400, 501],
  ["a length above the limit", post("Content-Length: 999999999", tooMuch), 413],
  ["chunks above the limit", post("Transfer-Encoding: chunked", `7d0\r\n${tooMuch}\r\n7d0\r\n${tooMuch}\r\n`), 413],
  ["an invalid chunk size", post("Transfer-Encoding: chunked", "zz\r\n{}\r\n0\r\n\r\n"), 400, 0],
  ["a chunk size above the largest number", post("Transfer-Encoding: chunked", "fffffffffffffffff\r\n"), 400, 413, 0],
  ["an expectation", post("Expect: 200-maybe\r\nContent-Length: 2", "{}"), 400, 417],
];

test("is refused with a JSON error, or the connection is closed", async ({ port }) => {
  await inParallel(CASES, async ([name, bytes, ...statuses]) => {
    const connection = openRawConnection(port);
    connection.socket.write(bytes, "latin1");
    // The second half is never sent.
    const answer = await Promise.race([
      connection.received(/\r\n\r\n\{.*\}/s).catch(() => connection.closed),
      connection.closed,
    ]);
    connection.socket.destroy();
    const status = Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0);
    assert.ok(statuses.includes(status), `${name}: ${answer.slice(0, 400)}`);
    assert.not.match(answer, /\.ts:|node_modules|Error:/, name);
    if (status < 400) return;
    const problem = JSON.parse(answer.slice(answer.indexOf("\r\n\r\n")));
    assert.equal(
      [problem.statusCode, typeof problem.message, typeof problem.error],
      [status, "string", "string"],
      name,
    );
    assert.ok(Object.hasOwn(FAULTS, problem.code), `${name}: ${problem.code}`);
  });
});

test("leaves the server unchanged", async ({ port }) => {
  const reply = await fetch(`http://127.0.0.1:${port}/api/healthz`);
  assert.equal(await reply.json(), { status: "ok" });
});

test.run();
