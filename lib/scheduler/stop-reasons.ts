/** Why a run ends before its job does. Each is the reason of an aborted signal. */
import { FenceLost } from "#lib/jobs/fence.ts";

/** This replica has not been heard of for so long that others may have taken its jobs. */
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

/** A step leaves its place to others, and throws this. That is no attempt. */
export class StepYielded extends Error {
  override readonly name = "StepYielded";
  /** Milliseconds. */
  readonly delayMs: number;

  /** The sentence is what is read until then. */
  constructor(sentence: string, wait: number) {
    super(sentence);
    this.delayMs = wait;
  }
}

/** A step needs what another operation is to bring, and that has not ended yet. It throws this; its lane goes on meanwhile. */
export class OperationAwaited extends Error {
  override readonly name = "OperationAwaited";
  readonly operationId: string;

  /** The sentence is what people read until then. */
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

/** The run is over; what is still going on of it must not go on. */
export class RunEnded extends Error {
  override readonly name = "RunEnded";
  constructor() {
    super("The run of this job has ended");
  }
}

/** Whether the step that it ended has not failed by it. */
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
