/**
 * One exchange with the payment provider: what its package speaks through, on both runtimes.
 *
 * Not the package's own clients: they cannot be called off, one of them repeats a call whose connection was cut, and each
 * runtime would get another one. Not kept connections: the server may have closed one already, and Deno's client then
 * sends a POST again without telling; calls are few.
 */
import type { Stripe } from "stripe";
import { exchange, type ExchangeFailure, type HttpAnswer } from "#lib/drivers/exchange.ts";
import { PaymentError } from "#lib/drivers/payments/payments.ts";
import { NO_TELEMETRY, type Telemetry } from "#lib/base/telemetry.ts";

interface StripeHttpOptions {
  /** Where the API is; its path goes before every call's. */
  readonly base: URL;
  readonly signal: AbortSignal;
  /** Milliseconds for the whole answer. */
  readonly deadline: number;
  readonly telemetry?: Telemetry | undefined;
}

/** For `new Stripe(…, {httpClient})`. Whatever it fails with is a PaymentError, or the signal's reason. */
export function openStripeHttpClient(
  { base, signal, deadline, telemetry = NO_TELEMETRY }: StripeHttpOptions,
): InstanceType<typeof Stripe.HttpClient> {
  return {
    getClientName: () => "node",
    async makeRequest(_host, _port, path, method, headers, body) {
      const url = new URL(base.origin + base.pathname.replace(/\/$/, "") + path);
      const sent = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
      const ask = () =>
        exchange({
          ...{ url, method, headers: sent, deadline, fail },
          body: method === "GET" || method === "DELETE" ? undefined : body ?? "",
          options: { agent: false },
          signals: [signal],
        });
      const answer = await telemetry.span("provider_call", { call: `${method} ${resourceOf(path)}` }, async (span) => {
        const { status, ...rest } = await ask();
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
          throw new TypeError("Nothing is streamed");
        },
        toJSON: () => Promise.resolve(parsed),
      };
    },
  };
}

/** What a path is about, without any id: `/v1/customers/cus_1?limit=1` is about customers. */
function resourceOf(path: string): string {
  return /^\/v\d+\/([a-z_]+)/.exec(path)?.[1] ?? "other";
}

/** A key with a line break in it cannot be a header; the cause holds the key. */
function fail(failure: ExchangeFailure, doing: string, { message }: Error): PaymentError {
  if (failure === "deadline") return new PaymentError("deadline", `${doing} ${message}`, { transient: true });
  if (failure === "unsendable") {
    const hint = "Check STRIPE_SECRET_KEY: it contains an invalid character.";
    return new PaymentError("unsendable", `${doing} cannot be sent`, { transient: true, hint });
  }
  return new PaymentError("unreachable", `${doing}: ${message || "the connection was lost"}`, { transient: true });
}

/** What is no object in JSON comes from something between us and the provider, which may pass. */
function parse({ status, body }: HttpAnswer, doing: string): object {
  try {
    const parsed: unknown = JSON.parse(body);
    const good = typeof parsed === "object" && parsed !== null && !Array.isArray(parsed);
    if (good && (status < 300 || "error" in parsed)) return parsed;
  } catch {
    // It is no JSON at all, which is told in the same words.
  }
  throw new PaymentError("bad_answer", `${doing} returned ${status} and a body that is not from the provider`, {
    transient: true,
    hint: "Check STRIPE_API_BASE and any proxy in between.",
  });
}
