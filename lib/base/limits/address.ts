/** Parses IP addresses and networks into numbers, so that they can be compared. */
import { isIP } from "node:net";

/** An IP address as a 128-bit number. IPv4 addresses are mapped to IPv6, so that both notations are equal. */
export type IpAddress = bigint;

const IPV4_MAPPED_PREFIX = 0xffffn << 32n;

/** Parses an IP address. Ignores a zone such as `%eth0`. Returns null if the text is not an IP address. */
export function parseIpAddress(text: string): IpAddress | null {
  const plain = text.replace(/%.*$/, "");
  const family = isIP(plain);
  if (family === 4) return IPV4_MAPPED_PREFIX | parseIPv4(plain);
  return family === 6 ? parseIPv6(plain) : null;
}

function isIPv4(address: IpAddress): boolean {
  return address >> 32n === 0xffffn;
}

/** Formats an IP address in one canonical way: `203.0.113.7` or `2001:db8:0:0:0:0:0:1`. */
export function formatIpAddress(address: IpAddress): string {
  const parts = (count: number, bits: bigint) =>
    Array.from({ length: count }, (_, i) => (address >> (bits * BigInt(count - 1 - i))) & ((1n << bits) - 1n));
  if (isIPv4(address)) return parts(4, 8n).join(".");
  return parts(8, 16n).map((part) => part.toString(16)).join(":");
}

/**
 * Returns the network that counts as one caller: the IPv4 address itself, or the first `bits` bits of an IPv6 address.
 * The default is /48, the largest network that one customer usually has (RFC 6177). Other text is returned unchanged.
 */
export function getCallerNetwork(text: string, bits = 48): string {
  if (isIP(text) === 4) return text;
  const address = parseIpAddress(text);
  if (address === null || isIPv4(address)) return text;
  return `${(address >> BigInt(128 - bits)).toString(16)}/${bits}`;
}

type Network = (address: IpAddress) => boolean;

/** Parses a single address or a CIDR network such as 10.0.0.0/8. Throws Error if the text is neither. */
export function parseCidrNetwork(cidr: string): Network {
  const [text = "", length] = cidr.split("/");
  const base = parseIpAddress(text);
  if (base === null) throw new Error(`${cidr} is not a network`);
  const host = BigInt(isIP(text) === 4 ? 32 - Number(length ?? 32) : 128 - Number(length ?? 128));
  return (address) => address >> host === base >> host;
}

/** Returns the union of the given networks. */
export function parseCidrNetworks(cidrs: readonly string[]): Network {
  const networks = cidrs.map(parseCidrNetwork);
  return (address) => networks.some((contains) => contains(address));
}

function parseIPv4(text: string): bigint {
  return text.split(".").reduce((sum, part) => (sum << 8n) | BigInt(part), 0n);
}

function parseIPv6(text: string): bigint {
  const hex = text.replace(/\d+\.\d+\.\d+\.\d+$/, (four) => {
    const value = parseIPv4(four);
    return `${(value >> 16n).toString(16)}:${(value & 0xffffn).toString(16)}`;
  });
  const [head = "", tail] = hex.split("::");
  const left = head.split(":").filter(Boolean), right = (tail ?? "").split(":").filter(Boolean);
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => "0");
  return [...left, ...zeros, ...right].reduce((sum, part) => (sum << 16n) | BigInt(`0x${part}`), 0n);
}
