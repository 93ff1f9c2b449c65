/**
 * Defines the interface to the database for the rest of the program. `openDatabase` in open.ts implements it.
 *
 * `rows` runs single statements, `transact` runs several as one transaction. Both use the pool in pool.ts instead of
 * the driver's own. A lost connection rejects its pending statements and never runs them on another one.
 */
import type { Kysely, Transaction } from "kysely";
import type { Schema } from "#lib/drivers/db/schema.ts";

/** Runs single statements, on the pool or within the caller's transaction. They are retried after a deadlock. */
export type Rows = Kysely<Schema> & {
  /**
   * Runs a short read on a shared connection. Absent in a transaction, because its reads must run on its own
   * connection.
   */
  readonly readShared?: (text: string, params: readonly unknown[]) => Promise<Record<string, unknown>[]>;
};

/** An open transaction. After its commit, the topics in `wakes` are announced to all replicas. */
export interface Tx extends Transaction<Schema> {
  readonly wakes: Set<WakeupTopic>;
}

/**
 * The topic of a wake-up: new stream events of a hub, work in the queue, a running job to cancel, or a user whose
 * credentials or memberships changed. A wake-up has no data: listeners must read the rows.
 */
export type WakeupTopic = `federation:${string}` | `job:${string}` | `user:${string}` | "jobs";

/** Wake-ups from all replicas, including this one. */
export interface Wakeups {
  /**
   * Calls the listener for each wake-up of the topic, and whenever some may have been missed because the control
   * connection was replaced. Returns a function that ends the subscription.
   */
  subscribe(topic: WakeupTopic, listener: () => void): () => void;
}

/**
 * The control connection. Requests never use it, so heartbeats do not wait for requests. It is replaced when it closes
 * or does not answer.
 */
export interface ControlConnection {
  /** Runs one statement. Rejects after two seconds without an answer, and immediately while disconnected. */
  query(text: string, params?: readonly unknown[]): Promise<Record<string, unknown>[]>;
}

/** The user of a transaction, and a check that runs before its work. */
export interface TransactionHold {
  /**
   * The user's ID. A transaction that revokes a right of this user waits, after its commit, until this transaction has
   * ended.
   */
  readonly user: string;
  /** Throws if the work is not allowed. The check sees all revocations that were already confirmed. */
  readonly check: (tx: Tx) => Promise<void>;
  /** Wraps COMMIT, which must not be cancelled. The caller can pause its time limit during the commit. */
  readonly onCommit?: <T>(commit: () => Promise<T>) => Promise<T>;
}

interface DatabaseStats {
  /** The pool's limit, open connections, idle connections and waiting callers. */
  readonly size: number;
  readonly open: number;
  readonly idle: number;
  readonly waiting: number;
  /** Whether the control connection is up. */
  readonly control: boolean;
}

export interface Database {
  readonly rows: Rows;
  /**
   * Runs the work as one transaction: commits when it returns, rolls back when it throws. After a deadlock the work
   * runs again, so it must have no effects that a rollback does not undo. If the transaction wakes a user, the call
   * returns only when earlier transactions of that user have ended.
   */
  transact<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /**
   * Runs reads for event streams, on separate connections without a wait limit. `within` does not apply to these reads,
   * because a cancelled query closes its connection and stream clients disconnect often.
   */
  readonly streams: Rows;
  /** Returns the database for one request. When the signal aborts, waiting ends and running queries are cancelled. */
  within(signal: AbortSignal): Database;
  /** Returns a database that runs each transaction for this user and with this check. */
  holding(hold: TransactionHold): Database;
  readonly wakeups: Wakeups;
  readonly control: ControlConnection;
  stats(): DatabaseStats;
  /** Returns the database's time. */
  now(): Promise<Date>;
}

/** The database with the method that closes it. */
export interface OpenDatabase extends Database {
  /** Lets running statements finish for up to two seconds, then closes all connections. */
  close(): Promise<void>;
}
