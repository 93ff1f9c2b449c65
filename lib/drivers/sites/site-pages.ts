/**
 * Requests pages of sites at their public addresses. Sites and their DNS records belong to customers, so this module
 * trusts neither: it connects only to the address that it has checked, reads at most 64 KiB within ten seconds, and
 * does not follow redirects to other hosts.
 */
import http from "node:http";
import https from "node:https";
import { isIP, type LookupFunction } from "node:net";
import tls from "node:tls";
import { runCancellable } from "#lib/base/cancellation.ts";
import { createCallLimiter } from "#lib/base/limits/call-limiter.ts";
import { MINUTE, SECOND } from "#lib/base/time.ts";
import type { DnsClient } from "#lib/drivers/dns/dns.ts";
import { openHttpStream, type ResponseStream } from "#lib/drivers/exchange.ts";
import { selectAddress } from "#lib/drivers/sites/addresses.ts";
import { describePageFailure, type PageAnswer, PageError } from "#lib/drivers/sites/page-answer.ts";

export interface PageRequest {
  readonly url: URL;
  /** The text to find in the page, at most 100 characters long. Finding it ends the reading of the page. */
  readonly marker: RegExp;
  /** Returns the addresses of the site's ingress. Called only if the site's host has a private address. */
  readonly readIngressAddresses: () => Promise<readonly string[]>;
}

export interface SitePages {
  request(page: PageRequest, signal: AbortSignal): Promise<PageAnswer>;
  close(): void;
}

export interface SitePagesOptions {
  readonly dns: DnsClient;
  /** The port on this machine that serves all sites of a simulated cluster. Null if hosts are looked up in the DNS. */
  readonly localPort: number | null;
  readonly timeoutMs?: number;
  readonly concurrency?: number;
  /** A certificate authority to trust instead of the usual ones, in PEM. For tests. */
  readonly ca?: string;
}

const TIMEOUT = 10 * SECOND, CONCURRENCY = 100, MAX_BYTES = 64 * 1024, MAX_MARKER = 100, MAX_REDIRECTS = 3;
const DNS_CACHE_TIME = 5 * MINUTE, MAX_CACHED_HOSTS = 20_000;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
interface Target {
  readonly address: string;
  readonly port: number | null;
}

