/** Checks that the payment provider can charge the prices. A subscription has one currency and at most 20 items. */
import type { Catalog } from "#lib/catalog/catalog.ts";
import { ConfigError } from "#lib/base/config.ts";

/** https://docs.stripe.com/billing/subscriptions/multiple-products */
const MAX_ITEMS = 20;

/** Throws a ConfigError if the prices cannot be charged. Called only if a payment provider is configured. */
export function checkPrices({ view }: Pick<Catalog, "view">): void {
  const priced = view.sizes.filter(({ price }) => price !== null);
  const currencies = [...new Set(priced.map(({ price }) => price!.currency))].sort();
  const problems: string[] = [];
  const addProblem = (catalog: string, provider: string) =>
    problems.push(`CATALOG has ${catalog}, but STRIPE_SECRET_KEY is set, and a subscription has ${provider}`);
  if (currencies.length > 1) addProblem(`prices in ${currencies.join(" and ")}`, "one currency");
  if (priced.length > MAX_ITEMS) addProblem(`${priced.length} sizes with a price`, `at most ${MAX_ITEMS}`);
  if (problems.length > 0) throw new ConfigError(problems);
}
