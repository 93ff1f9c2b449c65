import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Quantities } from "#lib/domains/billing/billed.ts";
import { type BillingDifference, compareSubscription, type StoredBilling } from "#lib/domains/billing/compare.ts";
import type { Subscription, SubscriptionItem, SubscriptionStatus } from "#lib/drivers/payments/payments.ts";

const test = suite("judgeLook");

const PAST_DUE = "billing_subscription_past_due", UPDATED = "billing_subscription_updated";

function item(size: string | null, quantity: number, price = `price_${size}`): SubscriptionItem {
  return { id: `si_${price}`, price, size, quantity, monthly: 900 };
}

function showing(status: SubscriptionStatus, items = [item("small", 2)], id = "sub_1"): Subscription {
  return { id, customer: "cus_1", federationId: "fed_1", status, currency: "EUR", items, invoice: null };
}

function known(status: SubscriptionStatus | null, more: Partial<StoredBilling> = {}): StoredBilling {
  return {
    subscriptionId: status && "sub_1",
    status,
    items: status === null ? [] : [item("small", 2)],
    sentQuantities: { small: 2 },
    difference: null,
    ...more,
  };
}

/** Runs several checks in order. Each starts from the result of the previous one. Returns the news of each. */
function follow(looks: readonly (Subscription | null)[], billed: Quantities = { small: 2 }): string[][] {
  let row = known("active");
  return looks.map((seen) => {
    const { status, items, difference, news } = compareSubscription(row, seen, billed);
    row = { ...row, subscriptionId: seen?.id ?? row.subscriptionId, status, items, difference };
    return news.map(({ kind }) => kind);
  });
}

for (
  const [name, statuses, expected] of [
    ["an episode is told once however often it is seen", ["past_due", "past_due", "past_due"], [[PAST_DUE], [], []]],
    ["an episode that becomes worse is told once", ["past_due", "unpaid", "past_due"], [[PAST_DUE], [UPDATED], [
      UPDATED,
    ]]],
    ["a second episode is told again", ["past_due", "active", "past_due"], [[PAST_DUE], [UPDATED], [PAST_DUE]]],
    ["an episode that began unseen is told", ["unpaid"], [[PAST_DUE]]],
    ["an end that follows is no second episode", ["past_due", "canceled", "canceled"], [[PAST_DUE], [UPDATED], []]],
    ["nothing is told of what stays", ["active", "active"], [[], []]],
    ["a pause is quiet", ["paused", "active"], [[UPDATED], [UPDATED]]],
  ] as const satisfies readonly (readonly [string, readonly SubscriptionStatus[], readonly (readonly string[])[]])[]
) {
  test(name, () => {
    // Without spokes to bill, so that an ended subscription is no difference.
    assert.equal(follow(statuses.map((status) => showing(status)), {}), expected);
  });
}

test("one that the provider knows no more has ended, and that is told once", () => {
  const { status, items, dunning, news } = compareSubscription(known("past_due", { sentQuantities: {} }), null, {});
  assert.equal({ status, items, dunning }, { status: "canceled", items: [], dunning: "none" });
  assert.equal(news, [{
    kind: UPDATED,
    changes: {
      status: { from: "past_due", to: "canceled" },
      quantities: { from: { small: 2 }, to: { small: 0 } },
    },
  }]);
  const after = known("canceled", { items: [], sentQuantities: {} });
  assert.equal(compareSubscription(after, null, {}).news, []);
});

test("nothing known and nothing seen is nothing", () => {
  const { status, news } = compareSubscription(known(null, { sentQuantities: {} }), null, {});
  assert.is(status, null);
  assert.equal(news, []);
});

test("the first look at a subscription tells its beginning, and another one begins anew", () => {
  const first = compareSubscription(known(null), showing("active"), { small: 2 });
  const begun = {
    kind: UPDATED,
    changes: { status: { from: null, to: "active" }, quantities: { from: { small: 0 }, to: { small: 2 } } },
  };
  assert.equal(first.news, [begun]);
  const second = compareSubscription(known("past_due"), showing("active", [item("small", 2)], "sub_2"), { small: 2 });
  assert.equal(second.news, [begun]);
  const worse = compareSubscription(known("past_due"), showing("past_due", [item("small", 2)], "sub_2"), { small: 2 });
  assert.equal(worse.news.map(({ kind }) => kind), [PAST_DUE, UPDATED]);
});

test("changed quantities are told by size, the unchanged and the empty ones left out", () => {
  const items = [item("small", 2), item("medium", 1), item("large", 0)];
  const { news } = compareSubscription(known("active"), showing("active", items), { small: 2 });
  assert.equal(news.filter(({ kind }) => kind === UPDATED), [{
    kind: UPDATED,
    changes: { quantities: { from: { medium: 0 }, to: { medium: 1 } } },
  }]);
});

