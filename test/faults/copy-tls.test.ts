/** Tests a COPY whose TLS connection fails, or whose rows are read slowly. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openCopyConnection } from "#lib/drivers/db/copier.ts";
import { ConnectionLost } from "#lib/drivers/db/faults.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { openProxy, type TcpProxy } from "#test/support/proxy.ts";
import { openSecureServer, withTlsUrl } from "#test/support/secure-server.ts";
import type { SeparatePostgresServer } from "#test/support/server.ts";
import { rejection, until } from "#test/support/until.ts";

const test = suite<{ server: SeparatePostgresServer; db: TestDatabase; proxy: TcpProxy }>("COPY over TLS");
test.before(async (context) => {
  context.server = await openSecureServer();
  context.db = await openTestDatabase({}, { url: context.server.url, template: "template0" });
  context.proxy = await openProxy(withTlsUrl(context.db.url));
});
test.after(async ({ db, server, proxy }) => {
  await proxy.close();
  await db.close();
  await server.stop();
});

test("fails if its backend is killed or its connection is half closed during a read or write", async ({ db, proxy }) => {
  await db.sql("create table copied (a int)");
  const faults = [
    () => db.sql("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'tls-copy'"),
    () => proxy.endHalf(),
  ];
  for (const fail of faults) {
    const reader = await openCopyConnection(proxy.url, "tls-copy");
    const reading = async () => {
      let pieces = 0;
      for await (
        const _ of reader.copyOut("copy (select repeat('x', 100) from generate_series(1, 1000000)) to stdout")
      ) {
        if (++pieces === 1) await fail();
      }
    };
    assert.instance(await rejection(reading()), ConnectionLost);
    await reader.close();
    const writer = await openCopyConnection(proxy.url, "tls-copy");
    const rows = async function* () {
      yield Buffer.from("1\n");
      await fail();
      for (;;) {
        yield Buffer.from("2\n".repeat(1000));
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    assert.instance(await rejection(writer.copyIn("copy copied from stdin", rows())), ConnectionLost);
    await writer.close();
  }
});

test("applies backpressure while rows are not read, and loses none", async ({ db }) => {
  const reader = await openCopyConnection(withTlsUrl(db.url), "tls-slow");
  const waiting = "select from pg_stat_activity where application_name = 'tls-slow' and wait_event = 'ClientWrite'";
  let bytes = 0, pieces = 0;
  for await (
    const piece of reader.copyOut("copy (select repeat('x', 99) from generate_series(1, 1000000)) to stdout")
  ) {
    if (++pieces === 1) await until(async () => (await db.sql(waiting)).length > 0);
    bytes += piece.length;
  }
  assert.is(bytes, 100_000_000);
  assert.is((await reader.run("select 1 as one")).length, 1);
  await reader.close();
});

test.run();
