/** Tests the provider's events while replicas are killed. Events arrive twice, shuffled, late and forged. In the end
 * the rows match the provider, and each change was reported once.
 *
 * The order is random with a seed. SEED=n repeats the same choices, but not the same timing. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sleep } from "#lib/base/time.ts";
import { createSeededRandom, type SeededRandom } from "#test/support/bench/random.ts";
import { queryRows } from "#test/support/bench/query.ts";
import {
  type BillingScene,
  type EventCourier,
  openBillingScene,
  openEventCourier,
  readBillingRows,
  readProviderState,
} from "#test/faults/billing-scene.ts";
import { until } from "#test/support/until.ts";

const ROUNDS = 2;
const PATIENCE = 60_000; // milliseconds; a takeover takes four seconds

interface BillingNotice {
  readonly kind: string;
  // deno-lint-ignore no-explicit-any
  readonly metadata: any;
}

interface Context {
  scene: BillingScene;
  seed: number;
}

const test = suite<Context>("billing while replicas are killed");
test.before(async (context) => {
  context.seed = Number(process.env.SEED ?? crypto.getRandomValues(new Uint16Array(1))[0]);
  context.scene = await openBillingScene({ replicas: 2, hubs: 3 });
});
test.after(({ scene }) => scene?.close());

test("reports each change once, and ends in the provider's state", async ({ scene, seed }) => {
  const random = createSeededRandom(seed), courier = openEventCourier(scene, random.branch());
  try {
    await Promise.all(scene.replicas.map((replica) => replica.start()));
    await settle(scene, courier, "begin");
    for (let round = 1; round <= ROUNDS; round++) {
      happen(scene, random, "bad");
      await settleUnderFire(scene, courier, random);
      happen(scene, random, "good");
      await settle(scene, courier, `end of round ${round}`);
    }
    await checkFinalState(scene, courier);
  } catch (error) {
    throw new Error(`With SEED=${seed}: ${(error as Error).message}`, { cause: error });
  }
});

/** Changes subscriptions at the provider for the better or the worse, never both in one round. A dunning that ends
 * between two reads is not reported. */
function happen({ provider, hubs }: BillingScene, random: SeededRandom, weather: "bad" | "good"): void {
  for (const [i, id] of [...provider.state.subscriptions.keys()].entries()) {
    const { status, items, customer } = provider.state.subscriptions.get(id)!;
    const dunned = status !== "active", chance = i === 0 ? 0 : random.next(); // so that each round has an event
    if (weather === "bad" && !dunned && chance < 0.7) provider.missPayment(id);
    if (weather === "bad" && dunned && chance < 0.5) provider.giveUp(id);
    if (weather === "bad") continue;
    if (dunned && chance < 0.7) provider.recover(id);
    const { price, quantity } = items.data[0]!; // only increases: a decrease is credited, and then no amount may be due
    if (random.next() < 0.3) provider.editQuantity(id, price.id, quantity + 1);
    const paid = [...provider.state.charges.values()].filter((charge) =>
      charge.customer === customer && charge.status === "succeeded" && !charge.refunded
    );
    for (const charge of paid) if (random.next() < 0.5) provider.refund(charge.id, random.pick([undefined, 100]));
  }
  assert.is(hubs.length, provider.state.subscriptions.size);
}

/** Delivers events until the rows match the provider and no work is in progress. */
async function settle(scene: BillingScene, courier: EventCourier, when: string): Promise<void> {
  let left = "";
  await until(async () => {
    await sleep(50);
    await courier.round();
    const live = await queryRows(
      scene.db,
      `select kind from jobs where state in ('queued', 'running') and lane like 'billing:%'
       union all select type from billing_events where handled_at is null`,
    );
    const [rows, truth] = [await readBillingRows(scene), readProviderState(scene)];
    left = JSON.stringify([live, rows, truth]);
    return live.length === 0 && truth.every(({ subscription }) => subscription !== null) &&
      JSON.stringify(rows) === JSON.stringify(truth);
  }, PATIENCE).catch((error) => {
    throw new Error(`It did not settle at the ${when}: ${left}`, { cause: error });
  });
}

/** Does the same as `settle`, and kills the replica that waits for the provider's response about an event. */
async function settleUnderFire(scene: BillingScene, courier: EventCourier, random: SeededRandom): Promise<void> {
  const { provider, replicas, db } = scene;
  const endFault = provider.break({ what: "slow", method: "GET", times: 1, path: random.pick([/subscriptions/, /./]) });
  const round = courier.round();
  const [holder] = await until(async () => {
    const held = await queryRows(db, "select holder from jobs where state = 'running' and kind = 'billing-event'");
    return provider.hanging() > 0 && held.length > 0 && held;
  }, PATIENCE);
  const victim = replicas.find(({ id }) => id === holder.holder)!;
  await victim.kill();
  endFault();
  await Promise.all([victim.start(), round]);
  await settle(scene, courier, "end of the fire");
}

async function checkFinalState({ db, provider, hubs, replicas }: BillingScene, courier: EventCourier): Promise<void> {
  assert.equal(courier.complaints, []);
  const storedEvents = await queryRows(db, "select id from billing_events order by id");
  assert.equal(
    storedEvents.map(({ id }) => id),
    [...courier.brought].sort(),
    "each event once, and none that was forged",
  );
  for (const hub of hubs) {
    const notices: BillingNotice[] = await queryRows(
      db,
      `select kind, metadata from audit_events where federation_id = $1 and kind like 'billing_%' order by at`,
      [hub],
    );
    const of = (kind: string) => notices.filter((entry) => entry.kind === kind).map(({ metadata }) => metadata);
    const subscription = [...provider.state.subscriptions.values()].find(({ metadata }) =>
      metadata.federationId === hub
    )!;
    assert.is(of("billing_subscription_past_due").length, episodes(provider.events, subscription.id), "dunnings");
    assertChain(notices);
    const refunds = [...provider.state.refunds.values()].filter(({ customer }) => customer === subscription.customer);
    const noticed = of("billing_subscription_refunded").map(({ refund, amount }) => `${refund} ${amount}`);
    assert.equal(noticed.sort(), refunds.map(({ id, amount }) => `${id} ${amount}`).sort(), "refunds");
  }
  assert.is((await queryRows(db, "select from billing_refunds")).length, provider.state.refunds.size);
  assert.equal(replicas.flatMap((replica) => replica.complaints()), []);
  const mistakes = replicas.flatMap((replica) => replica.log()).filter(({ level }) => level === "error");
  assert.equal(mistakes, []);
}

/** Returns how often the subscription became past due. */
function episodes(events: BillingScene["provider"]["events"], subscription: string): number {
  const statuses = events.filter(({ data: { object } }) => object.id === subscription)
    .map(({ data: { object } }) => String(object.status));
  const dunning = statuses.map((status) => status === "past_due" || status === "unpaid");
  return dunning.filter((is, i) => is && !dunning[i - 1]).length;
}

/** Asserts that each reported state starts where the previous one ended. A duplicate or missing report breaks the
 * chain. */
function assertChain(notices: readonly BillingNotice[]): void {
  let status: string | null = null;
  let quantity = 0;
  for (const { kind, metadata } of notices) {
    if (kind === "billing_subscription_past_due") status = metadata.status;
    if (kind !== "billing_subscription_updated") continue;
    if (metadata.status) {
      assert.is(metadata.status.from, status, JSON.stringify(notices));
      status = metadata.status.to;
    }
    if (metadata.quantities) {
      assert.is(metadata.quantities.from.small, quantity, JSON.stringify(notices));
      quantity = metadata.quantities.to.small;
    }
  }
}

test.run();
