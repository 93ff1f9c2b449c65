/**
 * Defines the interface to the database, which `openDatabase` in open.ts implements. `rows` runs single statements, and
 * `transact` runs several as one transaction. A lost connection rejects its pending statements and never runs them on
 * another connection.
 */
import type { Kysely, Transaction } from "kysely";
import type { Schema } from "#lib/drivers/db/schema.ts";

/** Runs single statements, on the pool or in the caller's transaction. Statements are retried after a deadlock. */
export type Rows = Kysely<Schema> & {
  /** Runs a short read on a shared connection. Absent in a transaction, whose reads run on its own connection. */
  readonly readShared?: (text: string, params: readonly unknown[]) => Promise<Record<string, unknown>[]>;
};

/** An open transaction. After its commit, the topics in `wakes` are announced to all replicas. */
export interface Tx extends Transaction<Schema> {
  readonly wakes: Set<WakeupTopic>;
}

/**
 * The topic of a wake-up: new stream events of a hub, queued work, a running job to cancel, or a user whose credentials
 * or memberships changed. A wake-up has no data, so listeners must read the rows.
 */
export type WakeupTopic = `federation:${string}` | `job:${string}` | `user:${string}` | "jobs";

/** Wake-ups from all replicas, including this one. */
export interface Wakeups {
  /**
   * Calls the listener for each wake-up of the topic, and whenever a wake-up may be lost. Returns a function that
   * unsubscribes.
   */
  subscribe(topic: WakeupTopic, listener: () => void): () => void;
}

/** The connection for heartbeats, separate from those of requests. Replaced when it closes or does not answer. */
export interface ControlConnection {
  /** Rejects after two seconds without an answer, and immediately while disconnected. */
  query(text: string, params?: readonly unknown[]): Promise<Record<string, unknown>[]>;
}

/** The user of a transaction, and a check that runs before the work. */
export interface TransactionHold {
  /**
   * The user's ID. A transaction that revokes a right of this user waits, after its commit, until this transaction has
   * ended.
   */
  readonly user: string;
  /** Throws if the work is not allowed. The check sees all revocations that were already confirmed. */
  readonly check: (tx: Tx) => Promise<void>;
  /** Wraps COMMIT, which must not be cancelled. The caller can pause the time limit meanwhile. */
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
   * Runs the work as one transaction: commits when it returns, and rolls back when it throws. The work runs again after
   * a deadlock, so its effects must be limited to the database. If the transaction wakes a user, the call waits until
   * that user's earlier transactions have ended.
   */
  transact<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /**
   * Runs reads for event streams on separate connections, without a wait limit. `within` does not cancel these reads,
   * because a cancelled query closes its connection.
   */
  readonly streams: Rows;
  /** Returns the database for one request. When the signal aborts, waiting ends and running queries are cancelled. */
  within(signal: AbortSignal): Database;
  /** Returns a database that runs each transaction for this user and with this check. */
  holding(hold: TransactionHold): Database;
  readonly wakeups: Wakeups;
  readonly control: ControlConnection;
  stats(): DatabaseStats;
  /** Returns the time of the database server. */
  now(): Promise<Date>;
}

export interface OpenDatabase extends Database {
  /** Lets running statements finish for up to two seconds, then closes all connections. */
  close(): Promise<void>;
}
