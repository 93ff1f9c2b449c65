/** Implements a peer with only node:http: it writes each notification of the database to all clients. */
import { createHash } from "node:crypto";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import postgres from "postgres";
import { CALLER } from "./sql.ts";

const sql = postgres(process.env.DATABASE_URL!, { max: Number(process.env.POOL) });
const readers = new Set<ServerResponse>();

await sql.listen("fan_out", (payload) => {
  const { id, type } = JSON.parse(payload), frame = `id: ${id}\nevent: ${type}\ndata: ${payload}\n\n`;
  for (const reader of readers) reader.write(frame);
});

const server = createServer(async (request, response) => {
  const token = request.headers.authorization!.slice("Bearer ".length);
  const [caller] = await sql.unsafe(CALLER, [createHash("sha256").update(token).digest()], { prepare: true });
  if (!caller) return void response.writeHead(401).end();
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
  response.write(": following\n\n");
  readers.add(response);
  response.once("close", () => readers.delete(response));
});
server.listen(0, "127.0.0.1", () => console.log(`Listening on 127.0.0.1:${(server.address() as AddressInfo).port}`));
