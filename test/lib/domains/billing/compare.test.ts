import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { BilledQuantities } from "#lib/domains/billing/store.ts";
import { type BillingDifference, compareSubscription, type StoredSubscription } from "#lib/domains/billing/compare.ts";
import type { Subscription, SubscriptionItem, SubscriptionStatus } from "#lib/drivers/payments/payments.ts";

const test = suite("compareSubscription");

const PAST_DUE = "billing_subscription_past_due", UPDATED = "billing_subscription_updated";

function item(size: string | null, quantity: number, price = `price_${size}`): SubscriptionItem {
  return { id: `si_${price}`, price, size, quantity, monthly: 900 };
}

function observed(status: SubscriptionStatus, items = [item("small", 2)], id = "sub_1"): Subscription {
  return { id, customer: "cus_1", federationId: "fed_1", status, currency: "EUR", items, invoice: null };
}

function stored(status: SubscriptionStatus | null, more: Partial<StoredSubscription> = {}): StoredSubscription {
  return {
    subscriptionId: status && "sub_1",
    status,
    items: status === null ? [] : [item("small", 2)],
    sentQuantities: { small: 2 },
    difference: null,
    ...more,
  };
}

/** Runs several checks in order. Each starts from the result of the previous one. Returns the kinds of changes of each. */
function follow(observations: readonly (Subscription | null)[], billed: BilledQuantities = { small: 2 }): string[][] {
  let row = stored("active");
  return observations.map((observation) => {
    const { status, items, difference, changes } = compareSubscription(row, observation, billed);
    row = { ...row, subscriptionId: observation?.id ?? row.subscriptionId, status, items, difference };
    return changes.map(({ kind }) => kind);
  });
}

for (
  const [name, statuses, expected] of [
    ["reports an overdue payment once", ["past_due", "past_due", "past_due"], [[PAST_DUE], [], []]],
    ["reports a worse status as an update", ["past_due", "unpaid", "past_due"], [[PAST_DUE], [UPDATED], [
      UPDATED,
    ]]],
    ["reports a second overdue payment", ["past_due", "active", "past_due"], [[PAST_DUE], [UPDATED], [PAST_DUE]]],
    ["reports an overdue payment whose start was not observed", ["unpaid"], [[PAST_DUE]]],
    ["reports an end after an overdue payment as an update", ["past_due", "canceled", "canceled"], [[PAST_DUE], [
      UPDATED,
    ], []]],
    ["reports nothing for an unchanged status", ["active", "active"], [[], []]],
    ["reports a pause as an update", ["paused", "active"], [[UPDATED], [UPDATED]]],
  ] as const satisfies readonly (readonly [string, readonly SubscriptionStatus[], readonly (readonly string[])[]])[]
) {
  test(name, () => {
    // Without spokes to bill, so that an ended subscription is no difference.
    assert.equal(follow(statuses.map((status) => observed(status)), {}), expected);
  });
}

test("reports once that the provider no longer has the subscription", () => {
  const comparison = compareSubscription(stored("past_due", { sentQuantities: {} }), null, {});
  const { status, items, dunning, changes } = comparison;
  assert.equal({ status, items, dunning }, { status: "canceled", items: [], dunning: "none" });
  assert.equal(changes, [{
    kind: UPDATED,
    changes: {
      status: { from: "past_due", to: "canceled" },
      quantities: { from: { small: 2 }, to: { small: 0 } },
    },
  }]);
  const after = stored("canceled", { items: [], sentQuantities: {} });
  assert.equal(compareSubscription(after, null, {}).changes, []);
});

test("returns nothing if no subscription is stored or observed", () => {
  const { status, changes } = compareSubscription(stored(null, { sentQuantities: {} }), null, {});
  assert.is(status, null);
  assert.equal(changes, []);
});

test("reports the start of a subscription and of its replacement", () => {
  const first = compareSubscription(stored(null), observed("active"), { small: 2 });
  const begun = {
    kind: UPDATED,
    changes: { status: { from: null, to: "active" }, quantities: { from: { small: 0 }, to: { small: 2 } } },
  };
  assert.equal(first.changes, [begun]);
  const second = compareSubscription(stored("past_due"), observed("active", [item("small", 2)], "sub_2"), { small: 2 });
  assert.equal(second.changes, [begun]);
  const worse = compareSubscription(stored("past_due"), observed("past_due", [item("small", 2)], "sub_2"), {
    small: 2,
  });
  assert.equal(worse.changes.map(({ kind }) => kind), [PAST_DUE, UPDATED]);
});

