/**
 * Limits attempts per IP address: 5 in any minute. An IPv6 customer has a /64, a /56 or a /48 (RFC 6177). The networks
 * of each of these sizes have a limit. An attempt counts for all three or, if it is refused, for none. The memory is
 * bounded. When it is full, the least recent network below its limit is removed. Networks at the limit are removed
 * last, so an attacker cannot evict one by using thousands of other addresses.
 */
import { Fault } from "#lib/base/errors.ts";
import { networkOf } from "#lib/base/limits/address.ts";
import { MINUTE, SECOND } from "#lib/base/time.ts";

export interface RateLimit {
  /** Counts an attempt. Throws a `limited` fault (`too_many_tries`) with `message` if it exceeds the limit. */
  countAttempt(address: string, message: string): void;
}

export interface RateLimitOptions {
  /** The maximum number of remembered networks of each size. */
  readonly capacity?: number;
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number;
}

type Times = readonly number[];

/** The recent attempts of all networks of one size. */
interface SlidingWindow {
  /** Returns the milliseconds until the next attempt is allowed; 0 if it is allowed now. */
  wait(key: string): number;
  count(key: string): void;
}

/** Attempts per minute by prefix length of an IPv6 network. An IPv4 address counts as a network of each size. */
const NETWORK_LIMITS: readonly (readonly [bits: number, tries: number])[] = [[64, 5], [56, 10], [48, 30]];

export function openRateLimit({ capacity = 20_000, now = () => performance.now() }: RateLimitOptions = {}): RateLimit {
  const sizes = NETWORK_LIMITS.map(([bits, maximum]) => ({ bits, tries: openWindow(maximum, capacity, now) }));
  return {
    countAttempt(address, message) {
      const windows = sizes.map(({ bits, tries: window }) => ({ key: networkOf(address, bits), tries: window }));
      const wait = Math.max(...windows.map(({ key, tries: window }) => window.wait(key)));
      if (wait > 0) throw new Fault("limited", "too_many_tries", message, { retryAfter: wait / SECOND });
      for (const { key, tries: window } of windows) window.count(key);
    },
  };
}

function openWindow(maximum: number, capacity: number, now: () => number): SlidingWindow {
  // Ordered by last attempt, oldest first: a key moves to the end with each attempt.
  const belowLimit = new Map<string, Times>(), atLimit = new Map<string, Times>();
  const recent = (key: string): Times =>
    (belowLimit.get(key) ?? atLimit.get(key) ?? []).filter((time) => time + MINUTE > now());

  /** Removes expired entries, which are at the front. */
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
      return times.length < maximum ? 0 : times[0]! + MINUTE - now();
    },
    count(key) {
      const times = [...recent(key), now()];
      removeExpired(belowLimit);
      removeExpired(atLimit);
      belowLimit.delete(key);
      atLimit.delete(key);
      evictOne();
      (times.length >= maximum ? atLimit : belowLimit).set(key, times);
    },
  };
}
