/** Tests the estimates in the preview of a rollout. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { estimateMinimumSeconds, estimatePriceChange } from "#lib/domains/rollouts/estimate.ts";

const duration = suite("estimateMinimumSeconds");
const PACE = { usualSeconds: 40, maxUnavailable: 2, canaryMinutes: 0 };
const member = (wave: number, cluster = "default") => ({ wave, cluster });

duration("adds up the waves, each with as many spokes at the same time as may be unavailable", () => {
  assert.is(estimateMinimumSeconds([member(1), member(1)], PACE), 40);
  assert.is(estimateMinimumSeconds([member(1), member(1), member(1)], PACE), 80);
  assert.is(estimateMinimumSeconds([member(1), member(2)], PACE), 80);
});

duration("changes clusters at the same time", () => {
  const spokes = [member(1), member(1), member(1, "other"), member(1, "other"), member(1, "other")];
  assert.is(estimateMinimumSeconds(spokes, PACE), 80);
});

duration("includes the time to watch the canary, if there is one", () => {
  const pace = { ...PACE, canaryMinutes: 10 };
  assert.is(estimateMinimumSeconds([member(0), member(1)], pace), 680);
  assert.is(estimateMinimumSeconds([member(1)], pace), 40);
});
duration.run();

const price = suite("estimatePriceChange");
const prices: Readonly<Record<string, { monthly: number; currency: string }>> = {
  small: { monthly: 1900, currency: "EUR" },
  large: { monthly: 4900, currency: "EUR" },
  dollars: { monthly: 100, currency: "USD" },
};
const catalog = { priceOf: (size: string) => prices[size] ?? null };
const spoke = (size: string, state: "active" | "failed" = "active") => ({ size, state });

price("adds up the spokes that are billed, before and after", () => {
  assert.equal(estimatePriceChange([spoke("small"), spoke("large"), spoke("small", "failed")], "large", catalog), {
    totals: [{ currency: "EUR", before: 6800, after: 9800 }],
    unpriced: 0,
  });
});

price("never adds up currencies, and counts spokes without a price", () => {
  assert.equal(estimatePriceChange([spoke("dollars"), spoke("own")], "small", catalog), {
    totals: [{ currency: "USD", before: 100, after: 0 }, { currency: "EUR", before: 0, after: 3800 }],
    unpriced: 1,
  });
});
price.run();
