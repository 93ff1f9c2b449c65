import { createServer, type Socket } from "node:net";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openDatabaseClient } from "#lib/drivers/db/client.ts";
import { openTransport } from "#lib/drivers/db/transport.ts";
import { resolveDatabaseAddress } from "#lib/base/database-address.ts";
import { openSecureServer, tlsFile, withParameters } from "#test/support/secure-server.ts";
import { type SeparatePostgresServer, withAdminConnection } from "#test/support/server.ts";
import { rejection, until } from "#test/support/until.ts";

const test = suite<{ server: SeparatePostgresServer }>("openTransport");
test.before(async (context) => void (context.server = await openSecureServer()));
test.after(({ server }) => server.stop());

const ca = tlsFile("ca.crt");
const at = (url: string, hostname: string, parameters: Record<string, string>) =>
  withParameters(Object.assign(new URL(url), { hostname }).href, parameters);
const connect = (url: string) => openDatabaseClient({ url, name: "transport", settings: {}, connectLimit: 10_000 });

/** Returns the server's view of the connection's TLS. */
async function readTls(url: string): Promise<Record<string, unknown>> {
  const client = await connect(url);
  const { rows } = await client.query(
    "select ssl, version, client_dn from pg_stat_ssl where pid = pg_backend_pid()",
    [],
    { limit: 10_000 },
  );
  await client.close();
  return rows[0]!;
}

/** Returns the message of the innermost cause. */
async function reasonFor(url: string): Promise<string> {
  let error: unknown = await rejection(connect(url)), text = "";
  for (; error instanceof Error; error = error.cause) text += `${error.message}\n`;
  return text;
}

test("uses TLS if the server supports it, unless disabled", async ({ server: { url } }) => {
  assert.is((await readTls(url)).ssl, true);
  assert.is((await readTls(at(url, "127.0.0.1", { sslmode: "require" }))).ssl, true);
  assert.is((await readTls(at(url, "127.0.0.1", { sslmode: "disable" }))).ssl, false);
});

test("checks the certificate's issuer and host name", async ({ server: { url } }) => {
  assert.is((await readTls(at(url, "127.0.0.1", { sslmode: "verify-ca", sslrootcert: ca }))).ssl, true);
  assert.is((await readTls(at(url, "localhost", { sslmode: "verify-full", sslrootcert: ca }))).ssl, true);
  const refused = [
    at(url, "127.0.0.1", { sslmode: "verify-full", sslrootcert: ca }),
    at(url, "localhost", { sslmode: "verify-full" }),
    at(url, "localhost", { sslmode: "verify-ca", sslrootcert: tlsFile("client.crt") }),
    at(url, "localhost", { sslmode: "require", sslrootcert: tlsFile("client.crt") }),
  ];
  for (const one of refused) assert.match(await reasonFor(one), /The TLS handshake failed: /, one);
});

test("presents a client certificate and respects the TLS versions", async ({ server: { url } }) => {
  const client = { sslcert: tlsFile("client.crt"), sslkey: tlsFile("client.key"), sslmode: "require" };
  assert.is((await readTls(at(url, "127.0.0.1", client))).clientDn, "/CN=postgres");
  const old = { sslmode: "require", ssl_max_protocol_version: "TLSv1.2" };
  assert.is((await readTls(at(url, "127.0.0.1", old))).version, "TLSv1.2");
});

test("uses the next host if one does not answer or accepts no writes", async ({ server }) => {
  const { port, username, password, pathname } = new URL(server.url);
  const hosts = (attrs: string) =>
    `postgres://${username}:${password}@127.0.0.1:1,127.0.0.1:${port},localhost:${port}${pathname}?target_session_attrs=${attrs}`;
  const client = await connect(hosts("read-write"));
  assert.equal(client.host, { host: "127.0.0.1", port: Number(port) });
  await client.close();
  await withAdminConnection(
    server.url,
    (sql) => sql.unsafe(`alter role ${username} set default_transaction_read_only = on`),
  );
  try {
    const reader = await connect(hosts("read-write"));
    assert.equal(
      [reader.readOnly, reader.host.host],
      [true, "127.0.0.1"],
      "the first host that answers is used for reading",
    );
    await reader.close();
    const primary = await connect(hosts("primary"));
    assert.is(primary.standby, false);
    await primary.close();
  } finally {
    await withAdminConnection(server.url, async (sql) => {
      await sql.unsafe("set default_transaction_read_only = off");
      await sql.unsafe(`alter role ${username} reset default_transaction_read_only`);
    });
  }
});

/** Starts a server that answers the TLS request with these bytes. `answers` has one for each connection, in order. */
async function openLiar(...answers: readonly string[]) {
  const sockets: Socket[] = [], closed: Promise<unknown>[] = [], heard: number[] = [];
  const server = createServer((socket) => {
    const answer = answers[sockets.push(socket) - 1] ?? "";
    closed.push(new Promise((resolve) => socket.once("close", resolve)));
    socket.on("error", () => {}).on("data", (bytes) => {
      heard.push(bytes.length);
      if (answer === "") socket.end();
      else socket.write(heard.length === 1 ? answer : "no TLS at all");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address() as { port: number };
  return {
    url: (sslmode: string) => `postgres://me@127.0.0.1:${address.port}/x?sslmode=${sslmode}`,
    heard,
    closed,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const open = (url: string) => {
  const address = resolveDatabaseAddress(url);
  return openTransport(address, address.hosts[0]!);
};

test("refuses a server without required TLS, and data before TLS", async () => {
  for (
    const [answer, reason] of [["N", /does not support TLS/], ["SX", /data before TLS/], [
      "",
      /closed immediately/,
    ]] as const
  ) {
    const liar = await openLiar(answer);
    assert.match((await rejection(open(liar.url("require")).ready)).message, reason);
    await Promise.all(liar.closed);
    await liar.close();
  }
});

test("connects again without TLS if preferred TLS fails", async () => {
  for (const answer of ["E", "S"]) {
    const liar = await openLiar(answer, "unused"), { ready, cut } = open(liar.url("prefer"));
    assert.is((await ready).destroyed, false);
    await until(() => liar.closed.length === 2);
    assert.is(liar.heard[0], 8, "TLS was requested");
    cut();
    await Promise.all(liar.closed);
    await liar.close();
  }
});

test("closes its sockets when cut at any moment", async ({ server: { url } }) => {
  const liar = await openLiar();
  const early = open(liar.url("require"));
  early.cut();
  assert.instance(await rejection(early.ready), Error);
  await liar.close();
  const late = open(at(url, "127.0.0.1", { sslmode: "require" })), socket = await late.ready;
  const closed = new Promise((resolve) => socket.once("close", resolve));
  socket.removeAllListeners("error");
  late.cut();
  socket.emit("error", new Error("An error that comes late ends nothing"));
  await closed;
});

test.run();
