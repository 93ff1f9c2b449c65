/** Closing an HTTP server for good: open watches are cut, idle connections too. */
import type { Server } from "node:http";

export function closeServer(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.close((error) => error ? reject(error) : resolve());
    server.closeAllConnections();
  });
}
