/** Tests the hash of an event with a fixed vector, and that it covers every field. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { CHAIN_START_HASH, type ChainedEvent, hashChainedEvent } from "#lib/audit/chain.ts";

const test = suite("hashChainedEvent");

const FIRST: ChainedEvent = {
  id: "evt_06fj2c4v7tq0w1x9n3m8k5r2dg",
  kind: "auth_login_failed",
  actorId: "anonymous",
  actorEmail: "zoë@example.org",
  objectType: "user",
  objectId: "unknown",
  metadata: "{}",
  ip: "192.0.2.1",
  userAgent: "a\n1:b",
  at: "1795262400000",
  federationId: null,
  spokeId: null,
  audienceUserId: null,
  customerVisible: false,
};

const SECOND: ChainedEvent = {
  id: "evt_06fj2c4v7tq0w1x9n3m8k5r2dh",
  kind: "spoke_provisioned",
  actorId: "usr_1",
  actorEmail: "ann@example.org",
  objectType: "spoke",
  objectId: "spk_1",
  metadata: '{"size": "small", "domain": "é.example.org"}',
  ip: "",
  userAgent: "",
  at: "1795262400001",
  federationId: "fed_1",
  spokeId: "spk_1",
  audienceUserId: "usr_2",
  customerVisible: true,
};

// Computed by another program, only from the description in lib/audit/chain.ts. Never change these two.
const AFTER_FIRST = "efd80c3bb1d2da2b9bd52cd27f96b1dc9db6bb4850f12871ab277610b0f67996";
const AFTER_SECOND = "90d9690ea5807256dedce7ed1093688fa5539557aba4f2d66512497afa7c87db";

test("is what the documented format gives", () => {
  assert.is(hashChainedEvent(CHAIN_START_HASH, FIRST), AFTER_FIRST);
  assert.is(hashChainedEvent(AFTER_FIRST, SECOND), AFTER_SECOND);
});

test("changes when any field changes, or is empty instead of null", () => {
  const changed: ChainedEvent[] = (Object.keys(SECOND) as (keyof ChainedEvent)[]).map((name) => {
    const value = SECOND[name];
    return { ...SECOND, [name]: typeof value === "boolean" ? !value : `${value} ` };
  });
  const emptied: ChainedEvent[] = (["federationId", "spokeId", "audienceUserId"] as const).flatMap((name) => [
    { ...SECOND, [name]: null },
    { ...SECOND, [name]: "" },
    { ...SECOND, [name]: "-" },
  ]);
  const all = [SECOND, ...changed, ...emptied].map((link) => hashChainedEvent(AFTER_FIRST, link));
  assert.is(changed.length, 14);
  assert.is(new Set(all).size, all.length);
  assert.is.not(hashChainedEvent(CHAIN_START_HASH, SECOND), AFTER_SECOND);
});

test("does not let a value run into the next one", () => {
  const moved = [
    { ...SECOND, ip: "a", userAgent: "bc" },
    { ...SECOND, ip: "ab", userAgent: "c" },
    { ...SECOND, ip: "a\n2:bc", userAgent: "" },
    { ...SECOND, ip: "", userAgent: "a\n2:bc" },
  ];
  assert.is(new Set(moved.map((link) => hashChainedEvent(AFTER_FIRST, link))).size, 4);
});

test.run();
