/** Streams a response body to a client. Writes directly to the socket, because streams send many small chunks. */
import type { ServerResponse } from "node:http";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { BodyStream, HttpResponse } from "#lib/http/response.ts";
import type { RunningRequest } from "./connections.ts";

/** Sends the body as it is produced. While the socket's buffer is full, the client's time to read is limited. */
export function streamBody(
  { status, headers }: HttpResponse,
  body: BodyStream,
  outgoing: ServerResponse,
  { startReadTimer: made, stopReadTimer: taken, sent }: RunningRequest,
): Response {
  outgoing.cork(); // sends the headers and the first chunk together
  outgoing.writeHead(status, headers).flushHeaders();
  const write = (bytes: Uint8Array): void | Promise<void> => {
    // Writes directly to the socket if one is assigned, because `outgoing.write` needs four writes for each chunk.
    const socket = outgoing.chunkedEncoding ? outgoing.socket : null, to = socket ?? outgoing;
    if (socket ? socket.write(toHttpChunk(bytes)) : outgoing.write(bytes)) return;
    made();
    return new Promise((resolve) => {
      const resume = () => {
        to.off("drain", resume).off("close", resume);
        taken();
        resolve();
      };
      to.on("drain", resume).on("close", resume);
    });
  };
  void sent.then(() => body.cancel());
  body.run(write).then(() => outgoing.end(), () => outgoing.destroy());
  outgoing.uncork();
  return RESPONSE_ALREADY_SENT;
}

const chunks = new WeakMap<Uint8Array, Uint8Array>();

/** Returns the bytes as an HTTP/1.1 chunk. Caches the chunk, because many clients receive the same bytes. */
function toHttpChunk(bytes: Uint8Array): Uint8Array {
  const cached = chunks.get(bytes);
  if (cached) return cached;
  const chunk = Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from("\r\n")]);
  chunks.set(bytes, chunk);
  return chunk;
}