test("a dunning that comes with other quantities tells both, each its own", () => {
  const provider = showing("past_due", [item("small", 3)]);
  const { news } = compareSubscription(known("active", { sentQuantities: null }), provider, { small: 3 });
  assert.equal(news, [
    { kind: PAST_DUE },
    { kind: UPDATED, changes: { quantities: { from: { small: 2 }, to: { small: 3 } } } },
  ]);
});

const AGREED = [item("small", 2)];
const FOUND: BillingDifference = [{ size: "small", spokes: 2, billed: 5 }];

for (
  const [name, row, seen, billed, difference, told] of [
    ["what agrees differs in nothing", {}, showing("active"), { small: 2 }, null, false],
    ["a size of none and no item agree", {}, showing("active"), { small: 2, large: 0 }, null, false],
    ["another quantity is found", {}, showing("active", [item("small", 5)]), { small: 2 }, FOUND, true],
    [
      "what was found already is not told again, however the database orders its fields",
      { difference: [{ billed: 5, size: "small", spokes: 2 }] },
      showing("active", [item("small", 5)]),
      { small: 2 },
      FOUND,
      false,
    ],
    [
      "another difference is told anew",
      { difference: FOUND },
      showing("active", [item("small", 6)]),
      { small: 2 },
      [{ size: "small", spokes: 2, billed: 6 }],
      true,
    ],
    [
      "what agrees again is no difference any more",
      { difference: FOUND },
      showing("active"),
      { small: 2 },
      null,
      false,
    ],
    [
      "while a change is on its way nothing is judged",
      {},
      showing("active", [item("small", 5)]),
      { small: 3 },
      null,
      false,
    ],
    [
      "while a change is on its way what was found stands",
      { difference: FOUND },
      showing("active"),
      { small: 3 },
      FOUND,
      false,
    ],
    [
      "what is to be told anew is not judged",
      { sentQuantities: null },
      showing("active", [item("small", 5)]),
      { small: 2 },
      null,
      false,
    ],
    [
      "a size that only the provider counts is found",
      {},
      showing("active", [item("small", 2), item("large", 1)]),
      { small: 2 },
      [{ size: "large", spokes: 0, billed: 1 }],
      true,
    ],
    [
      "an item that was taken away is found",
      {},
      showing("active", []),
      { small: 2 },
      [{ size: "small", spokes: 2, billed: 0 }],
      true,
    ],
    [
      "two items of one size count together",
      {},
      showing("active", [item("small", 1), item("small", 1, "price_other")]),
      { small: 2 },
      null,
      false,
    ],
    [
      "an item that is none of ours is found",
      {},
      showing("active", [...AGREED, item(null, 4, "price_x")]),
      { small: 2 },
      "The subscription has items that are not spokes: 4 of price_x",
      true,
    ],
    [
      "an item that is none of ours and another quantity are told in one sentence",
      {},
      showing("active", [item("small", 1), item(null, 4, "price_x")]),
      { small: 2 },
      "The subscription has items that are not spokes: 4 of price_x; and 1 of size small for 2 spokes",
      true,
    ],
    [
      "an end while spokes are to be billed is found",
      {},
      showing("canceled"),
      { small: 2 },
      "The subscription has ended (canceled), but there are spokes to bill",
      true,
    ],
    [
      "one that is gone while spokes are to be billed is found",
      {},
      null,
      { small: 2 },
      "The subscription has ended (canceled), but there are spokes to bill",
      true,
    ],
    ["an end with nothing to be billed is none", { sentQuantities: {} }, showing("canceled"), {}, null, false],
    [
      "a size named like what every object inherits is a size",
      {},
      showing("active", [...AGREED, item("toString", 1), item("__proto__", 1)]),
      { small: 2 },
      [{ size: "__proto__", spokes: 0, billed: 1 }, { size: "toString", spokes: 0, billed: 1 }],
      true,
    ],
  ] as const satisfies readonly (readonly [
    string,
    Partial<StoredBilling>,
    Subscription | null,
    Quantities,
    BillingDifference | null,
    boolean,
  ])[]
) {
  test(name, () => {
    const verdict = compareSubscription(known("active", row), seen, billed);
    assert.equal(verdict.difference, difference);
    const news = verdict.news.filter(({ kind }) => kind === "billing_difference_found");
    assert.equal(news, told ? [{ kind: "billing_difference_found", difference }] : []);
  });
}

test.run();
