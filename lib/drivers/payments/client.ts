/**
 * Calls the payment provider with the provider's package, which is loaded at first use (half a second and 30 MB). Each
 * call has its own client, so that it can be cancelled and has its own deadline. Few calls run at the same time, to
 * stay below the provider's rate limit. Previews have separate slots, because users wait for them. Callers retry failed
 * calls.
 */
import type { Stripe } from "stripe";
import type * as v from "valibot";
import { ConfigError } from "#lib/base/config.ts";
import { parseResponse } from "#lib/drivers/payments/schemas.ts";
import { PaymentRefusal, toPaymentError } from "#lib/drivers/payments/errors.ts";
import { openStripeHttpClient } from "#lib/drivers/payments/http-client.ts";
import { openSemaphore, type Semaphore } from "#lib/base/limits/semaphore.ts";
import { runWithin } from "#lib/base/cancellation.ts";
import type { Telemetry } from "#lib/base/telemetry.ts";
import { SECOND } from "#lib/base/time.ts";

/** The provider's API version that this code and the package are written for. */
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
  readonly deadline?: number;
  /** The total time limit of a preview's calls, in milliseconds. */
  readonly previewTimeoutMs?: number;
  /** Milliseconds after which a cancelled call has also ended at the provider. */
  readonly settleMs?: number;
  readonly telemetry?: Telemetry;
}

export interface PaymentClient {
  /** Makes a background call. Throws a PaymentError, or the signal's reason. */
  call<T>(signal: AbortSignal, call: (stripe: Stripe) => Promise<T>): Promise<T>;
  /** Makes a call in the slots for previews, because a user waits. */
  callForPreview<T>(signal: AbortSignal, call: (stripe: Stripe) => Promise<T>): Promise<T>;
  load(): Promise<typeof Stripe>;
  readonly previewTimeoutMs: number;
  /** Milliseconds after which a cancelled call has also ended at the provider. */
  readonly settleMs: number;
}

/** Opens the client. Throws a ConfigError for a live key that would be sent unencrypted. */
export function openPaymentClient(options: ClientOptions): PaymentClient {
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
    throw new ConfigError(["STRIPE_API_BASE must use https with a live key; otherwise the key is sent unencrypted"]);
  }
  const background = openSemaphore(CONCURRENCY), previews = openSemaphore(CONCURRENCY);
  let loading: Promise<typeof Stripe> | undefined;

  const load = () =>
    loading ??= import("stripe").then((loaded) => loaded.default).catch((error) => {
      loading = undefined;
      throw error;
    });

  async function send<T>(slots: Semaphore, signal: AbortSignal, call: (stripe: Stripe) => Promise<T>): Promise<T> {
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
      // A cancelled call waits neither for a slot nor for the package.
      return await runWithin([signal], null, (inner) => slots.run([inner], run));
    } catch (error) {
      signal.throwIfAborted();
      throw toPaymentError(error, [secretKey, webhookSecret]);
    }
  }

  return {
    call: (signal, call) => send(background, signal, call),
    callForPreview: (signal, call) => send(previews, signal, call),
    load,
    previewTimeoutMs,
    settleMs,
  };
}

export async function listAllPages<S extends v.GenericSchema>(
  { call: send }: Pick<PaymentClient, "call">,
  shape: S,
  signal: AbortSignal,
  list: (stripe: Stripe) => AsyncIterable<unknown>,
): Promise<v.InferOutput<S>[]> {
  const all = await send(signal, (stripe) => Array.fromAsync(list(stripe)));
  return all.map((each) => parseResponse(shape, each, "item of a list"));
}

/** Returns the result, or null if the object does not exist or no longer exists. */
export async function nullIfMissing<T>(request: Promise<T>): Promise<T | null> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof PaymentRefusal && error.status === 404) return null; // 404 is about the object in the path; an unknown object in a parameter is a 400
    throw error;
  }
}
