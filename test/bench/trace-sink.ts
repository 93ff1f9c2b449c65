/** Runs a trace collector that accepts everything and discards it: `node test/bench/trace-sink.ts PORT`. */
import { createServer } from "node:http";

const server = createServer((request, response) => {
  request.resume().on("end", () => response.writeHead(200, { "content-type": "application/json" }).end("{}"));
});
const port = Number(process.argv[2]);
server.listen(port, "127.0.0.1", () => console.log(`Listening on 127.0.0.1:${port}`));
