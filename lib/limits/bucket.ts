/**
 * How often one address may try: 5 times in any minute. Kept in memory and bounded in size, because anybody can make it
 * grow.
 *
 * When it is full, it forgets who tried least recently among those who may still try. Somebody who has used up his tries
 * is forgotten only if all others have too, so he cannot free himself by coming from some thousand other addresses.
 */
import { Fault } from "#lib/errors.ts";
import { networkOf } from "#lib/limits/address.ts";
import { MINUTE, SECOND } from "#lib/time.ts";

export interface Bucket {
  /** Counts a try of this address; throws Fault limited with the message when it was one too many. */
  take(address: string, message: string): void;
}

export interface BucketOptions {
  readonly tries?: number;
  /** Milliseconds in which so many are allowed. */
  readonly window?: number;
  /** How many addresses are remembered. */
  readonly capacity?: number;
  /** Milliseconds on a clock that never goes back. */
  readonly now?: () => number;
}

type Times = readonly number[];

export function openBucket(options: BucketOptions = {}): Bucket {
  const { tries = 5, window = MINUTE, capacity = 20_000, now = () => performance.now() } = options;
  // By time of the last try, oldest first: a key is taken out and put back at the end each time.
  const some = new Map<string, Times>(), spent = new Map<string, Times>();
  const isOver = (times: Times) => times.at(-1)! + window <= now();

  /** Drops what is over: it stands at the front. */
  function sweep(entries: Map<string, Times>): void {
    for (const [key, times] of entries) {
      if (!isOver(times)) return;
      entries.delete(key);
    }
  }

  function makeRoom(): void {
    if (some.size + spent.size < capacity) return;
    const from = some.size > 0 ? some : spent;
    for (const key of from.keys()) return void from.delete(key);
  }

  return {
    take(address, message) {
      sweep(some);
      sweep(spent);
      const key = networkOf(address);
      const recent = (some.get(key) ?? spent.get(key) ?? []).filter((time) => time + window > now());
      if (recent.length >= tries) {
        const retryAfter = (recent[0]! + window - now()) / SECOND;
        throw new Fault("limited", "too_many_tries", message, { retryAfter });
      }
      some.delete(key);
      spent.delete(key);
      makeRoom();
      const times = [...recent, now()];
      (times.length >= tries ? spent : some).set(key, times);
    },
  };
}
