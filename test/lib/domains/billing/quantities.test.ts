import { suite } from "uvu";
import * as assert from "uvu/assert";
import { areQuantitiesEqual, selectBilledQuantities } from "#lib/domains/billing/store.ts";

const catalog = {
  priceOf: (size: string) => ["small", "medium"].includes(size) ? { currency: "EUR", monthly: 1900 } : null,
};

const billing = suite("selectBilled");

billing("counts sizes with a price, and sizes with an item but no price", () => {
  const counts = { small: 2, medium: 0, large: 3, huge: 1 };
  assert.equal(selectBilledQuantities(counts, catalog, []), { small: 2 });
  assert.equal(selectBilledQuantities(counts, catalog, [{ size: "large" }, { size: "medium" }]), {
    small: 2,
    large: 3,
  });
});

billing("ignores items that Wheelwright did not create", () => {
  assert.equal(selectBilledQuantities({ null: 1 }, catalog, [{ size: null }]), {});
});

billing.run();

const comparing = suite("areQuantitiesEqual");

comparing("treats a missing size as zero", () => {
  assert.ok(areQuantitiesEqual({}, {}));
  assert.ok(areQuantitiesEqual({ small: 1, large: 0 }, { small: 1 }));
  assert.ok(areQuantitiesEqual({ small: 1 }, { medium: 0, small: 1 }));
  assert.not.ok(areQuantitiesEqual({ small: 1 }, {}));
  assert.not.ok(areQuantitiesEqual({}, { small: 1 }));
  assert.not.ok(areQuantitiesEqual({ small: 1 }, { small: 2 }));
  assert.not.ok(areQuantitiesEqual({ toString: 1 }, {}));
  assert.ok(areQuantitiesEqual({}, { valueOf: 0 }));
});

comparing.run();
