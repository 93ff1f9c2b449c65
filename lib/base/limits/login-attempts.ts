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
import { openExpiringCounter } from "#lib/base/limits/expiring-counter.ts";
import { openFairQueue, type QueueEntry } from "#lib/base/limits/fair-queue.ts";
import { MINUTE, SECOND } from "#lib/base/time.ts";

export interface LoginAttempt extends QueueEntry {
  /** In lower case, as the Email schema leaves it. */
  readonly email: string;
}

export interface LoginAttempts {
  /**
   * Judges the attempt when its turn has come; a password that is wrong gives null. Throws Fault limited
   * `too_many_tries` when it cannot have its turn in time.
   */
  run<T>(attempt: LoginAttempt, checkPassword: () => Promise<T | null>): Promise<T | null>;
}

interface LoginAttemptsOptions {
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

const FREE_FAILURES = 5; // failures of somebody who mistypes
const FIRST_PAUSE = SECOND / 4, LONGEST_PAUSE = 2 * SECOND; // the longest allows 43,200 guesses a day
const FAILURE_MEMORY = 15 * MINUTE; // after which failures are forgotten
const MAX_WAITING = 64; // for all accounts together: what waits is in flight, and others must be, too
const MAX_WAIT = 15 * SECOND; // half of what a request may take

export function openLoginAttempts(options: LoginAttemptsOptions = {}): LoginAttempts {
  const { capacity = 10_000, now = () => performance.now(), after = setTimer } = options;
  const accounts = new Map<string, Account>(); // by the time of the last failure, the oldest first
  const failures = openExpiringCounter({ span: FAILURE_MEMORY, capacity, now });
  const keyOf = ({ email, caller: whose }: LoginAttempt) => `${email} ${whose}`;
  const queue = openFairQueue<LoginAttempt>({
    capacity: MAX_WAITING,
    recentCount: (attempt) => failures.count(keyOf(attempt)),
    refusal: tooManyAttempts,
  });

  function findOrCreate(email: string): Account {
    for (const [oldest, account] of accounts) {
      if (account.failedAt + FAILURE_MEMORY > now()) break;
      if (isIdle(account)) accounts.delete(oldest);
    }
    const existing = accounts.get(email);
    if (existing) return existing;
    if (accounts.size >= capacity) evictOne();
    const created = { failures: 0, failedAt: now(), running: 0, pausing: false };
    accounts.set(email, created);
    return created;
  }

  /**
   * An address that is slowed is forgotten only if all others are, too: nobody can end that by trying thousands of
   * others.
   */
  function evictOne(): void {
    let first: string | undefined;
    for (const [email, account] of accounts) {
      if (!isIdle(account)) continue;
      if (account.failures < FREE_FAILURES) return void accounts.delete(email);
      first ??= email;
    }
    if (first !== undefined) accounts.delete(first);
  }

  /** Lets those begin whose turn has come. Whenever an attempt may begin, none waits. */
  function startWaiting(email: string, account: Account): void {
    while (canStart(account) && queue.serveNext((attempt) => attempt.email === email)) account.running++;
  }

  async function wait(attempt: LoginAttempt): Promise<void> {
    const timeout = new AbortController(), { signal } = attempt;
    const cancel = after(MAX_WAIT, () => timeout.abort(tooManyAttempts()));
    const signalOrTimeout = signal ? AbortSignal.any([signal, timeout.signal]) : timeout.signal;
    await queue.wait({ ...attempt, signal: signalOrTimeout }).finally(cancel);
  }

  function fail(attempt: LoginAttempt, account: Account): void {
    failures.add(keyOf(attempt));
    account.failures++;
    account.failedAt = now();
    accounts.delete(attempt.email);
    accounts.set(attempt.email, account);
    if (account.failures < FREE_FAILURES) return;
    account.pausing = true;
    after(Math.min(FIRST_PAUSE * 2 ** (account.failures - FREE_FAILURES), LONGEST_PAUSE), () => {
      account.pausing = false;
      startWaiting(attempt.email, account);
    });
  }

  function succeed(attempt: LoginAttempt, account: Account): void {
    failures.forget(keyOf(attempt));
    account.failures = 0;
  }

  return {
    async run(attempt, checkPassword) {
      const { email } = attempt, account = findOrCreate(email);
      if (canStart(account)) account.running++;
      else await wait(attempt);
      try {
        const result = await checkPassword();
        if (result === null) fail(attempt, account);
        else succeed(attempt, account);
        return result;
      } finally {
        account.running--;
        startWaiting(email, account);
      }
    },
  };
}

function canStart({ failures, running, pausing }: Account): boolean {
  return failures + running < FREE_FAILURES || running === 0 && !pausing;
}

function isIdle({ running, pausing }: Account): boolean {
  return running === 0 && !pausing;
}

function tooManyAttempts(): Fault {
  return new Fault("limited", "too_many_tries", "too many login attempts", { retryAfter: 5 });
}

function setTimer(ms: number, work: () => void): () => void {
  const timer = setTimeout(work, ms);
  timer.unref();
  return () => clearTimeout(timer);
}
