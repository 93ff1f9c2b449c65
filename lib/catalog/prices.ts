/** Checks that Stripe can charge the catalog's prices: a subscription has one currency and at most 20 items. */
import type { Catalog } from "#lib/catalog/catalog.ts";
import { ConfigError } from "#lib/base/config.ts";

/** The maximum number of items in a subscription: https://docs.stripe.com/billing/subscriptions/multiple-products */
const MAX_ITEMS = 20;

/** Throws a ConfigError if Stripe cannot charge the catalog's prices. Called only if Stripe is configured. */
export function requireChargeablePrices({ view }: Pick<Catalog, "view">): void {
  const priced = view.sizes.filter(({ price }) => price !== null);
  const currencies = [...new Set(priced.map(({ price }) => price!.currency))].sort();
  const problems: string[] = [];
  const addProblem = (catalog: string, provider: string) =>
    problems.push(`CATALOG has ${catalog}, but Stripe (STRIPE_SECRET_KEY) allows ${provider} per subscription`);
  if (currencies.length > 1) addProblem(`prices in ${currencies.join(" and ")}`, "only one currency");
  if (priced.length > MAX_ITEMS) addProblem(`${priced.length} sizes with a price`, `at most ${MAX_ITEMS} sizes`);
  if (problems.length > 0) throw new ConfigError(problems);
}
