/** Defines the possible results of a diagnosis, and how long to tolerate problems that may be temporary. */
import { getLastEventTime } from "#lib/drivers/cluster/diagnosis/inspect-objects.ts";
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import type { FailureCause } from "#lib/base/errors.ts";
import { MINUTE, SECOND } from "#lib/base/time.ts";

export interface ContainerLogRef {
  readonly pod: string;
  readonly container: string;
}

export type Diagnosis =
  | { readonly is: "ready" }
  | {
    readonly is: "waiting";
    readonly sentence: string;
    /** The time in milliseconds after which the object must be diagnosed again, even if nothing has changed. */
    readonly again?: number | undefined;
    /** The container whose last log line may show the reason. */
    readonly log?: ContainerLogRef;
  }
  | {
    readonly is: "impossible";
    readonly code: string;
    readonly message: string;
    readonly blame: FailureCause;
    readonly hint?: string | undefined;
  };

/** How long to tolerate problems that may resolve themselves, in milliseconds. */
export interface DiagnosisTimeLimits {
  /** How long to tolerate a pod that fits on no node (an autoscaler may add one), or a problem older than the wait. */
  readonly unschedulableMs: number;
  /** How long to wait for quota that other pods are using. Some of these pods may finish soon. */
  readonly quotaMs: number;
  /** How long to wait for an image after a pull has failed with an error that may be temporary. */
  readonly imageMs: number;
  /** How long to wait for a missing Secret or ConfigMap, which may be created soon. */
  readonly configMs: number;
  /** How long to wait until a volume can be created or mounted. A node may need minutes to release a volume. */
  readonly volumeMs: number;
  /** How long to wait until a new, empty volume is provisioned. */
  readonly provisionMs: number;
  /** How long to wait for a certificate. DNS changes that point the site's host to this cluster take time. */
  readonly certificateMs: number;
  /** How long to wait for a container that crashed before the wait. The kubelet restarts it within 5 minutes. */
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

/** The current time (`now`) and the start of the wait (`since`), in milliseconds by the cluster's clock. */
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

/** A message still counts as new if it is at most this many milliseconds older than the start of the wait. */
const START_TOLERANCE = 5 * SECOND;

/**
 * Whether a message with this timestamp may still describe the current state. A message from before the wait counts
 * only after a time limit: the problem may have been fixed since, and controllers retry only rarely.
 */
export function mayBeCurrentMessage(at: number, clock: WaitClock): boolean {
  return !isFromBeforeWait(at, clock) || clock.now >= clock.since + clock.patience.unschedulableMs;
}

/** Whether a message with this timestamp was written before the wait started. */
export function isFromBeforeWait(at: number, clock: WaitClock): boolean {
  return at < clock.since - START_TOLERANCE;
}

export function mayBeCurrentEvent(event: KubeObject, clock: WaitClock): boolean {
  return mayBeCurrentMessage(getLastEventTime(event), clock);
}

export function createWaitingDiagnosis(sentence: string, again?: number): Diagnosis {
  return { is: "waiting", sentence, ...(again === undefined ? {} : { again: Math.max(again, 50) }) };
}

export function createPermanentDiagnosis(code: string, message: string, blame: FailureCause, hint?: string): Diagnosis {
  return { is: "impossible", code, message, blame, hint };
}

/** Before `moment`, returns a diagnosis that says to keep waiting. From `moment` on, returns `finalDiagnosis`. */
export function createDiagnosisWithDeadline(
  moment: number,
  clock: WaitClock,
  sentence: string,
  finalDiagnosis: Diagnosis,
): Diagnosis {
  return clock.now >= moment ? finalDiagnosis : createWaitingDiagnosis(sentence, moment - clock.now);
}
