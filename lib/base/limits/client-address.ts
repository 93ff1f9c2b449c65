/**
 * Finds the client's IP address behind proxies. Clients can forge X-Forwarded-For, so only entries that trusted proxies
 * added are used. Each proxy appends its peer's address, so the header is read from right to left.
 */
import { isIP } from "node:net";
import { formatIpAddress, parseCidrNetworks, parseIpAddress } from "#lib/base/limits/address.ts";
import { type Log, SILENT_LOG } from "#lib/base/log.ts";

/** Returns the client's IP address for a socket's peer address and X-Forwarded-For. Empty without a peer address. */
type FindClient = (peer: string, forwarded: string | null) => string;

/**
 * Creates a function that finds the client's address. `trusted` lists the trusted proxies as CIDRs. The first untrusted
 * peer that sends X-Forwarded-For is logged, because it may be a proxy missing from TRUSTED_PROXIES. Later peers are
 * not logged, so that nobody can flood the log.
 */
export function createClientAddressFinder(trusted: readonly string[], log: Log = SILENT_LOG): FindClient {
  const isTrusted = parseCidrNetworks(trusted);
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
      if (next === null) break; // without a valid entry, the last proxy counts as the client
      client = next;
    }
    return client === null ? "" : formatIpAddress(client);
  };
}

function untrustedProxyMessage(peer: string): string {
  return `${peer} sends X-Forwarded-For and is not in TRUSTED_PROXIES, so the header is ignored. All clients behind ` +
    `${peer} share one sign-in limit, and the audit log shows ${peer}. If it is your proxy, add it to TRUSTED_PROXIES`;
}

/** Removes the port that some proxies append to an address: `203.0.113.7:4711`, `[2001:db8::1]:4711`. */
function withoutPort(hop: string): string {
  const text = hop.trim();
  return /^\[(.+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
}
