/** Estimates how long a rollout takes, and how it changes the monthly price. Pure. */
import { MINUTE, SECOND } from "#lib/base/time.ts";
import type { Catalog } from "#lib/catalog/catalog.ts";
import { BILLED_SPOKE_STATES } from "#lib/domains/billing/store.ts";
import { ROLLOUT_DEFAULTS, type RolloutPreview } from "#lib/domains/rollouts/views.ts";
import { assignWaves } from "#lib/domains/rollouts/waves.ts";
import type { SpokeState } from "#lib/model/states.ts";

interface RolloutPace {
  /** The usual duration of the action on one spoke. */
  readonly usualSeconds: number;
  readonly maxUnavailable: number;
  readonly canaryMinutes: number;
}

/**
 * Returns the least time in which the rollout can end, in seconds. Checks of health, other operations on the spokes and
 * a time window make it longer.
 */
export function estimateMinimumSeconds(
  spokes: readonly { readonly wave: number; readonly cluster: string }[],
  { usualSeconds, maxUnavailable, canaryMinutes }: RolloutPace,
): number {
  const waves = [...Map.groupBy(spokes, ({ wave }) => wave).values()].map((members) => {
    const clusters = Map.groupBy(members, ({ cluster }) => cluster).values();
    return usualSeconds * Math.max(...[...clusters].map(({ length }) => Math.ceil(length / maxUnavailable)));
  });
  const watched = spokes.some(({ wave }) => wave === 0) ? canaryMinutes * MINUTE / SECOND : 0;
  return waves.reduce((sum, seconds) => sum + seconds, watched);
}

/** Returns the least time in which a rollout with the default rules can change these spokes, in seconds. */
export function estimateDefaultRollout(spokes: readonly { readonly cluster: string }[], usualSeconds: number): number {
  const { canary, batch, maxUnavailable } = ROLLOUT_DEFAULTS;
  const waves = assignWaves(spokes.length, { canary: canary.spokes, batch });
  const members = spokes.map(({ cluster }, i) => ({ cluster, wave: waves[i]! }));
  return estimateMinimumSeconds(members, { usualSeconds, maxUnavailable, canaryMinutes: canary.minutes });
}

/** Adds up the monthly price of the spokes at the catalog's prices, before and after a change of their size. */
export function estimatePriceChange(
  spokes: readonly { readonly size: string; readonly state: SpokeState }[],
  size: string,
  { priceOf }: Pick<Catalog, "priceOf">,
): NonNullable<RolloutPreview["price"]> {
  const totals = new Map<string, { before: number; after: number }>();
  const billed = spokes.filter(({ state }) => BILLED_SPOKE_STATES.includes(state));
  const add = (name: string, when: "before" | "after") => {
    const price = priceOf(name);
    if (!price) return;
    const total = totals.get(price.currency) ?? { before: 0, after: 0 };
    total[when] += price.monthly;
    totals.set(price.currency, total);
  };
  for (const spoke of billed) {
    add(spoke.size, "before");
    add(size, "after");
  }
  const unpriced = billed.filter((spoke) => !priceOf(spoke.size) || !priceOf(size)).length;
  return { totals: [...totals].map(([currency, total]) => ({ currency, ...total })), unpriced };
}
