/** Decides when a webhook tries again after a failed attempt, and when it is disabled. Pure. */
import { DAY, HOUR, MINUTE, SECOND } from "#lib/base/time.ts";
import type { WebhookAnswer } from "#lib/drivers/webhooks/sender.ts";

const DELAYS = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR];
const GIVE_UP_AFTER = 3 * DAY, GONE = 410;
/** The random part of a delay, so that webhooks that failed together do not try again together. */
const JITTER = 0.2;

export type FailureDecision =
  | { readonly kind: "retry"; readonly delayMs: number }
  | { readonly kind: "disable"; readonly reason: string };

/** `attempt` is 1 for the first failed attempt. `failingSince` is the time of the first failure since a success. */
export function decideAfterFailure(
  { status, error, retryAfterMs }: Pick<WebhookAnswer, "status" | "error" | "retryAfterMs">,
  { attempt, failingSince, now }: { readonly attempt: number; readonly failingSince: Date; readonly now: Date },
): FailureDecision {
  if (status === GONE) return { kind: "disable", reason: "The receiver answered 410 (Gone)" };
  if (now.getTime() - failingSince.getTime() >= GIVE_UP_AFTER) {
    return { kind: "disable", reason: `No delivery succeeded for 3 days. The last problem: ${error}` };
  }
  const delay = DELAYS[attempt - 1] ?? HOUR;
  return { kind: "retry", delayMs: Math.round(Math.max(delay * (1 + JITTER * Math.random()), retryAfterMs ?? 0)) };
}
