/**
 * Decides to which URLs webhooks may be sent. Users choose the URLs and control their DNS records, so a URL is checked
 * when it is stored and again before each connection, which then uses only the address that was checked.
 */
import { isIP } from "node:net";
import { createRanges, isPublicAddress } from "#lib/drivers/sites/addresses.ts";

/** A receiver's address, or the reason why nothing may be sent to it. */
export type ReceiverCheck =
  | { readonly address: string; readonly host: string }
  | { readonly refused: string };

export interface ReceiverRules {
  /** Returns the IP addresses of a host name. Rejects if no DNS server responds. */
  readonly lookUp: (host: string, signal?: AbortSignal) => Promise<readonly string[]>;
  /** The networks in WEBHOOK_NETWORKS, to which webhooks may be sent although they are not public. */
  readonly allowedNetworks: readonly string[];
}

const LOOPBACK = ["127.0.0.1", "::1"];

/** Returns why a URL can never be a receiver, or null. Sends no DNS query. */
export function findUrlProblem(text: string): string | null {
  const url = URL.parse(text);
  if (!url || !["http:", "https:"].includes(url.protocol)) return "must be an https URL";
  if (url.username !== "" || url.password !== "") return "must not contain a user or password";
  if (url.hash !== "") return "must not contain a fragment (#)";
  return null;
}

/** Looks up a receiver's host. All its addresses must be allowed, or nothing is sent. */
export async function checkReceiver(
  url: URL,
  { lookUp, allowedNetworks }: ReceiverRules,
  signal?: AbortSignal,
): Promise<ReceiverCheck> {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const addresses = isIP(host) !== 0 ? [host] : isLocalName(host) ? LOOPBACK : await lookUp(host, signal);
  const isInside = createRanges(allowedNetworks);
  const refused = addresses.find((address) => !isPublicAddress(address) && !isInside(address));
  if (refused !== undefined) return { refused: "its address is private, local or reserved" };
  const address = addresses.find((each) => isIP(each) === 4) ?? addresses[0];
  if (address === undefined) return { refused: "its host name has no DNS record" };
  if (url.protocol !== "https:" && !addresses.every(isInside)) return { refused: "it does not use https" };
  return { address, host };
}

/** Returns whether the name belongs to this host (RFC 6761). DNS servers need not know such names. */
function isLocalName(host: string): boolean {
  return /(?:^|\.)localhost\.?$/.test(host);
}
