/** Trouble that a test makes for those who call the provider. */
export interface Fault {
  /**
   * - `down`: the connection is reset before anything is done.
   * - `500` and `429`: said before anything is done.
   * - `hang`: taken, and never answered nor done.
   * - `slow`: taken, and done only when the fault is mended, whoever still waits for it.
   * - `lost answer`: done, and the connection is reset instead of an answer.
   */
  readonly what: "down" | "500" | "429" | "hang" | "slow" | "lost answer";
  readonly method?: string;
  /** The whole path, or what it matches. */
  readonly path?: string | RegExp;
  /** How many calls; without it, all until it is mended. */
  readonly times?: number;
  /** A 500 that is kept with the idempotency key, as the provider does once it had begun: the same key gets it again. */
  readonly kept?: true;
  /** Of a 429 that says when to come again, which none has to: seconds. */
  readonly retryAfter?: number;
}

export interface Faults {
  /** Ends with what is returned. A later fault is looked at first. */
  break(fault: Fault | Fault["what"]): () => void;
  /** The fault that this call meets, which is counted; and what tells when it is mended. */
  meet(method: string, path: string): { readonly fault: Fault; readonly mended: Promise<void> } | null;
}

export function newFaults(): Faults {
  const standing: { fault: Fault; left: number; mended: PromiseWithResolvers<void> }[] = [];
  return {
    break(given) {
      const fault: Fault = typeof given === "string" ? { what: given } : given;
      const one = { fault, left: fault.times ?? Infinity, mended: Promise.withResolvers<void>() };
      standing.unshift(one);
      return () => {
        one.left = 0;
        one.mended.resolve();
      };
    },
    meet(method, path) {
      const one = standing.find(({ fault, left }) =>
        left > 0 && (fault.method ?? method) === method &&
        (fault.path instanceof RegExp ? fault.path.test(path) : (fault.path ?? path) === path)
      );
      if (!one) return null;
      one.left--;
      return { fault: one.fault, mended: one.mended.promise };
    },
  };
}
