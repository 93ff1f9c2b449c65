/** Stores responses by their idempotency keys: https://docs.stripe.com/api/idempotent_requests
 *
 * Stores a response, even an error, for a day if the request had begun its work. Stores no earlier errors. */
import { ProviderError } from "#test/support/provider/api-error.ts";

const DAY = 24 * 60 * 60;
const LONGEST = 255;

export interface StoredResponse {
  readonly status: number;
  readonly body: string;
  /** The ID of the first request with this response. */
  readonly requestId: string;
}

interface Entry {
  readonly path: string;
  readonly form: string;
  readonly at: number;
  answer: StoredResponse | null;
}

export interface IdempotencyKeys {
  /** Returns the stored response; null if no response is stored. After null, the caller must do the work and call `end`. */
  begin(key: string, path: string, form: unknown, now: number): StoredResponse | null;
  /** Stores the response. If `answer` is null, stores nothing, so that a client can use the key again. */
  end(key: string, answer: StoredResponse | null): void;
}

export function createIdempotencyKeys(): IdempotencyKeys {
  const entries = new Map<string, Entry>();
  return {
    begin(key, path, given, now) {
      if (key.length > LONGEST) {
        throw new ProviderError(400, "Idempotency keys are up to 255 characters long", CONFLICT);
      }
      const form = JSON.stringify(given), old = entries.get(key);
      if (!old || old.answer && now - old.at >= DAY) {
        entries.set(key, { path, form, at: now, answer: null });
        return null;
      }
      const other = `Try using a key other than '${key}' if you meant to execute a different request.`;
      if (old.path !== path) {
        const message =
          "Keys for idempotent requests can only be used for the same endpoint they were first used for " +
          `('${path}' vs '${old.path}'). ${other}`;
        throw new ProviderError(400, message, CONFLICT);
      }
      if (old.form !== form) {
        const message =
          "Keys for idempotent requests can only be used with the same parameters they were first used with. " +
          other;
        throw new ProviderError(400, message, CONFLICT);
      }
      if (old.answer) return old.answer;
      const message = `There is currently another in-progress request using this Idempotent Key: ${key}`;
      throw new ProviderError(409, message, { ...CONFLICT, code: "idempotency_key_in_use" });
    },
    end(key, answer) {
      if (answer) entries.get(key)!.answer = answer;
      else entries.delete(key);
    },
  };
}

const CONFLICT = { type: "idempotency_error" } as const;