test("reports changed quantities by size, without unchanged and empty ones", () => {
  const items = [item("small", 2), item("medium", 1), item("large", 0)];
  const { changes } = compareSubscription(stored("active"), observed("active", items), { small: 2 });
  assert.equal(changes.filter(({ kind }) => kind === UPDATED), [{
    kind: UPDATED,
    changes: { quantities: { from: { medium: 0 }, to: { medium: 1 } } },
  }]);
});

test("reports an overdue payment and changed quantities separately", () => {
  const provider = observed("past_due", [item("small", 3)]);
  const { changes } = compareSubscription(stored("active", { sentQuantities: null }), provider, { small: 3 });
  assert.equal(changes, [
    { kind: PAST_DUE },
    { kind: UPDATED, changes: { quantities: { from: { small: 2 }, to: { small: 3 } } } },
  ]);
});

const AGREED = [item("small", 2)], TWO = { small: 2 }, FIVE_BILLED = observed("active", [item("small", 5)]);
const FOUND: BillingDifference = [{ size: "small", spokes: 2, billed: 5 }];
const ENDED = "The subscription has ended (canceled), but the hub still has billable spokes";

for (
  const [name, row, observation, billed, difference, isReported] of [
    ["finds no difference between equal quantities", {}, observed("active"), TWO, null, false],
    ["treats zero and a missing item as equal", {}, observed("active"), { small: 2, large: 0 }, null, false],
    ["finds another quantity", {}, FIVE_BILLED, TWO, FOUND, true],
    [
      "does not report a stored difference again, in any order of its fields",
      { difference: [{ billed: 5, size: "small", spokes: 2 }] },
      FIVE_BILLED,
      TWO,
      FOUND,
      false,
    ],
    [
      "reports another difference",
      { difference: FOUND },
      observed("active", [item("small", 6)]),
      TWO,
      [{ size: "small", spokes: 2, billed: 6 }],
      true,
    ],
    ["clears a difference that no longer exists", { difference: FOUND }, observed("active"), TWO, null, false],
    ["does not compare while a change is being sent", {}, FIVE_BILLED, { small: 3 }, null, false],
    [
      "keeps a stored difference while a change is being sent",
      { difference: FOUND },
      observed("active"),
      { small: 3 },
      FOUND,
      false,
    ],
    ["does not compare quantities to be sent again", { sentQuantities: null }, FIVE_BILLED, TWO, null, false],
    [
      "finds a size that only the provider counts",
      {},
      observed("active", [item("small", 2), item("large", 1)]),
      TWO,
      [{ size: "large", spokes: 0, billed: 1 }],
      true,
    ],
    ["finds a missing item", {}, observed("active", []), TWO, [{ size: "small", spokes: 2, billed: 0 }], true],
    [
      "adds two items of one size",
      {},
      observed("active", [item("small", 1), item("small", 1, "price_other")]),
      TWO,
      null,
      false,
    ],
    [
      "finds an item that is not for spokes",
      {},
      observed("active", [...AGREED, item(null, 4, "price_x")]),
      TWO,
      "The subscription has items that are not spokes: 4 of price_x",
      true,
    ],
    [
      "reports a foreign item and a wrong quantity in one sentence",
      {},
      observed("active", [item("small", 1), item(null, 4, "price_x")]),
      TWO,
      "The subscription has items that are not spokes: 4 of price_x; and 1 of size small for 2 spokes",
      true,
    ],
    ["finds an ended subscription while spokes are billable", {}, observed("canceled"), TWO, ENDED, true],
    ["finds a missing subscription while spokes are billable", {}, null, TWO, ENDED, true],
    ["accepts an end without billable spokes", { sentQuantities: {} }, observed("canceled"), {}, null, false],
    [
      "accepts a size with the name of an Object.prototype property",
      {},
      observed("active", [...AGREED, item("toString", 1), item("__proto__", 1)]),
      TWO,
      [{ size: "__proto__", spokes: 0, billed: 1 }, { size: "toString", spokes: 0, billed: 1 }],
      true,
    ],
  ] as const satisfies readonly (readonly [
    string,
    Partial<StoredSubscription>,
    Subscription | null,
    BilledQuantities,
    BillingDifference | null,
    boolean,
  ])[]
) {
  test(name, () => {
    const comparison = compareSubscription(stored("active", row), observation, billed);
    assert.equal(comparison.difference, difference);
    const found = comparison.changes.filter(({ kind }) => kind === "billing_difference_found");
    assert.equal(found, isReported ? [{ kind: "billing_difference_found", difference }] : []);
  });
}

test.run();
