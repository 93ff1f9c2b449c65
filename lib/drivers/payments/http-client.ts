/**
 * Provides an HTTP client for the payment provider's package. The package's own clients cannot be cancelled, and one of
 * these clients repeats a call whose connection was lost. Each call uses a new connection, because Deno silently
 * repeats a POST if the server has closed the old one.
 */
import type { Stripe } from "stripe";
import { type HttpExchangeFailure, type HttpExchangeResponse, sendHttpRequest } from "#lib/drivers/exchange.ts";
import { PaymentError } from "#lib/drivers/payments/payments.ts";
import { NO_TELEMETRY, type Telemetry } from "#lib/base/telemetry.ts";

interface StripeHttpOptions {
  /** The API's base URL. The path of this URL is put before the path of every call. */
  readonly base: URL;
  readonly signal: AbortSignal;
  /** The time limit for receiving the complete response, in milliseconds. */
  readonly deadline: number;
  readonly telemetry?: Telemetry | undefined;
}

/** Creates the client for `new Stripe(…, {httpClient})`. Calls throw only PaymentErrors or the signal's reason. */
export function openStripeHttpClient(
  { base, signal, deadline, telemetry = NO_TELEMETRY }: StripeHttpOptions,
): InstanceType<typeof Stripe.HttpClient> {
  return {
    getClientName: () => "node",
    async makeRequest(_host, _port, path, method, headers, body) {
      const url = new URL(base.origin + base.pathname.replace(/\/$/, "") + path);
      const stringHeaders = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
      const send = () =>
        sendHttpRequest({
          ...{ url, method, headers: stringHeaders, deadline, fail },
          body: method === "GET" || method === "DELETE" ? undefined : body ?? "",
          options: { agent: false },
          signals: [signal],
        });
      const answer = await telemetry.span("provider_call", { call: `${method} ${resourceOf(path)}` }, async (span) => {
        const { status, ...rest } = await send();
        if (status >= 400) span.outcome = "refused";
        return { status, ...rest };
      });
      const parsed = parse(answer, `${method} ${url.host}${url.pathname}`);
      const received = Object.entries(answer.headers).map(([name, value]) => [name, String(value)]);
      return {
        getStatusCode: () => answer.status,
        getHeaders: () => Object.fromEntries(received),
        getRawResponse: () => ({}),
        toStream: () => {
          throw new TypeError("Responses are not streamed");
        },
        toJSON: () => Promise.resolve(parsed),
      };
    },
  };
}

/** Returns a path's resource without IDs, for example `customers` for `/v1/customers/cus_1?limit=1`. */
function resourceOf(path: string): string {
  return /^\/v\d+\/([a-z_]+)/.exec(path)?.[1] ?? "other";
}

/**
 * Creates the error for a failed request. An API key with a line break cannot be sent in a header. In this case the
 * original error is dropped, because it contains the key.
 */
function fail(failure: HttpExchangeFailure, description: string, { message }: Error): PaymentError {
  if (failure === "deadline") return new PaymentError("deadline", `${description} ${message}`, { transient: true });
  if (failure === "unsendable") {
    const hint = "Check STRIPE_SECRET_KEY: the key contains an invalid character.";
    return new PaymentError("unsendable", `${description} cannot be sent`, { transient: true, hint });
  }
  return new PaymentError("unreachable", `${description}: ${message || "the connection was lost"}`, {
    transient: true,
  });
}

/** Parses a JSON object. Other content causes a transient error, because it may come from a proxy. */
function parse({ status, body }: HttpExchangeResponse, description: string): object {
  try {
    const parsed: unknown = JSON.parse(body);
    const good = typeof parsed === "object" && parsed !== null && !Array.isArray(parsed);
    if (good && (status < 300 || "error" in parsed)) return parsed;
  } catch {
    // Ignores the parse error, because text that is not JSON causes the error below.
  }
  throw new PaymentError("bad_answer", `${description} returned ${status} and a body that is not from the provider`, {
    transient: true,
    hint: "Check STRIPE_API_BASE and any proxy between this service and Stripe.",
  });
}
