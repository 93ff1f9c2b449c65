/**
 * What the rest of the program knows of the database: the contract of `openDatabase` in open.ts.
 *
 * `rows` runs single statements, `transact` runs several as one. Both take a connection from our own pool (pool.ts
 * says why it is ours); a lost connection rejects what was under way and never runs any of it somewhere else.
 */
import type { Kysely, Transaction } from "kysely";
import type { Schema } from "#lib/drivers/db/schema.ts";

/** Reads and single statements, done again after a deadlock: the pool, or a transaction that the caller is in. */
export type Rows = Kysely<Schema> & {
  /** Runs a short read beside those of others; absent within a transaction, whose reads belong to it. */
  readonly readShared?: (text: string, params: readonly unknown[]) => Promise<Record<string, unknown>[]>;
};

/** An open transaction. What is added to `wakes` is announced to all replicas after the commit, never before. */
export interface Tx extends Transaction<Schema> {
  readonly wakes: Set<Topic>;
}

/**
 * What a wake-up is about: new stream events of a hub, work in the queue, a running job that shall stop, or a user whose
 * credentials or memberships were given or taken back. Wake-ups are hints; rows are the truth.
 */
export type Topic = `federation:${string}` | `job:${string}` | `user:${string}` | "jobs";

/** Wake-ups from all replicas, this one included. */
export interface Wakeups {
  /**
   * Calls the listener for each wake-up of the topic, and whenever some may have been missed (the control connection
   * was replaced). Returns what ends the subscription.
   */
  subscribe(topic: Topic, listener: () => void): () => void;
}

/**
 * The one connection that no request ever uses, for what must not wait behind requests: heartbeats. It is replaced when
 * it closes or does not answer.
 */
export interface Control {
  /** Runs one statement; rejects when it has no answer within two seconds, and at once while there is no connection. */
  query(text: string, params?: readonly unknown[]): Promise<Record<string, unknown>[]>;
}

/** For whom a transaction is, and what it makes sure of before its work. */
export interface TransactionHold {
  /** Id of a user. Who takes something from this user waits, once that is committed, until the transaction has ended. */
  readonly user: string;
  /** Throws when the work shall not be done. It sees all that was taken by somebody who has been told so. */
  readonly check: (tx: Tx) => Promise<void>;
  /** Runs COMMIT, whose answer must not be given up: a caller's time can stand still meanwhile. */
  readonly onCommit?: <T>(commit: () => Promise<T>) => Promise<T>;
}

interface DatabaseStats {
  /** Connections that the pool may have, has, has idle, and callers that wait for one. */
  readonly size: number;
  readonly open: number;
  readonly idle: number;
  readonly waiting: number;
  /** Whether the control connection stands. */
  readonly control: boolean;
}

export interface Database {
  readonly rows: Rows;
  /**
   * Runs the work as one transaction: commits what it returns from, rolls back what it throws out of. After a deadlock
   * the work is run again from its start, so it must do nothing that a rollback does not undo. When it wakes a user, it
   * returns once no transaction that holds that user has begun before.
   */
  transact<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /**
   * Reads of event streams, on connections of their own: callers wait for one as long as it takes. `within` does not
   * narrow it: a query that is cancelled costs its connection, and clients of streams leave at any moment.
   */
  readonly streams: Rows;
  /** The same database for one request: waiting ends and running queries are cancelled when the signal aborts. */
  within(signal: AbortSignal): Database;
  /** The same database, each of whose transactions holds this. */
  holding(hold: TransactionHold): Database;
  readonly wakeups: Wakeups;
  readonly control: Control;
  stats(): DatabaseStats;
  /** The database's own clock. */
  now(): Promise<Date>;
}

/** The database as its opener holds it. */
export interface OpenDatabase extends Database {
  /** Lets what is under way end, for two seconds at most, then cuts it. Nothing can be asked afterwards. */
  close(): Promise<void>;
}
