/**
 * Who is kept out: browsers that a page of another site has sent. The simulated cluster asks for no credentials, so without
 * this such a page could write here: by a form, or under a host name of its own that it lets point to this machine.
 */
import type { IncomingMessage } from "node:http";
import { refuseUnreadable } from "#lib/dev/simulator/api/options.ts";
import { Refusal } from "#lib/dev/simulator/refusal.ts";

/** Names that no name server gives away. Any port is fine: one may be forwarded to ours. */
const HERE = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i;

/** Throws 403, before anything of the request is looked at, and 415 for what a form can send, as the API itself does. */
export function refuseForeign({ method, headers }: IncomingMessage): void {
  if (!HERE.test(headers.host ?? "")) {
    throw new Refusal(403, "Forbidden", "The simulated cluster answers only to localhost, 127.0.0.1 and [::1]");
  }
  const { origin, "sec-fetch-site": site = "none" } = headers;
  const foreign = origin !== undefined && origin !== `http://${headers.host}`;
  if (foreign || (site !== "none" && site !== "same-origin")) {
    throw new Refusal(403, "Forbidden", "A page of another site may not use the simulated cluster");
  }
  if (method === "POST") refuseUnreadable(headers["content-type"] ?? "");
}
