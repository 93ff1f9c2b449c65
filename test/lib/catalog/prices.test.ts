import { suite } from "uvu";
import * as assert from "uvu/assert";
import { requireChargeablePrices } from "#lib/catalog/prices.ts";
import { loadCatalog } from "#lib/catalog/load.ts";
import { ConfigError } from "#lib/base/config.ts";
import { openBlueprint } from "#test/lib/moodle/fixtures.ts";

const test = suite("requireChargeablePrices"), blueprint = openBlueprint();

const resources = blueprint.sizes.sizes["small"];

/** Creates a catalog with `count` sizes, the first of which have prices in these currencies. */
function check(count: number, ...currencies: string[]): string[] {
  const sizes = Array.from({ length: count }, (_, i) => {
    const currency = currencies[i];
    return { name: `s${i}`, resources, ...(currency && { price: { currency, monthly: 100 } }) };
  });
  try {
    requireChargeablePrices(loadCatalog(JSON.stringify({ sizes, defaultSize: "s0" }), blueprint));
    return [];
  } catch (error) {
    assert.instance(error, ConfigError);
    return [(error as ConfigError).message];
  }
}

test("accepts twenty priced sizes in one currency, and any number of free ones", () => {
  requireChargeablePrices(loadCatalog(undefined, blueprint));
  assert.equal(check(25, ...Array(20).fill("EUR")), []);
});

test("rejects more priced sizes and two currencies, with both variables", () => {
  const [many] = check(21, ...Array(21).fill("EUR"));
  assert.match(many!, /CATALOG has 21 sizes with a price, but Stripe \(STRIPE_SECRET_KEY\) allows at most 20 sizes/);
  const [mixed] = check(3, "USD", "EUR", "USD");
  assert.match(mixed!, /CATALOG has prices in EUR and USD, but Stripe \(STRIPE_SECRET_KEY\) allows only one currency/);
});

test.run();
