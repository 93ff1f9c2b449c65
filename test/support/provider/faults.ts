/** Defines faults that a test can inject into requests to the simulated payment provider. */
export interface ProviderFault {
  /** - `down`: resets the connection before any work.
   * - `500` and `429`: responds with this status before any work.
   * - `hang`: receives the request, but does no work and sends no response.
   * - `slow`: receives the request, but does the work only when the fault ends, even after the client disconnected.
   * - `lost answer`: does the work, then resets the connection without a response. */
  readonly what: "down" | "500" | "429" | "hang" | "slow" | "lost answer";
  readonly method?: string;
  /** The complete path of the affected requests, or a pattern for their paths. */
  readonly path?: string | RegExp;
  /** The number of affected requests. If absent, the fault affects all requests until it ends. */
  readonly times?: number;
  /** Stores the 500 with the idempotency key, as Stripe does: a retry with the same key receives the 500 again. */
  readonly kept?: true;
  /** The seconds in the Retry-After header of a 429. If absent, the response has no such header. */
  readonly retryAfter?: number;
}

export interface ProviderFaults {
  /** Starts a fault, and returns a function that ends the fault. If several faults match, the latest fault applies. */
  break(fault: ProviderFault | ProviderFault["what"]): () => void;
  /** Returns the fault that affects this request, and counts the request. `mended` resolves when the fault ends. */
  meet(method: string, path: string): { readonly fault: ProviderFault; readonly mended: Promise<void> } | null;
}

export function createProviderFaults(): ProviderFaults {
  const active: { fault: ProviderFault; left: number; mended: PromiseWithResolvers<void> }[] = [];
  return {
    break(given) {
      const fault: ProviderFault = typeof given === "string" ? { what: given } : given;
      const one = { fault, left: fault.times ?? Infinity, mended: Promise.withResolvers<void>() };
      active.unshift(one);
      return () => {
        one.left = 0;
        one.mended.resolve();
      };
    },
    meet(method, path) {
      const one = active.find(({ fault, left }) =>
        left > 0 && (fault.method ?? method) === method &&
        (fault.path instanceof RegExp ? fault.path.test(path) : (fault.path ?? path) === path)
      );
      if (!one) return null;
      one.left--;
      return { fault: one.fault, mended: one.mended.promise };
    },
  };
}
