/**
 * Whose request it is. A socket's peer cannot be made up, a header can: X-Forwarded-For is believed only as far as
 * trusted proxies wrote it. Each appends the peer that it saw, so it is read from the right.
 */
import { formatAddress, type Network, parseAddress, parseNetwork } from "#lib/limits/address.ts";

/** Finds the client's address from the socket's peer and X-Forwarded-For; empty when the socket tells no address. */
export type FindClient = (peer: string, forwarded: string | null) => string;

/** `trusted` are CIDRs. */
export function clientFinder(trusted: readonly string[]): FindClient {
  const networks = trusted.map(parseNetwork);
  return function find(peer, forwarded) {
    let client = parseAddress(peer);
    const hops = forwarded?.split(",") ?? [];
    while (client !== null && isTrusted(client, networks)) {
      const next = parseAddress(withoutPort(hops.pop() ?? ""));
      if (next === null) break; // nobody before it, or something unreadable: the last proxy is all that is known
      client = next;
    }
    return client === null ? "" : formatAddress(client);
  };
}

function isTrusted(address: bigint, networks: readonly Network[]): boolean {
  return networks.some((holds) => holds(address));
}

/** Some proxies write `203.0.113.7:4711` or `[2001:db8::1]:4711`. */
function withoutPort(hop: string): string {
  const text = hop.trim();
  return /^\[(.+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
}
