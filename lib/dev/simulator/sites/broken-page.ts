/** Breaks the public pages of a simulated site in the ways that the fault `broken-page` selects. */
import type { ServerResponse } from "node:http";
import { SITE_PAGE_HEADERS } from "#lib/dev/simulator/sites/pages.ts";
import type { SimulatorFault } from "#lib/dev/simulator/fault-types.ts";
import type { Json } from "#lib/dev/simulator/store/object.ts";
import type { Simulation } from "#lib/dev/simulator/simulation.ts";

type PageFault = Extract<SimulatorFault, { readonly type: "broken-page" }>;

/** The pause between two bytes of a page that trickles, in milliseconds. */
const TRICKLE_PAUSE = 20;

/** Returns the fault that breaks the pages of the site with this host; null if there is none. */
export function findPageFault(world: Simulation, hostHeader: string): PageFault | null {
  if (!world.faults.list().some(({ breakage }) => breakage.type === "broken-page")) return null;
  const host = hostHeader.replace(/:\d+$/, "").toLowerCase();
  const ingress = world.store.list("Ingress").find(({ spec }) => spec.rules?.some((rule: Json) => rule.host === host));
  return ingress ? world.faults.find("broken-page", ingress.metadata.namespace!, host) ?? null : null;
}

export function breakPage({ how, location, session }: PageFault, response: ServerResponse): void {
  switch (how) {
    case "hang":
      return;
    case "close":
      return void response.destroy();
    case "error":
      return void response.writeHead(500, SITE_PAGE_HEADERS).end("Error");
    case "other":
      return void response.writeHead(200, SITE_PAGE_HEADERS).end("<!doctype html><title>It works!</title>");
    case "redirect": {
      const cookie = session ? { "set-cookie": "MoodleSession=abc; path=/" } : {};
      return void response.writeHead(303, { ...cookie, location: location ?? "/" }).end();
    }
    case "endless":
      response.writeHead(200, SITE_PAGE_HEADERS);
      return writeForever(response, "x".repeat(16 * 1024));
    case "trickle":
      response.writeHead(200, SITE_PAGE_HEADERS);
      return trickle(response);
  }
}

/** Writes until the client closes the connection. */
function writeForever(response: ServerResponse, text: string): void {
  while (!response.destroyed && response.write(text));
  if (!response.destroyed) response.once("drain", () => writeForever(response, text));
}

function trickle(response: ServerResponse): void {
  const timer = setInterval(() => response.write("x"), TRICKLE_PAUSE);
  response.on("close", () => clearInterval(timer));
}
