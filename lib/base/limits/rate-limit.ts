/**
 * Limits attempts to 5 a minute per IPv4 address. IPv6 customers have networks of different sizes (/64, /56 or /48, RFC
 * 6177), so an IPv6 attempt counts towards the limits of all three networks that contain the address. A refused attempt
 * counts towards no limit. Memory is bounded: when it is full, networks at their limit are removed last, so that
 * attackers cannot clear a limit by using many other addresses.
 */
import { Fault } from "#lib/base/errors.ts";
import { getCallerNetwork } from "#lib/base/limits/address.ts";
import { MINUTE, SECOND } from "#lib/base/time.ts";

export interface RateLimit {
  /** Counts an attempt. If the limit is exceeded, throws a `limited` fault (`too_many_tries`) with `message`. */
  countAttempt(address: string, message: string): void;
}

export interface RateLimitOptions {
  /** The maximum number of networks of each size to remember. */
  readonly capacity?: number;
  /** Returns the current reading of a monotonic clock, in milliseconds. */
  readonly now?: () => number;
}

type Times = readonly number[];

/** The recent attempts from networks of one size, by network. */
interface SlidingWindow {
  /** Returns how many milliseconds to wait before the next attempt is allowed; 0 if it is allowed now. */
  wait(key: string): number;
  count(key: string): void;
}

/** Attempts per minute by IPv6 prefix length. An IPv4 address counts as a network of each size. */
const NETWORK_LIMITS: readonly (readonly [bits: number, tries: number])[] = [[64, 5], [56, 10], [48, 30]];

export function createRateLimit(
  { capacity = 20_000, now = () => performance.now() }: RateLimitOptions = {},
): RateLimit {
  const sizes = NETWORK_LIMITS.map(([bits, maximum]) => ({ bits, tries: openWindow(maximum, capacity, now) }));
  return {
    countAttempt(address, message) {
      const windows = sizes.map(({ bits, tries: window }) => ({ key: getCallerNetwork(address, bits), tries: window }));
      const wait = Math.max(...windows.map(({ key, tries: window }) => window.wait(key)));
      if (wait > 0) throw new Fault("limited", "too_many_tries", message, { retryAfter: wait / SECOND });
      for (const { key, tries: window } of windows) window.count(key);
    },
  };
}

function openWindow(maximum: number, capacity: number, now: () => number): SlidingWindow {
  // Both maps are ordered by the time of the last attempt, oldest first: each attempt moves its key to the end.
  const belowLimit = new Map<string, Times>(), atLimit = new Map<string, Times>();
  const recent = (key: string): Times =>
    (belowLimit.get(key) ?? atLimit.get(key) ?? []).filter((time) => time + MINUTE > now());

  /** Removes expired entries, which are always at the front. */
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
