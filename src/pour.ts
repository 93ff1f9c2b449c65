/** Sends a body while it is made: straight into the socket, for a stream is many small writes to thousands of readers. */
import type { ServerResponse } from "node:http";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { BodyStream, HttpResponse } from "#lib/http/response.ts";
import type { RequestTurn } from "./connections.ts";

/** A client that takes nothing is cut off as with any other answer, from when it has to take something. */
export function pour(
  { status, headers }: HttpResponse,
  body: BodyStream,
  outgoing: ServerResponse,
  { made, taken, sent }: RequestTurn,
): Response {
  outgoing.writeHead(status, headers).flushHeaders();
  const write = (bytes: Uint8Array): void | Promise<void> => {
    // Without a socket it is not its turn yet. With one, a chunk in one piece costs half of what it costs in Node's four.
    const socket = outgoing.chunkedEncoding ? outgoing.socket : null, to = socket ?? outgoing;
    if (socket ? socket.write(chunkOf(bytes)) : outgoing.write(bytes)) return;
    made();
    return new Promise((resolve) => {
      const go = () => {
        to.off("drain", go).off("close", go);
        taken();
        resolve();
      };
      to.on("drain", go).on("close", go);
    });
  };
  void sent.then(() => body.cancel());
  body.run(write).then(() => outgoing.end(), () => outgoing.destroy());
  return RESPONSE_ALREADY_SENT;
}

const chunks = new WeakMap<Uint8Array, Uint8Array>();

/** As HTTP/1.1 frames it; what is sent to many is framed once. */
function chunkOf(bytes: Uint8Array): Uint8Array {
  const known = chunks.get(bytes);
  if (known) return known;
  const chunk = Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from("\r\n")]);
  chunks.set(bytes, chunk);
  return chunk;
}
