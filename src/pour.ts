/** Sends a body while it is made: straight into the socket, for a stream is many small writes to thousands of readers. */
import type { ServerResponse } from "node:http";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { Answer, Flow } from "#lib/surface/http/answer.ts";
import type { RequestTurn } from "./connections.ts";

/** A client that takes nothing is cut off as with any other answer, from when it has to take something. */
export function pour(
  { status, headers }: Answer,
  body: Flow,
  outgoing: ServerResponse,
  { made, taken }: RequestTurn,
): Response {
  outgoing.writeHead(status, headers);
  const write = (bytes: Uint8Array): void | Promise<void> => {
    if (outgoing.write(bytes)) return;
    made();
    return new Promise((resolve) => {
      const go = () => {
        outgoing.off("drain", go).off("close", go);
        taken();
        resolve();
      };
      outgoing.on("drain", go).on("close", go);
    });
  };
  void body.run(write).then(() => outgoing.end());
  return RESPONSE_ALREADY_SENT;
}
