/** Defines the types and time limits of diagnoses. */
import { lastOccurrence } from "#lib/drivers/cluster/diagnosis/inspect-objects.ts";
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import type { FailureCause } from "#lib/base/errors.ts";
import { MINUTE, SECOND } from "#lib/base/time.ts";

export interface LogRef {
  readonly pod: string;
  readonly container: string;
}

export type Diagnosis =
  | { readonly is: "ready" }
  | {
    readonly is: "waiting";
    readonly sentence: string;
    /** Milliseconds after which the unchanged state must be diagnosed again. */
    readonly again?: number | undefined;
    /** The container whose last log line has the reason. */
    readonly log?: LogRef;
  }
  | {
    readonly is: "impossible";
    readonly code: string;
    readonly message: string;
    readonly blame: FailureCause;
    readonly hint?: string | undefined;
  };

/** Milliseconds to wait for problems that may resolve without intervention. */
export interface DiagnosisTimeLimits {
  /** The pod fits on no node, but an autoscaler may add one. Also the limit for problems older than the wait. */
  readonly unschedulableMs: number;
  /** Other pods use up the quota, but some may end soon. */
  readonly quotaMs: number;
  /** An image cannot be pulled because of an error that may be temporary. */
  readonly imageMs: number;
  /** A Secret or ConfigMap is missing, but may be created soon. */
  readonly configMs: number;
  /**
   * A volume cannot be created or mounted. The driver retries, and another node may take minutes to release the volume.
   */
  readonly volumeMs: number;
  /** A new, empty volume is not provisioned. */
  readonly provisionMs: number;
  /** No certificate is issued, because the site's host does not point to this cluster yet. DNS changes take time. */
  readonly certificateMs: number;
  /** A container was crashing before the wait began. The kubelet restarts it within five minutes. */
  readonly crashMs: number;
}

export const DIAGNOSIS_TIME_LIMITS: DiagnosisTimeLimits = {
  unschedulableMs: 2 * MINUTE,
  quotaMs: MINUTE,
  imageMs: 3 * MINUTE,
  configMs: 10 * SECOND,
  volumeMs: 10 * MINUTE,
  provisionMs: 10 * MINUTE, // less than the time limit of every step that waits for a new volume
  certificateMs: 10 * MINUTE,
  crashMs: 6 * MINUTE,
};

/** The current time and the start of the wait, both by the cluster's clock. */
export interface WaitClock {
  readonly now: number;
  readonly since: number;
  readonly patience: DiagnosisTimeLimits;
}

export interface ObservedPod {
  readonly pod: KubeObject;
  readonly own: readonly KubeObject[];
  readonly clock: WaitClock;
}

/** Milliseconds before the start of a wait in which a message may already result from the change. */
const START_TOLERANCE = 5 * SECOND;

/**
 * Whether a message of this time may still describe the current state. Controllers retry less and less often, so the
 * last message may predate the fix. It counts again if no newer message arrives within the time limit.
 */
export function mayBeCurrent(at: number, clock: WaitClock): boolean {
  return !isBeforeWait(at, clock) || clock.now >= clock.since + clock.patience.unschedulableMs;
}

/** Whether a message of this time is older than the wait. */
export function isBeforeWait(at: number, clock: WaitClock): boolean {
  return at < clock.since - START_TOLERANCE;
}

export function isPossiblyCurrentEvent(event: KubeObject, clock: WaitClock): boolean {
  return mayBeCurrent(lastOccurrence(event), clock);
}

export function waitingDiagnosis(sentence: string, again?: number): Diagnosis {
  return { is: "waiting", sentence, ...(again === undefined ? {} : { again: Math.max(again, 50) }) };
}

export function impossibleDiagnosis(code: string, message: string, blame: FailureCause, hint?: string): Diagnosis {
  return { is: "impossible", code, message, blame, hint };
}

/** Returns a waiting diagnosis before `moment`, and the final diagnosis afterwards. */
export function waitingDiagnosisUntil(
  moment: number,
  clock: WaitClock,
  sentence: string,
  finalDiagnosis: Diagnosis,
): Diagnosis {
  return clock.now >= moment ? finalDiagnosis : waitingDiagnosis(sentence, moment - clock.now);
}