export function openSitePages(
  { dns, localPort, timeoutMs = TIMEOUT, concurrency = CONCURRENCY, ca }: SitePagesOptions,
): SitePages {
  const limiter = createCallLimiter({ concurrency }),
    hosts = new Map<string, { addresses: readonly string[]; at: number }>();
  const agents = {
    http: new http.Agent(),
    https: new https.Agent({ maxCachedSessions: 1000, ...createTlsOptions(ca) }),
  };

  async function readAddresses(host: string, signal: AbortSignal): Promise<readonly string[]> {
    if (isIP(host) !== 0) return [host];
    const cached = hosts.get(host);
    if (cached && performance.now() - cached.at < DNS_CACHE_TIME) return cached.addresses;
    const addresses = await dns.addresses(host, signal);
    hosts.delete(host);
    hosts.set(host, { addresses, at: performance.now() });
    if (hosts.size > MAX_CACHED_HOSTS) hosts.delete(hosts.keys().next().value!);
    return addresses;
  }

  async function findTarget(
    { url, readIngressAddresses }: PageRequest,
    signal: AbortSignal,
  ): Promise<Target | PageAnswer> {
    if (localPort !== null) return { address: "127.0.0.1", port: localPort };
    const host = url.hostname.replace(/^\[|\]$/g, "");
    try {
      const addresses = await readAddresses(host, signal);
      if (addresses.length === 0) return { outcome: "unconnected", reason: "its host name has no DNS record" };
      const address = selectAddress(addresses, []) ?? selectAddress(addresses, await readIngressAddresses());
      return address === null
        ? { outcome: "unconnected", reason: "its host name has only private addresses that are not the ingress's" }
        : { address, port: null };
    } catch {
      signal.throwIfAborted();
      return { outcome: "unchecked", reason: "its host name could not be looked up" };
    }
  }

  async function requestPage(page: PageRequest, signal: AbortSignal): Promise<PageAnswer> {
    const target = await findTarget(page, signal);
    if ("outcome" in target) return target;
    let { url } = page;
    for (let redirects = 0;; redirects++) {
      const answer = await requestOnce({ url, marker: page.marker, target, agents, timeoutMs }, signal);
      const next = answer.outcome === "answered" && answer.location !== null ? findNextUrl(url, answer.location) : null;
      if (answer.outcome === "unconnected") hosts.delete(url.hostname);
      if (next === null || redirects === MAX_REDIRECTS) return answer;
      url = next;
    }
  }

  return {
    request: (page, signal) =>
      limiter.run([signal], async () => {
        const late: PageAnswer = { outcome: "silent", reason: `did not respond within ${timeoutMs / SECOND} s` };
        const tooLate = new Error("The time for all redirects is over");
        try {
          const limit = { ms: timeoutMs + SECOND / 2, createError: () => tooLate };
          return await runCancellable([signal], limit, (inner) => requestPage(page, inner));
        } catch (error) {
          if (error === tooLate) return late;
          throw error;
        }
      }),
    close() {
      limiter.close();
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

/** Returns the target of a redirect, or null if it is not the same host and port as before. */
function findNextUrl(url: URL, location: string): URL | null {
  const next = URL.parse(location, url);
  if (!next || next.hostname !== url.hostname || !["http:", "https:"].includes(next.protocol)) return null;
  return next.port === url.port || next.port === "" ? next : null;
}

interface OneRequest {
  readonly url: URL;
  readonly marker: RegExp;
  readonly target: Target;
  readonly agents: { readonly http: http.Agent; readonly https: https.Agent };
  readonly timeoutMs: number;
}

async function requestOnce(request: OneRequest, signal: AbortSignal): Promise<PageAnswer> {
  const { url, marker, target: { address, port }, agents, timeoutMs } = request;
  let connected = false, certificateEndsAt: Date | null = null;
  const tooLate = new PageError("deadline", "too late", new Error("too late"));
  try {
    return await runCancellable([signal], { ms: timeoutMs, createError: () => tooLate }, async (limited) => {
      const stream = await openHttpStream({
        method: "GET",
        url,
        headers: { host: url.host, accept: "text/html", "user-agent": "Wheelwright", connection: "close" },
        options: {
          agent: url.protocol === "https:" ? agents.https : agents.http,
          lookup: createLookup(address),
          checkServerIdentity: (host: string, certificate: tls.PeerCertificate) => {
            certificateEndsAt = parseEnd(certificate);
            return tls.checkServerIdentity(host, certificate);
          },
          ...(port !== null && { port }),
        },
        deadline: timeoutMs + SECOND,
        signals: [limited],
        check: () => void (connected = true),
        fail: (failure, description, cause) => new PageError(failure, description, cause),
      });
      return { ...await readAnswer(stream, marker), certificateEndsAt };
    });
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof PageError)) throw error;
    return describePageFailure(error, connected, timeoutMs);
  }
}

/** Returns TLS options that all connections share. Creating them for each connection takes a third of its CPU time. */
function createTlsOptions(ca?: string): https.AgentOptions {
  return { secureContext: tls.createSecureContext(ca === undefined ? {} : { ca }) };
}

/** Creates a lookup function that always returns the checked address, so that a changed DNS record has no effect. */
function createLookup(address: string): LookupFunction {
  const family = isIP(address);
  return (_host, options, callback) =>
    options.all ? callback(null, [{ address, family }]) : callback(null, address, family);
}

function parseEnd({ valid_to: end }: tls.PeerCertificate): Date | null {
  const time = Date.parse(end);
  return Number.isNaN(time) ? null : new Date(time);
}

type Answered = Extract<PageAnswer, { readonly outcome: "answered" }>;

async function readAnswer(stream: ResponseStream, marker: RegExp): Promise<Omit<Answered, "certificateEndsAt">> {
  const { status, headers } = stream;
  let tail = "", size = 0, hasMarker = false;
  try {
    for await (const chunk of status === 200 ? stream.chunks : []) {
      size += chunk.byteLength;
      // Searches only the new part and the end of the previous part, because a site may send a page byte by byte.
      const text = tail + Buffer.from(chunk).toString("latin1");
      hasMarker = marker.test(text);
      if (hasMarker || size >= MAX_BYTES) break;
      tail = text.slice(-MAX_MARKER);
    }
  } finally {
    stream.close();
  }
  const location = REDIRECTS.has(status) ? headers.location ?? null : null;
  return { outcome: "answered", status, location, cookies: headers["set-cookie"] ?? [], hasMarker };
}
