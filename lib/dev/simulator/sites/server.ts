/**
 * Serves web pages for the simulated sites, so that links to sites work in a browser. The host name in a site's Ingress
 * selects the site. Listens only on the loopback address, to which host names under `localhost` resolve.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { closeServer } from "#lib/dev/simulator/api/server.ts";
import { breakPage, findPageFault } from "#lib/dev/simulator/sites/broken-page.ts";
import { SITE_PAGE_HEADERS } from "#lib/dev/simulator/sites/pages.ts";
import { respondToSiteRequest } from "#lib/dev/simulator/sites/respond.ts";
import type { SiteResponse } from "#lib/dev/simulator/sites/sign-in.ts";
import type { Simulation } from "#lib/dev/simulator/simulation.ts";

export interface SiteServer {
  readonly port: number;
  close(): Promise<void>;
}

const LARGEST_FORM = 10_000; // bytes

/** Starts the web server for the simulated sites, on the preferred port or, if this port is in use, on a free port. */
export async function startSiteServer(world: Simulation, preferredPort: number): Promise<SiteServer> {
  const server = createServer({ requestTimeout: 10_000, headersTimeout: 10_000 }, (request, response) => {
    handleSiteRequest(world, request, response).catch((error) => {
      world.log.error("A request to a simulated site failed", { error });
      response.destroy();
    });
  });
  const listen = (port: number): Promise<void> =>
    new Promise((resolve, reject) => {
      server.once("error", reject);
      server.listen(port, "127.0.0.1", () => {
        server.off("error", reject);
        resolve();
      });
    });
  await listen(preferredPort).catch(() => listen(0));
  server.on("error", (error) => world.log.warn("A connection to a simulated site failed", { reason: error.message }));
  return { port: (server.address() as AddressInfo).port, close: () => closeServer(server) };
}

async function handleSiteRequest(world: Simulation, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await readForm(request);
  if (body === null) {
    if (request.complete) send(response, { status: 413, html: "", headers: { connection: "close" } });
    else response.destroy();
    return;
  }
  const { method = "GET", url = "/", headers } = request;
  const fault = findPageFault(world, headers.host ?? "");
  if (fault) return breakPage(fault, response);
  send(
    response,
    await respondToSiteRequest(world, {
      ...{ method, url, host: headers.host ?? "", cookie: headers.cookie ?? "" },
      form: new URLSearchParams(body),
    }),
  );
}

/** Reads the form in the request's body. Returns null if the form is too large or incomplete. */
async function readForm(request: IncomingMessage): Promise<string | null> {
  const parts: Buffer[] = [];
  let size = 0;
  try {
    for await (const part of request) {
      size += part.length;
      if (size <= LARGEST_FORM) parts.push(part); // drops the excess: the client can read the 413
    }
  } catch {
    return null;
  }
  return size > LARGEST_FORM ? null : Buffer.concat(parts).toString("utf8");
}

function send(response: ServerResponse, { status, html, headers = {} }: SiteResponse): void {
  response.writeHead(status, { ...SITE_PAGE_HEADERS, ...headers, "content-length": Buffer.byteLength(html) });
  response.end(html); // Node omits the body in responses to HEAD requests
}
