/**
 * Asks name servers: those of DNS_SERVERS, or else the system's. They are asked and not the hosts file, which nobody
 * elsewhere reads.
 */
import { Resolver } from "node:dns/promises";
import { SECOND } from "#lib/base/time.ts";

/** Each rejects where the answer cannot be told now. What there is not is an empty list. */
export interface Dns {
  /** The TXT records of the name, each with its strings joined. */
  texts(name: string, signal?: AbortSignal): Promise<readonly string[]>;
  /** Its IPv4 and IPv6 addresses. */
  addresses(name: string, signal?: AbortSignal): Promise<readonly string[]>;
}

const TOTAL_TIMEOUT = 5 * SECOND;
const ATTEMPT_TIMEOUT = 2 * SECOND, ATTEMPTS = 3; // of each server: more than the limit allows, so that the limit alone ends them
// Others write what is read here, and an answer may have 64 KiB.
const MAX_RECORDS = 100, MAX_RECORD_LENGTH = 1000;

/** `servers` as `address` or `address:port`; none for the system's. */
export function openDns(servers: readonly string[]): Dns {
  async function query<T>(question: (resolver: Resolver) => Promise<T[]>, signal?: AbortSignal): Promise<T[]> {
    signal?.throwIfAborted();
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
      return await question(resolver);
    } catch (error) {
      signal?.throwIfAborted();
      if (late) throw new Error(`No name server answered within ${TOTAL_TIMEOUT / SECOND} s`, { cause: error });
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
