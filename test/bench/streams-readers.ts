/** Reads event streams in a separate process over many connections, and records when each receives each event.
 *
 * The parent sends the port and the tokens. This process sends "ready" when all connections follow the stream. Then it
 * sends the times of each event that all connections received, in milliseconds since the epoch. */
import { connect } from "node:net";

export interface StreamReaderOptions {
  readonly port: number;
  readonly path: string;
  readonly tokens: readonly string[];
  /** The number of streams per token. */
  readonly each: number;
}

export type StreamReaderMessage = "ready" | { readonly number: number; readonly at: readonly number[] };

const AT_ONCE = 32; // connections opened in parallel

const sendToParent = (what: StreamReaderMessage) => process.send!(what);

async function followAll({ port, path, tokens, each }: StreamReaderOptions): Promise<void> {
  const all = tokens.flatMap((token) => Array.from({ length: each }, () => token)), heard = new Map<number, number[]>();
  const onEvent = (number: number, at: number) => {
    const times = heard.get(number) ?? [];
    heard.set(number, times);
    if (times.push(at) === all.length) sendToParent({ number, at: times });
  };
  let next = 0;
  await Promise.all(Array.from({ length: AT_ONCE }, async () => {
    while (next < all.length) await follow(port, path, all[next++]!, onEvent);
  }));
  sendToParent("ready");
}

/** Opens a stream. Settles when it receives its first comment. */
function follow(port: number, path: string, token: string, onEvent: (number: number, at: number) => void) {
  return new Promise<void>((resolve, reject) => {
    const socket = connect({ host: "127.0.0.1", port, noDelay: true });
    const head =
      `GET ${path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${token}\r\naccept: text/event-stream\r\n\r\n`;
    let begun = false, following = false;
    socket.once("connect", () => socket.write(head));
    socket.on("data", (bytes: Buffer) => {
      const at = performance.timeOrigin + performance.now(), text = bytes.toString("latin1");
      if (!begun && !text.startsWith("HTTP/1.1 200 ")) return fail(new Error(text.slice(0, 200)));
      begun = true;
      if (!following && text.includes(": following")) {
        following = true;
        resolve();
      }
      for (const [, number] of text.matchAll(/^id: (\d+)$/gm)) onEvent(Number(number), at);
    });
    const fail = (error?: Error) => reject(new Error("There is no stream", { cause: error }));
    socket.once("error", fail);
    socket.once("close", () => following ? process.exit(1) : fail());
  });
}

process.once("message", (following: StreamReaderOptions) => void followAll(following));
process.once("disconnect", () => process.exit());
