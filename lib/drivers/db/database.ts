/**
 * Defines the interface to the database, which `openDatabase` in open.ts implements. `rows` runs single statements, and
 * `transact` runs several statements as one transaction. If a connection is lost, its pending statements fail and are
 * never run on another connection.
 */
import type { Kysely, Transaction } from "kysely";
import type { Schema } from "#lib/drivers/db/schema.ts";

/** Runs single statements, within the caller's transaction if it has one. Statements are retried after a deadlock. */
export type RowQueries = Kysely<Schema> & {
  /** Runs a short read on a shared connection. Absent within a transaction, which reads on its own connection. */
  readonly readShared?: (
    text: string,
    params: readonly unknown[],
    batch?: ReadBatch,
  ) => Promise<Record<string, unknown>[]>;
};

/** A statement that combines many reads of the same kind, each with other keys. */
export interface ReadBatch {
  /** The parameters are an array for each key, then the constants. The first column is the read's number, from 1. */
  readonly text: string;
  readonly constants: readonly unknown[];
  /** The keys of a single read. */
  readonly keys: readonly unknown[];
}

/** An open transaction. After COMMIT, all replicas are notified of changes to the topics in `wakes`. */
export interface Tx extends Transaction<Schema> {
  readonly wakes: Set<WakeupTopic>;
}

/**
 * The subject of a wake-up (a notice to all replicas): new stream events in a hub, queued jobs, a job to cancel, or a
 * user whose credentials or memberships changed. A wake-up carries no data, so listeners must read the rows.
 */
export type WakeupTopic = `federation:${string}` | `job:${string}` | `user:${string}` | "jobs";

/** Receives wake-ups (notices of changed rows) from all replicas, including this one. */
export interface Wakeups {
  /**
   * Calls the listener for each wake-up about the topic, and whenever wake-ups may have been lost. Returns a function
   * that unsubscribes the listener.
   */
  subscribe(topic: WakeupTopic, listener: () => void): () => void;
}

/** The connection for heartbeats to the database, outside the pool. Replaced if it closes or does not respond. */
export interface ControlConnection {
  /** Rejects after two seconds without an answer, or immediately while disconnected. */
  query(text: string, params?: readonly unknown[]): Promise<Record<string, unknown>[]>;
}

/** The user on whose behalf a transaction runs, and a check that runs before the transaction's work. */
export interface TransactionAuthorization {
  /**
   * The user's ID. Code that revokes one of this user's rights commits the change, and then waits until this
   * transaction has ended.
   */
  readonly user: string;
  /** Throws if the user may not do the work. Takes into account all revocations confirmed before the check. */
  readonly check: (tx: Tx) => Promise<void>;
  /** Wraps COMMIT, which must not be cancelled. The caller can pause its time limit while COMMIT runs. */
  readonly onCommit?: <T>(commit: () => Promise<T>) => Promise<T>;
}

interface DatabaseStats {
  /** The pool's maximum number of connections. */
  readonly size: number;
  readonly open: number;
  readonly idle: number;
  readonly waiting: number;
  /** Whether the control connection, which is used for LISTEN and heartbeats, is open. */
  readonly control: boolean;
}

export interface Database {
  readonly rows: RowQueries;
  /**
   * Runs the work as one transaction: commits when the work returns, and rolls back when the work throws. After a
   * deadlock the work runs again, so it must change only the database. If `wakes` contains a user, the call waits until
   * that user's earlier transactions have ended.
   */
  transact<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /**
   * Runs reads for event streams on separate connections. Callers wait for a connection without a time limit. `within`
   * does not cancel these reads, because cancelling a query closes its connection.
   */
  readonly streams: RowQueries;
  /** Returns the database for one request. When the signal aborts, the request's queries are cancelled. */
  within(signal: AbortSignal): Database;
  /** Returns a database whose transactions run on behalf of `hold.user`, each after `hold.check`. */
  holding(hold: TransactionAuthorization): Database;
  readonly wakeups: Wakeups;
  readonly control: ControlConnection;
  stats(): DatabaseStats;
  /** Returns the database server's current time. */
  now(): Promise<Date>;
}

export interface ClosableDatabase extends Database {
  /** Waits up to two seconds for running statements to finish, then closes all connections. */
  close(): Promise<void>;
}
