import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openControlConnection } from "#lib/drivers/db/control.ts";
import { ConnectionLost } from "#lib/drivers/db/faults.ts";
import { SILENT_LOG } from "#lib/base/log.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { openProxy, type TcpProxy } from "#test/support/proxy.ts";
import { rejection, until } from "#test/support/until.ts";

interface Context {
  db: TestDatabase;
  proxy: TcpProxy;
  payloads: (string | null)[];
  control: ReturnType<typeof openControlConnection>;
}
const test = suite<Context>("openControlConnection");

test.before.each(async (context) => {
  const db = context.db = await openTestDatabase();
  const payloads: Context["payloads"] = context.payloads = [];
  context.proxy = await openProxy(db.url);
  context.control = openControlConnection({
    url: context.proxy.url,
    name: "control-test",
    channel: "control_test",
    log: SILENT_LOG,
    probeEvery: 50,
    answerLimit: 1000,
    onNotify: (payload) => payloads.push(payload),
  });
  await context.control.ready();
});
test.after.each(async ({ db, proxy, control }) => {
  await control.close();
  await proxy.close();
  await db.close();
});

const notify = (db: TestDatabase, payload: string) => db.sql("select pg_notify('control_test', $1)", [payload]);

test("passes on notifications, after reporting that earlier ones may have been missed", async ({ db, payloads }) => {
  await notify(db, "one");
  await until(() => payloads.length === 2);
  assert.equal(payloads, [null, "one"]);
});

test("replaces a killed backend, listens again, and reports possibly missed notifications", async ({ db, payloads, control }) => {
  const pid = control.pid;
  await db.sql("select pg_terminate_backend($1)", [pid]);
  await until(() => control.pid !== null && control.pid !== pid);
  assert.equal(payloads, [null, null]);
  await notify(db, "two");
  await until(() => payloads.length === 3);
  assert.is(payloads[2], "two");
});

test("replaces a connection that stops answering", async ({ db, proxy, payloads, control }) => {
  const pid = control.pid;
  proxy.freeze();
  await until(() => control.pid !== null && control.pid !== pid);
  await notify(db, "three");
  await until(() => payloads.at(-1) === "three");
  assert.equal(payloads, [null, null, "three"]);
});

test("answers a query, and rejects queries after a lost connection", async ({ proxy, control }) => {
  assert.equal((await control.query("select $1::int as one", [1])).rows, [{ one: 1 }]);
  const lost = rejection(control.query("select pg_sleep(60)"));
  proxy.cut();
  assert.instance(await lost, ConnectionLost);
  await proxy.close();
  await until(() => control.pid === null);
  assert.instance(await rejection(control.query("select 1")), ConnectionLost);
});

test("rejects a query that is not answered in time", async ({ proxy, control }) => {
  proxy.freeze();
  assert.is((await rejection(control.query("select 1"))).code, "database_slow");
});

test.run();
