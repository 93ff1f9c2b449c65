/** Implements a keep-alive connection for the load generator: one request at a time, with only the HTTP features that
 * these servers use. */
import { connect } from "node:net";

export interface HttpReply {
  readonly status: number;
  readonly body: Buffer;
}

export interface Connection {
  /** Sends a request unchanged and calls back with the response. Must not be called before the previous response. */
  send(request: Buffer, done: (reply: HttpReply) => void): void;
  /** Rejects when the connection fails or the server closes it. */
  readonly broken: Promise<never>;
  close(): void;
}

export async function openConnection(port: number): Promise<Connection> {
  const socket = connect({ host: "127.0.0.1", port, noDelay: true });
  const opened = Promise.withResolvers<void>(), broken = Promise.withResolvers<never>();
  let read = createResponseReader(), waiting: ((reply: HttpReply) => void) | null = null, closed = false;
  broken.promise.catch(() => {});
  socket.once("connect", opened.resolve);
  socket.on("error", (error) => (opened.reject(error), broken.reject(error)));
  socket.on("close", () => closed || broken.reject(new Error("The server closed a connection")));
  socket.on("data", (chunk: Buffer) => {
    const reply = read(chunk);
    if (!reply) return;
    const done = waiting!;
    waiting = null;
    read = createResponseReader();
    done(reply);
  });
  await opened.promise;
  return {
    broken: broken.promise,
    send(request, done) {
      waiting = done;
      socket.write(request);
    },
    close() {
      closed = true;
      socket.destroy();
    },
  };
}

/** Returns a function that takes the chunks of a response. It returns the response with the last chunk, and null
 * before. */
export function createResponseReader(): (chunk: Buffer) => HttpReply | null {
  let buffer: Buffer = Buffer.alloc(0), head: Head | null = null;
  return (chunk) => {
    buffer = buffer.length === 0 ? chunk : Buffer.concat([buffer, chunk]);
    head ??= readHead(buffer);
    if (!head) return null;
    const { status, start, length } = head;
    if (length !== null) {
      return buffer.length < start + length ? null : { status, body: buffer.subarray(start, start + length) };
    }
    return buffer.subarray(-5).equals(LAST_CHUNK) ? { status, body: join(buffer.subarray(start)) } : null;
  };
}

interface Head {
  readonly status: number;
  /** The offset of the body. */
  readonly start: number;
  /** The length of the body in bytes. Null if it is chunked. */
  readonly length: number | null;
}

const LAST_CHUNK = Buffer.from("0\r\n\r\n");

function readHead(buffer: Buffer): Head | null {
  const end = buffer.indexOf("\r\n\r\n");
  if (end < 0) return null;
  const text = buffer.toString("latin1", 0, end), [, length] = /\r\ncontent-length: *(\d+)/i.exec(text) ?? [];
  return { status: Number(text.slice(9, 12)), start: end + 4, length: length === undefined ? null : Number(length) };
}

function join(chunks: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < chunks.length;) {
    const end = chunks.indexOf("\r\n", at), size = parseInt(chunks.toString("latin1", at, end), 16);
    if (!(size > 0)) break;
    parts.push(chunks.subarray(end + 2, end + 2 + size));
    at = end + 2 + size + 2;
  }
  return Buffer.concat(parts);
}
