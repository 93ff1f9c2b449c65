/** Defines the possible results of a diagnosis, and how long to wait for problems that may be temporary. */
import { lastEventTime } from "#lib/drivers/cluster/diagnosis/inspect-objects.ts";
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

/** How long to wait for problems that may resolve themselves, in milliseconds. */
export interface DiagnosisTimeLimits {
  /** Time limit for a pod that fits on no node (an autoscaler may add a node), or for problems from before the wait. */
  readonly unschedulableMs: number;
  /** Time limit while other pods use up the quota, because some of them may end soon. */
  readonly quotaMs: number;
  /** Time limit for an image that cannot be pulled because of an error that may be temporary. */
  readonly imageMs: number;
  /** Time limit for a missing Secret or ConfigMap, which may be created soon. */
  readonly configMs: number;
  /** Time limit for a volume that cannot be created or mounted. A node may need minutes to release the volume. */
  readonly volumeMs: number;
  /** Time limit for provisioning a new, empty volume. */
  readonly provisionMs: number;
  /** Time limit for issuing a certificate. A DNS change that points the site's host to this cluster takes time. */
  readonly certificateMs: number;
  /** Time limit for a container that crashed before the wait. The kubelet restarts the container within 5 minutes. */
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

/** Milliseconds by which a message may be older than the start of the wait and still count as new. */
const START_TOLERANCE = 5 * SECOND;

/**
 * Whether a message with this timestamp may still describe the current state. A message from before the wait counts
 * only after a time limit: the problem may have been fixed since, and controllers retry only rarely.
 */
export function mayBeCurrent(at: number, clock: WaitClock): boolean {
  return !isOlderThanWait(at, clock) || clock.now >= clock.since + clock.patience.unschedulableMs;
}

/** Whether a message with this timestamp was written before the wait started. */
export function isOlderThanWait(at: number, clock: WaitClock): boolean {
  return at < clock.since - START_TOLERANCE;
}

export function isPossiblyCurrentEvent(event: KubeObject, clock: WaitClock): boolean {
  return mayBeCurrent(lastEventTime(event), clock);
}

export function waitingDiagnosis(sentence: string, again?: number): Diagnosis {
  return { is: "waiting", sentence, ...(again === undefined ? {} : { again: Math.max(again, 50) }) };
}

export function permanentDiagnosis(code: string, message: string, blame: FailureCause, hint?: string): Diagnosis {
  return { is: "impossible", code, message, blame, hint };
}

/** Returns a waiting diagnosis until `moment`, and `finalDiagnosis` from then on. */
export function waitingDiagnosisUntil(
  moment: number,
  clock: WaitClock,
  sentence: string,
  finalDiagnosis: Diagnosis,
): Diagnosis {
  return clock.now >= moment ? finalDiagnosis : waitingDiagnosis(sentence, moment - clock.now);
}
