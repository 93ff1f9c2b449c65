/** A TCP proxy between a test and a server, for a network that is cut, frozen, or closes at the worst moment. */
import { connect, createServer, type Socket } from "node:net";

export interface Proxy {
  /** The given address, but through the proxy. */
  readonly url: string;
  /** Connections that were made through it so far. */
  readonly made: number;
  /** Called with whatever the client sends; what it returns false for is sent on, but is never answered. */
  watch(watcher: (bytes: Uint8Array) => boolean): void;
  /** No byte passes any more on the connections that stand; nobody is told. */
  freeze(): void;
  /** Takes no new connection from here on; those that stand go on. */
  refuse(): void;
  /** Closes all connections. */
  cut(): void;
  close(): Promise<void>;
}

export async function openProxy(url: string): Promise<Proxy> {
  const target = new URL(url);
  const pairs = new Set<[Socket, Socket]>();
  let made = 0;
  let watcher: (bytes: Uint8Array) => boolean = () => true;
  const server = createServer((near) => {
    made++;
    const far = connect(Number(target.port || 5432), target.hostname);
    const pair: [Socket, Socket] = [near, far];
    pairs.add(pair);
    let answers = true;
    near.on("data", (bytes: Uint8Array) => {
      answers &&= watcher(bytes);
      far.write(bytes);
    });
    far.on("data", (bytes) => answers && near.write(bytes));
    for (const [one, other] of [[near, far], [far, near]] as const) {
      one.on("error", () => {}); // "close" follows
      one.on("close", () => (pairs.delete(pair), other.destroy()));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  const cut = () => pairs.forEach(([near, far]) => (near.destroy(), far.destroy()));
  return {
    url: Object.assign(new URL(url), { hostname: "127.0.0.1", port: String(port) }).href,
    get made() {
      return made;
    },
    watch: (next) => watcher = next,
    freeze: () => pairs.forEach((pair) => pair.forEach((socket) => socket.pause())),
    refuse: () => void server.close(),
    cut,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve)); // with an error where it is closed already
      cut();
      await closed;
    },
  };
}
