/** Runs a TCP proxy in front of a server. A test can use it to cut or freeze connections, or to delay certain data. */
import { randomInt } from "node:crypto";
import { connect, createServer, type Server, type Socket } from "node:net";
import { until } from "#test/support/until.ts";

export interface TcpProxy {
  /** The original URL, but with the proxy's host and port. */
  readonly url: string;
  /** The number of connections to the proxy so far. */
  readonly made: number;
  /** Calls the watcher with each piece of data from the client. If the watcher returns false, the proxy forwards the
   * piece, but drops the server's response. */
  watch(watcher: (bytes: Uint8Array) => boolean): void;
  /** Holds back the next piece of data that matches, and all later data from the client on the same connection. */
  hold(matches: (text: string) => boolean): HeldData;
  /** Stops all traffic on the open connections, but does not close them. */
  freeze(): void;
  /** Stops all traffic like `freeze`, and also accepts new connections, which hang until `heal` is called. */
  stall(): void;
  /** Rejects new connections. Open connections continue. */
  refuse(): void;
  /** Closes all open connections immediately. */
  cut(): void;
  /** Ends the server's side of all connections. The client's side stays open until the client closes it. */
  endHalf(): void;
  /** Ends `freeze`, `stall` and `refuse`. The proxy then delivers the delayed data. */
  heal(): Promise<void>;
  close(): Promise<void>;
}

/** Data that the proxy holds back for the test. */
export interface HeldData {
  /** Resolves with the held data as soon as matching data arrives. */
  readonly caught: Promise<string>;
  /** Delivers the data, even if the sender disconnected. Resolves with the server's first response. */
  release(): Promise<string>;
  /** Delivers the data and lets the connection continue, so that the sender receives the response. */
  pass(): Promise<void>;
  /** Stops waiting for data that matches. */
  forget(): void;
}

interface Pair {
  readonly near: Socket;
  readonly far: Socket;
  /** The data that the proxy holds back on this connection, even after the sender disconnected. */
  held: Uint8Array[] | null;
}

export async function openProxy(url: string): Promise<TcpProxy> {
  const target = new URL(url);
  const pairs = new Set<Pair>();
  const holds = new Set<(pair: Pair, bytes: Uint8Array) => boolean>();
  const waiting = new Set<Socket>(); // accepted while stalled, not yet connected to the server
  let made = 0, stalled = false, refusing = false;
  let watcher: (bytes: Uint8Array) => boolean = () => true;
  let server = createServer(accept);

  function accept(near: Socket): void {
    made++;
    near.on("error", () => {}); // "close" follows
    if (!stalled) return pass(near);
    near.pause();
    waiting.add(near);
  }

  function pass(near: Socket): void {
    const far = connect(Number(target.port || 5432), target.hostname);
    const pair: Pair = { near, far, held: null };
    pairs.add(pair);
    let answers = true;
    near.on("data", (bytes: Uint8Array) => {
      if (pair.held) return void pair.held.push(bytes);
      for (const hold of holds) if (hold(pair, bytes)) return;
      answers &&= watcher(bytes);
      far.write(bytes);
    });
    far.on("data", (bytes) => answers && !pair.held && near.write(bytes));
    far.on("error", () => {});
    near.on("close", () => {
      if (pair.held) return;
      pairs.delete(pair);
      far.destroy();
    });
    far.on("close", () => {
      pairs.delete(pair);
      near.destroy();
    });
  }

  function hold(matches: (text: string) => boolean): HeldData {
    const caught = Promise.withResolvers<string>();
    let found: Pair | null = null;
    const catching = (pair: Pair, bytes: Uint8Array): boolean => {
      const text = Buffer.from(bytes).toString("latin1");
      if (!matches(text)) return false;
      holds.delete(catching);
      pair.held = [bytes];
      found = pair;
      caught.resolve(text);
      return true;
    };
    holds.add(catching);
    return {
      caught: caught.promise,
      forget: () => void holds.delete(catching),
      async pass() {
        await caught.promise;
        for (const bytes of found!.held!) found!.far.write(bytes);
        found!.held = null;
      },
      async release() {
        await caught.promise;
        const { far, held } = found!;
        const answered = new Promise<string>((resolve, reject) => {
          far.once("data", (bytes: Uint8Array) => resolve(Buffer.from(bytes).toString("latin1")));
          far.once("close", () => reject(new Error("The server closed the connection that was held back")));
        });
        for (const bytes of held!) far.write(bytes);
        return await answered.finally(() => far.destroy());
      },
    };
  }

  const both = (act: (socket: Socket) => void) => pairs.forEach(({ near, far }) => (act(near), act(far)));
  const cut = () => {
    for (const pair of pairs) {
      pair.near.destroy();
      if (!pair.held) pair.far.destroy();
    }
    for (const near of waiting) near.destroy();
    waiting.clear();
  };
  const port = await listenSomewhere(server);

  return {
    url: Object.assign(new URL(url), { hostname: "127.0.0.1", port: String(port) }).href,
    get made() {
      return made;
    },
    watch: (next) => watcher = next,
    hold,
    freeze: () => both((socket) => socket.pause()),
    stall() {
      stalled = true;
      both((socket) => socket.pause());
    },
    refuse() {
      refusing = true;
      server.close();
    },
    cut,
    endHalf: () => pairs.forEach(({ near }) => near.end()),
    async heal() {
      stalled = false;
      both((socket) => socket.resume());
      for (const near of waiting) {
        waiting.delete(near);
        if (!near.destroyed) pass(near), near.resume();
      }
      if (!refusing) return;
      refusing = false;
      await until(async () => {
        server = createServer(accept);
        // Returns false if the proxy cannot listen, because old connections still occupy the port.
        return await listen(server, port).then(() => true, () => false);
      });
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve)); // passes an error if it is already closed
      cut();
      both((socket) => socket.destroy());
      await closed;
    },
  };
}

/** Listens on a random port below 32768 and returns the port number. Avoids the ephemeral ports: an outgoing connection
 * could take the proxy's port while the proxy refuses connections. */
async function listenSomewhere(server: Server): Promise<number> {
  return await until(async () => {
    const port = randomInt(15_000, 32_000);
    return await listen(server, port).then(() => port, () => false as const);
  });
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => {
      server.off("error", reject);
      resolve();
    });
  });
}
