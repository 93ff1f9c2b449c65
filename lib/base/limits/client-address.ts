/**
 * Whose request it is. A socket's peer cannot be made up, a header can: X-Forwarded-For is believed only as far as
 * trusted proxies wrote it. Each appends the peer that it saw, so it is read from the right.
 */
import { isIP } from "node:net";
import { formatAddress, parseAddress, parseNetworks } from "#lib/base/limits/address.ts";
import { type Log, silentLog } from "#lib/base/log.ts";

/** Finds the client's address from the socket's peer and X-Forwarded-For; empty when the socket tells no address. */
type FindClient = (peer: string, forwarded: string | null) => string;

/**
 * `trusted` are CIDRs. A peer that sends the header without being one of them is told to the log, once: it may be a proxy
 * that was forgotten, and it may be anybody, who could fill a log with it.
 */
export function createClientFinder(trusted: readonly string[], log: Log = silentLog): FindClient {
  const isTrusted = parseNetworks(trusted);
  let warned = false;
  return function find(peer, forwarded) {
    if (forwarded === null && isIP(peer) === 4) return peer;
    let client = parseAddress(peer);
    if (!warned && forwarded !== null && client !== null && !isTrusted(client)) {
      warned = true;
      log.warn(untrustedProxyMessage(formatAddress(client)));
    }
    const hops = forwarded?.split(",") ?? [];
    while (client !== null && isTrusted(client)) {
      const next = parseAddress(withoutPort(hops.pop() ?? ""));
      if (next === null) break; // nobody before it, or something unreadable: the last proxy is all that is known
      client = next;
    }
    return client === null ? "" : formatAddress(client);
  };
}

function untrustedProxyMessage(peer: string): string {
  return `${peer} sends X-Forwarded-For and is not in TRUSTED_PROXIES, so the header is ignored: all its clients share ` +
    `one limit of sign-ins, and the audit log shows ${peer}. If it is your proxy, add it to TRUSTED_PROXIES`;
}

/** Some proxies write `203.0.113.7:4711` or `[2001:db8::1]:4711`. */
function withoutPort(hop: string): string {
  const text = hop.trim();
  return /^\[(.+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
}
