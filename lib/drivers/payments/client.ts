/**
 * Calls the payment provider, Stripe, with Stripe's own package. The package is loaded at first use, because it needs
 * 0.5 s and 30 MB. Only a few calls run at the same time, to stay below the provider's rate limit. Callers must retry
 * failed calls themselves.
 */
import type { Stripe } from "stripe";
import type * as v from "valibot";
import { ConfigError } from "#lib/base/config.ts";
import { parseResponse } from "#lib/drivers/payments/schemas.ts";
import { PaymentRefusal, toPaymentError } from "#lib/drivers/payments/errors.ts";
import { openStripeHttpClient } from "#lib/drivers/payments/http-client.ts";
import { type CallLimiter, createCallLimiter } from "#lib/base/limits/call-limiter.ts";
import { runCancellable } from "#lib/base/cancellation.ts";
import type { Telemetry } from "#lib/base/telemetry.ts";
import { SECOND } from "#lib/base/time.ts";

/** The version of the provider's API for which this code and the package were written. */
const API_VERSION = "2026-10-28.endive";

const API = "https://api.stripe.com";
const DEADLINE = 20 * SECOND;
const PREVIEW_TIMEOUT = 8 * SECOND;
const SETTLE_TIME = 30 * SECOND;
const CONCURRENCY = 4;

export interface PaymentClientOptions {
  readonly secretKey: string;
  readonly webhookSecret: string;
  readonly apiBase: string | null;
  readonly deadline?: number;
  /** The time limit in milliseconds for all calls that a preview needs. */
  readonly previewTimeoutMs?: number;
  /** How long a cancelled call may still be running at the provider, in milliseconds. */
  readonly settleMs?: number;
  readonly telemetry?: Telemetry;
}

/** Makes calls until a signal aborts. */
export interface PaymentCalls {
  readonly signal: AbortSignal;
  /** Makes a call. Throws PaymentError, or the signal's reason after an abort. */
  call<T>(call: (stripe: Stripe) => Promise<T>): Promise<T>;
  /** How long a cancelled call may still be running at the provider, in milliseconds. */
  readonly settleMs: number;
}

export interface PaymentClient {
  /** Returns the functions for background calls. */
  until(signal: AbortSignal): PaymentCalls;
  /** Returns the functions for a preview. Previews have their own concurrency limit, because a user is waiting. */
  previewUntil(signal: AbortSignal): PaymentCalls;
  load(): Promise<typeof Stripe>;
  readonly previewTimeoutMs: number;
}

/** Creates the client. Throws ConfigError if a live API key would be sent without encryption. */
export function openPaymentClient(options: PaymentClientOptions): PaymentClient {
  const {
    secretKey,
    webhookSecret,
    apiBase,
    deadline = DEADLINE,
    previewTimeoutMs = PREVIEW_TIMEOUT,
    settleMs = SETTLE_TIME,
  } = options;
  const base = new URL(apiBase ?? API);
  if (base.protocol === "http:" && /_live_/.test(secretKey)) {
    throw new ConfigError(["STRIPE_API_BASE must use https with a live key, or the key would be sent unencrypted"]);
  }
  const background = createCallLimiter({ concurrency: CONCURRENCY });
  const previews = createCallLimiter({ concurrency: CONCURRENCY });
  let loading: Promise<typeof Stripe> | undefined;

  const load = () =>
    loading ??= import("stripe").then((loaded) => loaded.default).catch((error) => {
      loading = undefined;
      throw error;
    });

  async function send<T>(limiter: CallLimiter, signal: AbortSignal, call: (stripe: Stripe) => Promise<T>): Promise<T> {
    const run = async () => {
      const Package = await load();
      const stripe = new Package(secretKey, {
        apiVersion: API_VERSION,
        httpClient: openStripeHttpClient({ base, signal, deadline, telemetry: options.telemetry }),
        maxNetworkRetries: 0,
        telemetry: false,
        appInfo: { name: "wheelwright" },
      });
      return await call(stripe);
    };
    try {
      // Stops a cancelled call immediately, even while it waits for a turn or for the package to load.
      return await runCancellable([signal], null, (inner) => limiter.run([inner], run));
    } catch (error) {
      signal.throwIfAborted();
      throw toPaymentError(error, [secretKey, webhookSecret]);
    }
  }

  return {
    until: (signal) => ({ signal, settleMs, call: (call) => send(background, signal, call) }),
    previewUntil: (signal) => ({ signal, settleMs, call: (call) => send(previews, signal, call) }),
    load,
    previewTimeoutMs,
  };
}

export async function listAllPages<S extends v.GenericSchema>(
  client: PaymentCalls,
  shape: S,
  list: (stripe: Stripe) => AsyncIterable<unknown>,
): Promise<v.InferOutput<S>[]> {
  const all = await client.call((stripe) => Array.fromAsync(list(stripe)));
  return all.map((each) => parseResponse(shape, each, "item of a list"));
}

/** Returns the request's result, or null if the object does not exist (404). */
export async function nullIfMissing<T>(request: Promise<T>): Promise<T | null> {
  try {
    return await request;
  } catch (error) {
    // Matches only an unknown object in the path. For an unknown object in a parameter, the provider returns 400.
    if (error instanceof PaymentRefusal && error.status === 404) return null;
    throw error;
  }
}
