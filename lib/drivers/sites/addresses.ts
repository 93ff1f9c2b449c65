/** Decides to which IP addresses the control plane may send requests for a site. The DNS records belong to customers. */
import { BlockList, isIP } from "node:net";

/** Ranges that an ingress controller in a private network can have. */
const isPrivate = createRanges(["10.0.0.0/8", "100.64.0.0/10", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"]);
/** Ranges that never belong to a site: this host, link-local addresses with cloud metadata, multicast and examples. */
const isForbidden = createRanges([
  ...["0.0.0.0/8", "127.0.0.0/8", "169.254.0.0/16", "192.0.0.0/24", "192.0.2.0/24", "198.18.0.0/15"],
  ...["198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4"],
  ...["192.88.99.0/24", "::/96", "::ffff:0:0/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23"],
  ...["2001:db8::/32", "2002::/16", "3fff::/20", "5f00::/16", "fe80::/10", "fec0::/10", "ff00::/8"],
]);

/** Creates a test for ranges (CIDRs, or single addresses). IPv4 has its own list, because Node.js compares IPv4 addresses with `::ffff:0:0/96` too. */
export function createRanges(ranges: readonly string[]): (address: string) => boolean {
  let lists: Record<4 | 6, BlockList> | undefined; // created at the first test, which makes the program start faster
  return (address) => {
    const family = isIP(address);
    lists ??= createBlockLists(ranges);
    return family !== 0 && lists[family as 4 | 6].check(address, `ipv${family as 4 | 6}`);
  };
}

function createBlockLists(ranges: readonly string[]): Record<4 | 6, BlockList> {
  const lists = { 4: new BlockList(), 6: new BlockList() };
  for (const range of ranges) {
    const [address = "", prefix] = range.split("/"), family = isIP(address) as 4 | 6;
    const bits = prefix === undefined ? { 4: 32, 6: 128 }[family] : Number(prefix);
    lists[family].addSubnet(address, bits, `ipv${family}`);
  }
  return lists;
}

export function isPublicAddress(address: string): boolean {
  return isIP(address) !== 0 && !isForbidden(address) && !isPrivate(address);
}

/**
 * Returns the address to connect to, IPv4 first. A private address is allowed only if it is an address of the site's
 * own ingress. Returns null if no address is allowed.
 */
export function selectAddress(addresses: readonly string[], ingress: readonly string[]): string | null {
  const allowed = addresses.filter((address) =>
    isPublicAddress(address) || isPrivate(address) && ingress.includes(address)
  );
  return allowed.find((address) => isIP(address) === 4) ?? allowed[0] ?? null;
}
