/** Tests that hundreds of requests with incomplete bodies do not delay other requests. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type Attack, openAttack } from "#test/support/attack.ts";

const test = suite<{ attack: Attack }>("incomplete request bodies");
test.before(async (context) => {
  context.attack = await openAttack();
});
test.after(({ attack }) => attack.close());

const PLACES = [
  ["/api/auth/reset-password", "application/json"],
  ["/invite", "application/x-www-form-urlencoded"],
  ["/api/billing/webhook", "application/json"],
  ["/api/auth/tokens", "application/json"],
] as const;

test("520 of them do not block reads, writes, sign-ins or probes", async ({ attack }) => {
  const { call, token } = attack;
  const hub = await attack.hub("north");
  const opened = Array.from({ length: 520 }, (_, i) => {
    const [path, type] = PLACES[i % PLACES.length]!, connection = attack.connect();
    connection.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\nContent-Length: 200000\r\n\r\n{`);
    return connection;
  });
  // by now so many are open that the server closed the first
  await opened[0]!.received(/^HTTP\/1\.1 408 .*"statusCode":408/s);
  for (let i = 0; i < 5; i++) {
    assert.is((await call(token, "GET", `/api/federations/${hub}`)).status, 200);
    assert.is((await call(token, "PATCH", `/api/federations/${hub}`, { name: `North ${i}` })).status, 200);
    assert.ok(await attack.isReady());
    assert.is((await call(null, "GET", "/api/healthz")).status, 200);
  }
  const login = { email: "nobody@example.org", password: "not the password" };
  assert.is((await call(null, "POST", "/api/auth/login", login)).status, 401);
});

test("bodies sent byte by byte use no extra memory", async ({ attack }) => {
  const { call, token } = attack, before = await attack.memory();
  const opened = Array.from({ length: 4 }, () => {
    const connection = attack.connect();
    connection.write("POST /api/auth/reset-password HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n");
    connection.write(`Transfer-Encoding: chunked\r\n\r\n${"1\r\nx\r\n".repeat(20_000)}`);
    return connection;
  });
  for (let i = 0; i < 10; i++) assert.is((await call(token, "GET", "/api/auth/me")).status, 200);
  await Promise.all(opened.map(({ closed }) => closed)); // the server refused and closed them
  const growth = await attack.memory() - before;
  assert.ok(growth < 100, `it grew by ${Math.round(growth)} MiB`);
});

test.run();
