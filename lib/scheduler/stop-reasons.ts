/** Defines the reasons why a run ends before its job is finished. Most reasons are passed to an AbortSignal. */
import { FenceLostError } from "#lib/jobs/fence.ts";

/** Thrown when this replica's heartbeat was late, so that other replicas may have taken over its jobs. */
export class LeaseLapsedError extends Error {
  override readonly name = "LeaseLapsedError";
  constructor() {
    super("This replica sent no heartbeat in time; other replicas may have taken over its jobs");
  }
}

export class RunCancelledError extends Error {
  override readonly name = "RunCancelledError";
  constructor() {
    super("The operation was cancelled");
  }
}

export class ReplicaDrainingError extends Error {
  override readonly name = "ReplicaDrainingError";
  constructor() {
    super("This replica is shutting down");
  }
}

/** Thrown by a step to let other jobs run first. The run does not count as an attempt. */
export class StepYielded extends Error {
  override readonly name = "StepYielded";
  /** The delay before the job may be claimed again, in milliseconds. */
  readonly delayMs: number;

  /** `sentence` is shown to users until the job continues. `wait` is in milliseconds. */
  constructor(sentence: string, wait: number) {
    super(sentence);
    this.delayMs = wait;
  }
}

/** Thrown by a step that must wait for another operation. Other jobs in the same queue can run in the meantime. */
export class OperationAwaited extends Error {
  override readonly name = "OperationAwaited";
  readonly operationId: string;

  /** `sentence` is shown to users until the job continues. */
  constructor(sentence: string, operationId: string) {
    super(sentence);
    this.operationId = operationId;
  }
}

export class StepTimeoutError extends Error {
  override readonly name = "StepTimeoutError";
  constructor(label: string, milliseconds: number) {
    super(`"${label}" did not finish within ${Math.round(milliseconds / 1000)} seconds`);
  }
}

/** Thrown when the code of a step uses a run that has already ended. */
export class RunEndedError extends Error {
  override readonly name = "RunEndedError";
  constructor() {
    super("The run of this job has ended");
  }
}

/** Whether a step that ended for this reason was interrupted rather than failed. */
export function isInterruption(reason: unknown): boolean {
  return [LeaseLapsedError, RunCancelledError, ReplicaDrainingError, StepYielded, OperationAwaited, FenceLostError]
    .some((interruption) => reason instanceof interruption);
}

/** Returns a promise that rejects with the abort reason as soon as the signal is aborted. */
export function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) return reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
