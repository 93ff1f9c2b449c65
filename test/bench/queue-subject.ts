/** What is measured by test/bench/queue.ts, as its workers see it. */
export const CONCURRENCY = 16, LANES = 1_000;

/** A queue with a worker whose jobs do nothing but call `onJob`. */
export interface Queue {
  /** Adds so many jobs, spread over the lanes. Before the worker starts. */
  fill(jobs: number): Promise<void>;
  start(onJob: () => void): Promise<void>;
  /** Asks for one job. */
  add(): Promise<void>;
  /** Lets what runs end, and writes it. */
  stop(): Promise<void>;
}
