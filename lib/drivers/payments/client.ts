/**
 * The provider's package, loaded at first use (half a second and 30 MB, which a service without prices never pays), with one
 * client for each call: so that the call can be called off, and has a deadline of its own.
 *
 * A few calls are under way at once: reconciling thousands of hubs stays far below the provider's rate limit. People who
 * wait for a preview have places of their own. Nothing is repeated here; the caller does that in its own time.
 */
import type { Stripe } from "stripe";
import type * as v from "valibot";
import { ConfigError } from "#lib/base/config.ts";
import { parseAnswer } from "#lib/drivers/payments/schemas.ts";
import { PaymentRefusal, toPaymentError } from "#lib/drivers/payments/errors.ts";
import { openStripeHttpClient } from "#lib/drivers/payments/http-client.ts";
import { openSemaphore, type Semaphore } from "#lib/base/limits/semaphore.ts";
import { runWithin } from "#lib/base/cancellation.ts";
import type { Telemetry } from "#lib/base/telemetry.ts";
import { SECOND } from "#lib/base/time.ts";

/** The version of the provider's API that lib/drivers/payments is written for: that of the package. */
const API_VERSION = "2026-10-28.endive";

const API = "https://api.stripe.com";
const DEADLINE = 20 * SECOND;
const PREVIEW_TIMEOUT = 8 * SECOND;
const SETTLE_TIME = 30 * SECOND;
const CONCURRENCY = 4;

export interface ClientOptions {
  readonly secretKey: string;
  readonly webhookSecret: string;
  readonly apiBase: string | null;
  /** Milliseconds that one call may take, and that somebody waits for an answer of several. */
  readonly deadline?: number;
  readonly patience?: number;
  /** Milliseconds after which a call that was cut off is over at the provider, too. */
  readonly settle?: number;
  readonly telemetry?: Telemetry;
}

export interface PaymentClient {
  /** One call, in the background's places. Throws a PaymentError, or the signal's reason. */
  call<T>(signal: AbortSignal, call: (stripe: Stripe) => Promise<T>): Promise<T>;
  /** One call for which somebody waits. */
  callForPreview<T>(signal: AbortSignal, call: (stripe: Stripe) => Promise<T>): Promise<T>;
  load(): Promise<typeof Stripe>;
  /** Milliseconds that somebody waits, and after which a call that was cut off is over at the provider, too. */
  readonly patience: number;
  readonly settle: number;
}

/** Throws a ConfigError for a live key that would be sent in the clear. */
export function openPaymentClient(options: ClientOptions): PaymentClient {
  const { secretKey, webhookSecret, apiBase, deadline = DEADLINE, patience = PREVIEW_TIMEOUT, settle = SETTLE_TIME } =
    options;
  const base = new URL(apiBase ?? API);
  if (base.protocol === "http:" && /_live_/.test(secretKey)) {
    throw new ConfigError(["STRIPE_API_BASE must be https with a live key, which would be sent in the clear"]);
  }
  const background = openSemaphore(CONCURRENCY), waited = openSemaphore(CONCURRENCY);
  let loading: Promise<typeof Stripe> | undefined;

  const load = () =>
    loading ??= import("stripe").then((loaded) => loaded.default).catch((error) => {
      loading = undefined;
      throw error;
    });

  async function ask<T>(places: Semaphore, signal: AbortSignal, call: (stripe: Stripe) => Promise<T>): Promise<T> {
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
      // A call that was called off waits neither for a place nor for the package.
      return await runWithin([signal], null, (inner) => places.run([inner], run));
    } catch (error) {
      signal.throwIfAborted();
      throw toPaymentError(error, [secretKey, webhookSecret]);
    }
  }

  return {
    call: (signal, call) => ask(background, signal, call),
    callForPreview: (signal, call) => ask(waited, signal, call),
    load,
    patience,
    settle,
  };
}

/** All of a list, in the provider's order, of which the package turns the pages. */
export async function listAll<S extends v.GenericSchema>(
  { call: ask }: Pick<PaymentClient, "call">,
  shape: S,
  signal: AbortSignal,
  list: (stripe: Stripe) => AsyncIterable<unknown>,
): Promise<v.InferOutput<S>[]> {
  const all = await ask(signal, (stripe) => Array.fromAsync(list(stripe)));
  return all.map((each) => parseAnswer(shape, each, "item of a list"));
}

/** What is there; null where the provider knows no such thing (any more). */
export async function nullIfMissing<T>(asked: Promise<T>): Promise<T | null> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof PaymentRefusal && error.status === 404) return null; // what a parameter names is a 400
    throw error;
  }
}
