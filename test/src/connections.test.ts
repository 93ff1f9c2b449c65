import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type ConnectionLimits, openConnectionLimiter, type RunningRequest } from "#src/connections.ts";
import { openRawConnection, type RawConnection } from "#test/support/socket.ts";
import { until } from "#test/support/until.ts";

const test = suite("openConnectionLimiter");

type Work = (outgoing: ServerResponse, turn: RunningRequest) => void;

/** Starts a server that handles each request with this function, and counts the started requests. */
async function open(bounds: Partial<ConnectionLimits>, work: Work) {
  const connections = openConnectionLimiter({ maxConnections: 100, checkInterval: 10, ...bounds });
  const begun: ServerResponse[] = [];
  const server = createServer((incoming, outgoing) =>
    connections.enqueue(incoming, outgoing, (turn) => {
      begun.push(outgoing);
      work(outgoing, turn);
    })
  );
  server.on("connection", connections.admit);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const clients: RawConnection[] = [];
  return {
    begun,
    connections,
    connect() {
      const client = openRawConnection((server.address() as AddressInfo).port);
      clients.push(client);
      return client;
    },
    async close() {
      for (const { socket } of clients) socket.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      connections.close();
    },
  };
}

/** Sends a request, and returns all bytes until the connection ends. */
function refused(client: RawConnection): Promise<string> {
  client.write(requests(1));
  return client.closed;
}

const requests = (count: number) => "GET / HTTP/1.1\r\nHost: x\r\n\r\n".repeat(count);

test("runs eight requests of a connection at the same time, and starts the next after an answer", async () => {
  const { begun, connect, close } = await open({}, () => {});
  const client = connect();
  client.write(requests(20));
  await until(() => begun.length > 0);
  assert.is(begun.length, 8);
  begun[0]!.end("first");
  await until(() => begun.length > 8);
  assert.is(begun.length, 9);
  await close();
});

test("closes a connection whose queue is full, and starts none of its new requests", async () => {
  const { begun, connect, close, connections } = await open({}, () => {});
  const client = connect();
  client.write(requests(41));
  await client.closed;
  assert.is(begun.length, 8);
  await connections.idle(); // what was begun counts no longer
  await close();
});

test("starts no request on a connection whose client does not read its answers", async () => {
  const large = "x".repeat(2 ** 24); // more than the network holds
  const { begun, connect, close } = await open({}, (outgoing) => void outgoing.end(large));
  const client = connect();
  client.socket.pause();
  client.write(requests(6));
  await until(() => begun.length > 0);
  const other = connect();
  other.write(requests(1));
  await other.received(/x{1000}/);
  assert.ok(begun.length <= 3, `${begun.length} were begun`); // a runtime may count what it writes one answer late
  client.socket.resume();
  await until(() => begun.length === 7);
  await close();
});

test("closes a connection that reads an answer too slowly, but not one that waits for an answer", async () => {
  const large = "x".repeat(2 ** 24); // more than the network holds
  const { begun, connect, close } = await open({ readTimeout: 50 }, (outgoing, { startReadTimer: made }) => {
    if (begun.length === 1) return; // the first waits for its answer
    outgoing.end(large);
    made();
  });
  const waiting = connect(), taking = connect(), refusing = connect();
  waiting.write(requests(1));
  await until(() => begun.length === 1);
  refusing.socket.pause();
  refusing.write(requests(1));
  taking.write(requests(1));
  await taking.received(/x{1000}/);
  await until(() => begun[1]!.destroyed);
  begun[0]!.end("late");
  assert.match(await waiting.received(/late/), "200 OK");
  await close();
});

test("limits a network to a quarter of the connections, but not a proxy", async () => {
  const many = await open({ maxConnections: 8 }, (outgoing) => void outgoing.end("hello"));
  const accepted = [many.connect(), many.connect()];
  for (const client of accepted) {
    client.write(requests(1));
    await client.received(/hello/);
  }
  assert.is(await refused(many.connect()), "");
  accepted[0]!.socket.destroy();
  await accepted[0]!.closed;
  await until(async () => {
    const client = many.connect();
    client.write(requests(1));
    return await client.received(/hello/).catch(() => false);
  });
  await many.close();

  const proxied = await open(
    { maxConnections: 3, isProxy: (address) => address === "127.0.0.1" },
    (outgoing) => void outgoing.end("hello"),
  );
  for (let i = 0; i < 3; i++) {
    const client = proxied.connect();
    client.write(requests(1));
    await client.received(/hello/);
  }
  assert.is(await refused(proxied.connect()), "");
  await proxied.close();
});

test.run();
