/** Tests a client that pipelines requests and reads no response. The server must not keep unlimited responses in
 * memory. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type Attack, openAttack } from "#test/support/attack.ts";
import { until } from "#test/support/until.ts";

const test = suite<{ attack: Attack }>("unread responses");
test.before(async (context) => {
  context.attack = await openAttack();
});
test.after(({ attack }) => attack.close());

const GROWTH = 150; // MiB, mostly not yet garbage-collected; without a limit, each connection takes 850

test("four connections with 2,000 unread responses use little memory and do not affect others", async ({ attack }) => {
  const { call, token } = attack;
  for (const path of ["/api/openapi.json", "/api/docs", "/api/auth/me"]) await call(token, "GET", path);
  const before = await attack.memory();
  const connections = Array.from({ length: 4 }, () => attack.connect());
  for (const { socket } of connections) {
    socket.pause();
    socket.write("GET /api/openapi.json HTTP/1.1\r\nHost: x\r\n\r\n".repeat(2000));
  }
  for (let i = 0; i < 20; i++) {
    for (const [caller, path] of [[token, "/api/auth/me"], [null, "/api/openapi.json"]] as const) {
      const { status, body } = await call(caller, "GET", path);
      assert.is(status, 200, `${path}: ${body.code}: ${body.message}`);
    }
    assert.ok(await attack.isReady());
  }
  const growth = await attack.memory() - before;
  assert.ok(growth < GROWTH, `it grew by ${Math.round(growth)} MiB`);
  for (const { socket } of connections) socket.resume();
  await Promise.all(connections.map(({ closed }) => closed)); // the server closed them
});

test("responds to pipelined requests in order", async ({ attack }) => {
  const connection = attack.connect();
  for (let i = 1; i <= 40; i++) {
    const last = i === 40 ? "Connection: close\r\n" : "";
    connection.write(`GET /api/version HTTP/1.1\r\nHost: x\r\nX-Request-Id: number-${i}.\r\n${last}\r\n`);
  }
  const numbers = [...(await connection.closed).matchAll(/x-request-id: number-(\d+)\./gi)].map(([, n]) => Number(n));
  assert.equal(numbers, Array.from({ length: 40 }, (_, i) => i + 1));
});

test("many connections with unread responses do not block sign-ins or API calls", async ({ attack }) => {
  const { call, token } = attack;
  for (let i = 0; i < 200; i++) {
    const { socket, write } = attack.connect();
    socket.pause();
    write("GET /api/docs HTTP/1.1\r\nHost: x\r\n\r\n".repeat(30));
  }
  const login = { email: "nobody@example.org", password: "not the password" };
  assert.is((await call(null, "POST", "/api/auth/login", login)).status, 401);
  // The flood may cause shedding for a moment; unread responses stay for half a minute.
  await until(async () => (await call(token, "GET", "/api/auth/me")).status === 200);
  await until(() => attack.isReady());
});

test.run();
