/**
 * Slows guessing at one account, from however many addresses, and locks nobody out.
 *
 * After some failures in a row, attempts at an e-mail address go one at a time with a pause after each failure. Networks
 * take turns: one that has guessed less often goes first, so the owner is next, however many guesses of others wait. The
 * right password clears it all. An address without an account is treated alike, so nobody learns from it who has one.
 * Only somebody who comes from a new network every two seconds can keep the owner waiting.
 *
 *   fewer than FREE failures and attempts under way: an attempt begins at once
 *   else: it waits until none is under way, and the pause after the last failure is over
 *
 * Kept in memory by each replica, and bounded. An attempt that waits holds nothing but its place.
 */
import { setTimeout } from "node:timers";
import { Fault } from "#lib/base/errors.ts";
import { openTally } from "#lib/base/limits/tally.ts";
import { openTurns, type Turn } from "#lib/base/limits/turns.ts";
import { MINUTE, SECOND } from "#lib/base/time.ts";

export interface Attempt extends Turn {
  /** In lower case, as the Email schema leaves it. */
  readonly email: string;
}

export interface Attempts {
  /**
   * Judges the attempt when its turn has come; a password that is wrong gives null. Throws Fault limited
   * `too_many_tries` when it cannot have its turn in time.
   */
  take<T>(attempt: Attempt, judge: () => Promise<T | null>): Promise<T | null>;
}

interface AttemptsOptions {
  /** How many addresses are remembered. */
  readonly capacity?: number;
  /** Milliseconds on a clock that never goes back. */
  readonly now?: () => number;
  /** Does this after so many milliseconds, unless what it returns is called before. */
  readonly after?: (ms: number, work: () => void) => () => void;
}

interface Account {
  /** In a row. */
  failures: number;
  failedAt: number;
  running: number;
  /** In the pause after a failure. */
  pausing: boolean;
}

const FREE = 5; // failures of somebody who mistypes
const FIRST_PAUSE = SECOND / 4, LONGEST_PAUSE = 2 * SECOND; // the longest allows 43,200 guesses a day
const QUIET = 15 * MINUTE; // after which failures are forgotten
const PLACES = 64; // for all accounts together: what waits is in flight, and others must be, too
const PATIENCE = 15 * SECOND; // half of what a request may take

export function openAttempts(options: AttemptsOptions = {}): Attempts {
  const { capacity = 10_000, now = () => performance.now(), after = later } = options;
  const accounts = new Map<string, Account>(); // by the time of the last failure, the oldest first
  const failures = openTally({ span: QUIET, capacity, now });
  const keyOf = ({ email, whose }: Attempt) => `${email} ${whose}`;
  const turns = openTurns<Attempt>({ places: PLACES, past: (attempt) => failures.count(keyOf(attempt)), refusal });

  function find(email: string): Account {
    for (const [oldest, account] of accounts) {
      if (account.failedAt + QUIET > now()) break;
      if (isIdle(account)) accounts.delete(oldest);
    }
    const known = accounts.get(email);
    if (known) return known;
    if (accounts.size >= capacity) forgetOne();
    const made = { failures: 0, failedAt: now(), running: 0, pausing: false };
    accounts.set(email, made);
    return made;
  }

  /**
   * An address that is slowed is forgotten only if all others are, too: nobody can end that by trying thousands of
   * others.
   */
  function forgetOne(): void {
    let first: string | undefined;
    for (const [email, account] of accounts) {
      if (!isIdle(account)) continue;
      if (account.failures < FREE) return void accounts.delete(email);
      first ??= email;
    }
    if (first !== undefined) accounts.delete(first);
  }

  /** Lets those begin whose turn has come. Whenever an attempt may begin, none waits. */
  function admit(email: string, account: Account): void {
    while (mayBegin(account) && turns.next((attempt) => attempt.email === email)) account.running++;
  }

  async function wait(attempt: Attempt): Promise<void> {
    const patience = new AbortController(), { signal } = attempt;
    const cancel = after(PATIENCE, () => patience.abort(refusal()));
    const either = signal ? AbortSignal.any([signal, patience.signal]) : patience.signal;
    await turns.wait({ ...attempt, signal: either }).finally(cancel);
  }

  function fail(attempt: Attempt, account: Account): void {
    failures.add(keyOf(attempt));
    account.failures++;
    account.failedAt = now();
    accounts.delete(attempt.email);
    accounts.set(attempt.email, account);
    if (account.failures < FREE) return;
    account.pausing = true;
    after(Math.min(FIRST_PAUSE * 2 ** (account.failures - FREE), LONGEST_PAUSE), () => {
      account.pausing = false;
      admit(attempt.email, account);
    });
  }

  function succeed(attempt: Attempt, account: Account): void {
    failures.forget(keyOf(attempt));
    account.failures = 0;
  }

  return {
    async take(attempt, judge) {
      const { email } = attempt, account = find(email);
      if (mayBegin(account)) account.running++;
      else await wait(attempt);
      try {
        const judged = await judge();
        if (judged === null) fail(attempt, account);
        else succeed(attempt, account);
        return judged;
      } finally {
        account.running--;
        admit(email, account);
      }
    },
  };
}

function mayBegin({ failures, running, pausing }: Account): boolean {
  return failures + running < FREE || running === 0 && !pausing;
}

function isIdle({ running, pausing }: Account): boolean {
  return running === 0 && !pausing;
}

function refusal(): Fault {
  return new Fault("limited", "too_many_tries", "too many login attempts", { retryAfter: 5 });
}

function later(ms: number, work: () => void): () => void {
  const timer = setTimeout(work, ms);
  timer.unref();
  return () => clearTimeout(timer);
}
