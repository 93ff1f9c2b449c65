/** Defines the interface of a queue under test for test/bench/queue.ts. */
export const CONCURRENCY = 16, LANES = 1_000;

/** A queue with a worker. Its jobs only call `onJob`. */
export interface MeasuredQueue {
  /** Adds this number of jobs, spread over the lanes, before the worker starts. */
  fill(jobs: number): Promise<void>;
  start(onJob: () => void): Promise<void>;
  /** Adds one job. */
  add(): Promise<void>;
  /** Waits for running jobs to end and stores their results. */
  stop(): Promise<void>;
}
