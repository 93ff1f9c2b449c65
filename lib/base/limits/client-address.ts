/**
 * Finds the client's IP address behind proxies. X-Forwarded-For can be forged, so only the part that trusted proxies
 * wrote is used. Each proxy appends the address of its peer, so the header is read from the right.
 */
import { isIP } from "node:net";
import { formatIpAddress, parseIpAddress, parseNetworks } from "#lib/base/limits/address.ts";
import { type Log, silentLog } from "#lib/base/log.ts";

/** Finds the client's address from the socket's peer and X-Forwarded-For; empty if the socket has no address. */
type FindClient = (peer: string, forwarded: string | null) => string;

/**
 * Creates the function that finds the client's address. `trusted` are CIDRs. The first untrusted peer that sends the
 * header is logged, because it may be a proxy that is missing in TRUSTED_PROXIES. Later peers are not logged, so that
 * nobody can fill the log.
 */
export function createClientFinder(trusted: readonly string[], log: Log = silentLog): FindClient {
  const isTrusted = parseNetworks(trusted);
  let warned = false;
  return function find(peer, forwarded) {
    if (forwarded === null && isIP(peer) === 4) return peer;
    let client = parseIpAddress(peer);
    if (!warned && forwarded !== null && client !== null && !isTrusted(client)) {
      warned = true;
      log.warn(untrustedProxyMessage(formatIpAddress(client)));
    }
    const hops = forwarded?.split(",") ?? [];
    while (client !== null && isTrusted(client)) {
      const next = parseIpAddress(withoutPort(hops.pop() ?? ""));
      if (next === null) break; // the entry is missing or unreadable: the last proxy counts as the client
      client = next;
    }
    return client === null ? "" : formatIpAddress(client);
  };
}

function untrustedProxyMessage(peer: string): string {
  return `${peer} sends X-Forwarded-For and is not in TRUSTED_PROXIES, so the header is ignored: all its clients share ` +
    `one limit of sign-ins, and the audit log shows ${peer}. If it is your proxy, add it to TRUSTED_PROXIES`;
}

/** Removes the port that some proxies write: `203.0.113.7:4711`, `[2001:db8::1]:4711`. */
function withoutPort(hop: string): string {
  const text = hop.trim();
  return /^\[(.+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
}
