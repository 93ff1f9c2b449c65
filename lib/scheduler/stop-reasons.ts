/** Defines why a run ends before its job is finished. Most are used as the reason of an aborted signal. */
import { FenceLost } from "#lib/jobs/fence.ts";

/** The replica's heartbeat was late, so other replicas may have taken its jobs. */
export class LeaseLapsed extends Error {
  override readonly name = "LeaseLapsed";
  constructor() {
    super("This replica could not beat in time, and others may have taken its jobs");
  }
}

export class RunCancelled extends Error {
  override readonly name = "RunCancelled";
  constructor() {
    super("The operation was called off");
  }
}

export class ReplicaDraining extends Error {
  override readonly name = "ReplicaDraining";
  constructor() {
    super("This replica shuts down");
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
    super(`"${label}" was not done within ${Math.round(milliseconds / 1000)} seconds`);
  }
}

/** Thrown by a run that has ended, to stop code of a step that still runs. */
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
