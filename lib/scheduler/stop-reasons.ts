/** Defines why a run ends before its job is finished. Most are used as the reason of an aborted signal. */
import { FenceLost } from "#lib/jobs/fence.ts";

/** The replica's heartbeat was late, so other replicas may have taken its jobs. */
export class LeaseLapsed extends Error {
  override readonly name = "LeaseLapsed";
  constructor() {
    super("This replica sent no heartbeat in time; other replicas may have taken over its jobs");
  }
}

export class RunCancelled extends Error {
  override readonly name = "RunCancelled";
  constructor() {
    super("The operation was cancelled");
  }
}

export class ReplicaDraining extends Error {
  override readonly name = "ReplicaDraining";
  constructor() {
    super("This replica is shutting down");
  }
}

/** Thrown by a step that lets other jobs run first. The run does not count as an attempt. */
export class StepYielded extends Error {
  override readonly name = "StepYielded";
  /** Milliseconds until the job may be claimed again. */
  readonly delayMs: number;

  /** The sentence is shown until the job continues. */
  constructor(sentence: string, wait: number) {
    super(sentence);
    this.delayMs = wait;
  }
}

/** Thrown by a step that needs the result of another operation. Its lane continues meanwhile. */
export class OperationAwaited extends Error {
  override readonly name = "OperationAwaited";
  readonly operationId: string;

  /** The sentence is shown until the job continues. */
  constructor(sentence: string, operationId: string) {
    super(sentence);
    this.operationId = operationId;
  }
}

export class StepTimeout extends Error {
  override readonly name = "StepTimeout";
  constructor(label: string, milliseconds: number) {
    super(`"${label}" did not finish within ${Math.round(milliseconds / 1000)} seconds`);
  }
}

/** Thrown when a step still uses its run after the run has ended. */
export class RunEnded extends Error {
  override readonly name = "RunEnded";
  constructor() {
    super("The run of this job has ended");
  }
}

/** Whether the reason is an interruption of the step and not its failure. */
export function isInterruption(reason: unknown): boolean {
  return [LeaseLapsed, RunCancelled, ReplicaDraining, StepYielded, OperationAwaited, FenceLost].some((interruption) =>
    reason instanceof interruption
  );
}

/** Rejects with the reason as soon as the signal is aborted. */
export function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) return reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
