/** Defines the answers to requests for pages of sites, and describes why a request failed. */
import { DriverError } from "#lib/base/errors.ts";
import { SECOND } from "#lib/base/time.ts";
import type { HttpExchangeFailure } from "#lib/drivers/exchange.ts";

/**
 * The result of a request. `silent`: the site accepted the connection but sent no complete response. `unconnected`: no
 * connection. `unchecked`: a problem of the control plane's own network, which says nothing about the site.
 */
export type PageAnswer =
  | {
    readonly outcome: "answered";
    readonly status: number;
    /** The target of a redirect that was not followed. */
    readonly location: string | null;
    readonly cookies: readonly string[];
    /** Whether the first 64 KiB of the page contain the marker. Only pages with status 200 are read. */
    readonly hasMarker: boolean;
    /** When the server's certificate ends. Null without TLS, and if an earlier TLS session was resumed. */
    readonly certificateEndsAt: Date | null;
  }
  | { readonly outcome: "silent" | "unconnected" | "unchecked"; readonly reason: string };

/** Network errors near the control plane, after which the site's state is unknown. */
const OWN_ERRORS = new Set(["ENETUNREACH", "EHOSTUNREACH", "ENETDOWN", "EMFILE", "ENFILE", "EADDRNOTAVAIL"]);

export class PageError extends DriverError {
  override readonly name = "PageError";
  readonly failure: HttpExchangeFailure;

  constructor(failure: HttpExchangeFailure, message: string, cause: Error) {
    super(failure, message, { transient: true });
    this.failure = failure;
    this.cause = cause;
  }
}

export function describePageFailure({ failure, cause }: PageError, connected: boolean, timeoutMs: number): PageAnswer {
  const { code = "", message } = cause as Error & { code?: string };
  if (OWN_ERRORS.has(code)) return { outcome: "unchecked", reason: "the network of the control plane failed" };
  if (failure === "deadline") {
    const reason = `did not respond within ${timeoutMs / SECOND} s`;
    return { outcome: connected ? "silent" : "unconnected", reason };
  }
  if (connected) return { outcome: "silent", reason: "closed the connection before its response was complete" };
  const isCertificate = /CERT|SELF_SIGNED|UNABLE_TO_|ALTNAME/.test(code) || /certificate/i.test(message);
  const reason = code === "CERT_HAS_EXPIRED"
    ? "has a certificate that has expired"
    : isCertificate
    ? "has a certificate that is not valid"
    : code === "ECONNREFUSED"
    ? "refused the connection"
    : "could not be connected";
  return { outcome: "unconnected", reason };
}
