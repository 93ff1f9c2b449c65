import { suite } from "uvu";
import * as assert from "uvu/assert";
import { equalQuantities, selectBilled } from "#lib/domains/billing/billed.ts";

const catalog = {
  priceOf: (size: string) => ["small", "medium"].includes(size) ? { currency: "EUR", monthly: 1900 } : null,
};

const billing = suite("billedOf");

billing("counts what has a price, and what has an item though its price is gone", () => {
  const counts = { small: 2, medium: 0, large: 3, huge: 1 };
  assert.equal(selectBilled(counts, catalog, []), { small: 2 });
  assert.equal(selectBilled(counts, catalog, [{ size: "large" }, { size: "medium" }]), { small: 2, large: 3 });
});

billing("counts nothing by an item that is none of ours", () => {
  assert.equal(selectBilled({ null: 1 }, catalog, [{ size: null }]), {});
});

billing.run();

const comparing = suite("sameQuantities");

comparing("takes a size that is not named for none", () => {
  assert.ok(equalQuantities({}, {}));
  assert.ok(equalQuantities({ small: 1, large: 0 }, { small: 1 }));
  assert.ok(equalQuantities({ small: 1 }, { medium: 0, small: 1 }));
  assert.not.ok(equalQuantities({ small: 1 }, {}));
  assert.not.ok(equalQuantities({}, { small: 1 }));
  assert.not.ok(equalQuantities({ small: 1 }, { small: 2 }));
  assert.not.ok(equalQuantities({ toString: 1 }, {}));
  assert.ok(equalQuantities({}, { valueOf: 0 }));
});

comparing.run();
