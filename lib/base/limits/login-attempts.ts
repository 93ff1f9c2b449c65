/**
 * Slows down password guessing, even from many IP addresses, without locking out the account's owner. After
 * FREE_FAILURES failed logins in a row, attempts for an email address run one at a time, with a pause after each
 * failure. The network with the fewest recent failures goes first, so that the owner does not wait behind an attacker.
 * Email addresses without an account are treated the same way, so that the delay does not reveal which accounts exist.
 * Each replica keeps its own counts in memory.
 */
import { setTimeout } from "node:timers";
import { Fault } from "#lib/base/errors.ts";
import { createExpiringCounter } from "#lib/base/limits/expiring-counter.ts";
import { createFairQueue, type QueueEntry } from "#lib/base/limits/fair-queue.ts";
import { MINUTE, SECOND } from "#lib/base/time.ts";

export interface LoginAttempt extends QueueEntry {
  /** The email address in canonical form, as the schema EmailAddress returns it. */
  readonly email: string;
}

export interface LoginThrottle {
  /**
   * Runs `checkPassword`, possibly after waiting. `checkPassword` returns null if the password is wrong. Throws a
   * `limited` fault (`too_many_tries`) if the attempt waits for too long or the queue is full.
   */
  run<T>(attempt: LoginAttempt, checkPassword: () => Promise<T | null>): Promise<T | null>;
}

interface LoginAttemptsOptions {
  /** The maximum number of email addresses to remember. */
  readonly capacity?: number;
  /** Returns the current reading of a monotonic clock, in milliseconds. */
  readonly now?: () => number;
  /** Calls `work` after `ms` milliseconds. Returns a function that cancels the call. */
  readonly after?: (ms: number, work: () => void) => () => void;
}

interface Account {
  /** The number of failed logins in a row. */
  failures: number;
  failedAt: number;
  running: number;
  pausing: boolean;
}

const FREE_FAILURES = 5; // failed logins before delays begin, to allow for typing errors
const FIRST_PAUSE = SECOND / 4, LONGEST_PAUSE = 2 * SECOND; // the longest pause still allows 43,200 guesses a day
const FAILURE_MEMORY = 15 * MINUTE; // milliseconds after which failures are forgotten
const MAX_WAITING = 64; // attempts across all accounts; each one counts as a request in flight
const MAX_WAIT = 15 * SECOND; // half of a request's time limit

export function createLoginThrottle(options: LoginAttemptsOptions = {}): LoginThrottle {
  const { capacity = 10_000, now = () => performance.now(), after = setTimer } = options;
  const accounts = new Map<string, Account>(); // ordered by last failure, oldest first
  const failures = createExpiringCounter({ span: FAILURE_MEMORY, capacity, now });
  const keyOf = ({ email, caller }: LoginAttempt) => `${email} ${caller}`;
  const queue = createFairQueue<LoginAttempt>({
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

  /** Removes an idle account from memory, if possible one with few failures, so that attackers cannot reset delays. */
  function evictOne(): void {
    let first: string | undefined;
    for (const [email, account] of accounts) {
      if (!isIdle(account)) continue;
      if (account.failures < FREE_FAILURES) return void accounts.delete(email);
      first ??= email;
    }
    if (first !== undefined) accounts.delete(first);
  }

  /** Starts as many of the account's waiting attempts as the limits allow. */
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
