/**
 * How often one address may try: 5 times in any minute. Kept in memory and bounded in size, because anybody can make it
 * grow.
 *
 * A person with an IPv6 address has its /64, most have a /56, and some a /48 (RFC 6177): each has a bound, and a try takes
 * from all or from none. So what one is refused costs its neighbours nothing, and a household takes a third of its /48.
 *
 * When it is full, it forgets who tried least recently among those who may still try. Somebody who has used up his tries
 * is forgotten only if all others have too, so he cannot free himself by coming from some thousand other addresses.
 */
import { Fault } from "#lib/base/errors.ts";
import { networkOf } from "#lib/base/limits/address.ts";
import { MINUTE, SECOND } from "#lib/base/time.ts";

export interface RateLimit {
  /** Counts a try of this address; throws Fault limited with the message when it was one too many. */
  take(address: string, message: string): void;
}

export interface RateLimitOptions {
  /** How many networks of each size are remembered. */
  readonly capacity?: number;
  /** Milliseconds on a clock that never goes back. */
  readonly now?: () => number;
}

type Times = readonly number[];

/** The tries of all networks of one size. */
interface SlidingWindow {
  /** Milliseconds until the network may try again; 0 when it may now. */
  wait(key: string): number;
  count(key: string): void;
}

/** Tries a minute of an IPv6 network of so many bits. An IPv4 address is its own network of each size. */
const NETWORK_LIMITS: readonly (readonly [bits: number, tries: number])[] = [[64, 5], [56, 10], [48, 30]];

export function openRateLimit({ capacity = 20_000, now = () => performance.now() }: RateLimitOptions = {}): RateLimit {
  const sizes = NETWORK_LIMITS.map(([bits, most]) => ({ bits, tries: openWindow(most, capacity, now) }));
  return {
    take(address, message) {
      const own = sizes.map(({ bits, tries }) => ({ key: networkOf(address, bits), tries }));
      const wait = Math.max(...own.map(({ key, tries }) => tries.wait(key)));
      if (wait > 0) throw new Fault("limited", "too_many_tries", message, { retryAfter: wait / SECOND });
      for (const { key, tries } of own) tries.count(key);
    },
  };
}

function openWindow(most: number, capacity: number, now: () => number): SlidingWindow {
  // By time of the last try, oldest first: a key is taken out and put back at the end each time.
  const belowLimit = new Map<string, Times>(), atLimit = new Map<string, Times>();
  const recent = (key: string): Times =>
    (belowLimit.get(key) ?? atLimit.get(key) ?? []).filter((time) => time + MINUTE > now());

  /** Drops what is over: it stands at the front. */
  function removeExpired(entries: Map<string, Times>): void {
    for (const [key, times] of entries) {
      if (times.at(-1)! + MINUTE > now()) return;
      entries.delete(key);
    }
  }

  function evictOne(): void {
    if (belowLimit.size + atLimit.size < capacity) return;
    const from = belowLimit.size > 0 ? belowLimit : atLimit;
    for (const key of from.keys()) return void from.delete(key);
  }

  return {
    wait(key) {
      const times = recent(key);
      return times.length < most ? 0 : times[0]! + MINUTE - now();
    },
    count(key) {
      const times = [...recent(key), now()];
      removeExpired(belowLimit);
      removeExpired(atLimit);
      belowLimit.delete(key);
      atLimit.delete(key);
      evictOne();
      (times.length >= most ? atLimit : belowLimit).set(key, times);
    },
  };
}
