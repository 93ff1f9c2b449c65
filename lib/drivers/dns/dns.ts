/** Queries the servers in DNS_SERVERS, or the system's. Ignores the hosts file, because visitors do not have it. */
import { Resolver } from "node:dns/promises";
import { createCallLimiter } from "#lib/base/limits/call-limiter.ts";
import { SECOND } from "#lib/base/time.ts";

/** A DNS client. Queries reject if no server answers, and return an empty list for a missing name or record. */
export interface DnsClient {
  /** Returns the TXT records for the name. The strings within each record are joined. */
  texts(name: string, signal?: AbortSignal): Promise<readonly string[]>;
  /** Returns the IPv4 and IPv6 addresses for the name. */
  addresses(name: string, signal?: AbortSignal): Promise<readonly string[]>;
}

const TOTAL_TIMEOUT = 5 * SECOND;
const ATTEMPT_TIMEOUT = 2 * SECOND, ATTEMPTS = 3; // per server; all attempts together could exceed TOTAL_TIMEOUT
const CONCURRENCY = 16; // queries at the same time
// Limits records, which are untrusted: a response can contain up to 64 KiB.
const MAX_RECORDS = 100, MAX_RECORD_LENGTH = 1000;

/** Creates a DNS client for `servers` (`address` or `address:port`). An empty list means the system's servers. */
export function openDnsClient(servers: readonly string[]): DnsClient {
  const limiter = createCallLimiter({ concurrency: CONCURRENCY });

  function query<T>(send: (resolver: Resolver) => Promise<T[]>, signal?: AbortSignal): Promise<T[]> {
    return limiter.run(signal ? [signal] : [], () => queryNow(send, signal));
  }

  async function queryNow<T>(send: (resolver: Resolver) => Promise<T[]>, signal?: AbortSignal): Promise<T[]> {
    const resolver = new Resolver({ timeout: ATTEMPT_TIMEOUT, tries: ATTEMPTS });
    if (servers.length > 0) resolver.setServers(servers);
    let late = false;
    const cancel = () => resolver.cancel();
    const timer = setTimeout(() => {
      late = true;
      cancel();
    }, TOTAL_TIMEOUT);
    signal?.addEventListener("abort", cancel, { once: true });
    try {
      return await send(resolver);
    } catch (error) {
      signal?.throwIfAborted();
      if (late) throw new Error(`No DNS server responded within ${TOTAL_TIMEOUT / SECOND} s`, { cause: error });
      if (["ENOTFOUND", "ENODATA"].includes((error as { code?: string }).code ?? "")) return [];
      throw error;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", cancel);
    }
  }

  return {
    async texts(name, signal) {
      const records = await query((resolver) => resolver.resolveTxt(name), signal);
      return records.slice(0, MAX_RECORDS).map((strings) => strings.join("").slice(0, MAX_RECORD_LENGTH));
    },
    async addresses(name, signal) {
      const answers = await Promise.allSettled([
        query((resolver) => resolver.resolve4(name), signal),
        query((resolver) => resolver.resolve6(name), signal),
      ]);
      const addresses = answers.flatMap((answer) => answer.status === "fulfilled" ? answer.value : []);
      const failed = answers.find((answer) => answer.status === "rejected");
      if (addresses.length === 0 && failed) throw failed.reason;
      return addresses;
    },
  };
}
