/** How an answer leaves: whole and at once, unless a fault cuts it off, lets it hang, or draws it out. */
import type { ServerResponse } from "node:http";
import type { Hit } from "#lib/dev/simulator/faults.ts";
import type { Timers } from "#lib/dev/simulator/timers.ts";
import type { Json } from "#lib/dev/simulator/object.ts";

export interface Outgoing {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly text: string;
}

export function jsonOf(status: number, body: Json, headers: Outgoing["headers"] = {}): Outgoing {
  return { status, headers: { "content-type": "application/json", ...headers }, text: JSON.stringify(body) + "\n" };
}

export function send(response: ServerResponse, outgoing: Outgoing, hit?: Hit, timers?: Timers): void {
  const { status, headers = {}, text } = outgoing;
  const bytes = Buffer.from(text), broken = hit?.broken, trickle = hit?.trickle;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  if (!broken?.chunked) response.setHeader("content-length", bytes.length);
  response.statusCode = status;
  if (broken?.at === "done") return end(response, broken.how);
  if (broken) {
    // Told to go out before the connection ends, or it would end without having said anything.
    response.flushHeaders();
    const piece = broken.at === "body" ? bytes.subarray(0, Math.floor(bytes.length / 2)) : bytes.subarray(0, 0);
    if (piece.length === 0) return void setImmediate(() => end(response, broken.how));
    return void response.write(piece, () => end(response, broken.how));
  }
  if (!trickle || !timers) return void response.end(bytes);
  const drop = (from: number): void => {
    if (response.destroyed) return;
    if (from >= bytes.length) return void response.end();
    response.write(bytes.subarray(from, from + trickle.bytes));
    timers.after(trickle.ms, () => drop(from + trickle.bytes));
  };
  response.flushHeaders();
  timers.after(trickle.ms, () => drop(0));
}

/** A connection that hangs stays open until the client, or the end of the cluster, closes it. */
export function end(response: ServerResponse, how: "cut" | "hang"): void {
  if (how === "cut") response.socket?.destroy();
}
