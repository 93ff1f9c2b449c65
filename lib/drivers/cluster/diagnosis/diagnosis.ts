/** What was made of what the cluster showed, and with how much patience. */
import { lastSeen } from "#lib/drivers/cluster/diagnosis/inspect-objects.ts";
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import type { Blame } from "#lib/base/errors.ts";
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
    /** Milliseconds after which the same sight would be judged otherwise. */
    readonly again?: number | undefined;
    /** The container whose log ends with the reason. */
    readonly log?: LogRef;
  }
  | {
    readonly is: "impossible";
    readonly code: string;
    readonly message: string;
    readonly blame: Blame;
    readonly hint?: string | undefined;
  };

/** How long, in milliseconds, a state that may heal by itself is borne. */
export interface Patience {
  /** No node fits: an autoscaler may be bringing one. Also how long what was seen before we came is given to pass. */
  readonly unschedulableMs: number;
  /** The quota is used up by others: they may end. */
  readonly quotaMs: number;
  /** An image cannot be pulled for a reason that may pass. */
  readonly imageMs: number;
  /** A Secret or ConfigMap is missing: its maker may be a moment behind. */
  readonly configMs: number;
  /** A volume cannot be made or mounted: its driver tries again, and a node may take minutes to let go of it. */
  readonly volumeMs: number;
  /** A provisioner does not begin with a new, empty volume, or does not finish it. */
  readonly provisionMs: number;
  /** The address of a site does not lead here yet, so that no certificate is given: DNS takes its time. */
  readonly certificateMs: number;
  /** A container crashed again and again before we came: a kubelet starts it anew after five minutes at most. */
  readonly crashMs: number;
}

export const PATIENCE: Patience = {
  unschedulableMs: 2 * MINUTE,
  quotaMs: MINUTE,
  imageMs: 3 * MINUTE,
  configMs: 10 * SECOND,
  volumeMs: 10 * MINUTE,
  provisionMs: 10 * MINUTE, // less than any step that waits for a new volume has
  certificateMs: 10 * MINUTE,
  crashMs: 6 * MINUTE,
};

/** Times by the cluster's clock: now, and when the waiting began. */
export interface WaitClock {
  readonly now: number;
  readonly since: number;
  readonly patience: Patience;
}

/** One pod, with the events about it. */
export interface ObservedPod {
  readonly pod: KubeObject;
  readonly own: readonly KubeObject[];
  readonly clock: WaitClock;
}

/** What was reported just before we began to wait is the answer to what we did just before that. */
const START_TOLERANCE = 5 * SECOND;

/**
 * Whether something reported at this time may be about the present state. A controller that was refused tries again
 * ever more seldom, so that its last word may be older than the correction; it gets some time to say it again.
 */
export function mayBeCurrent(at: number, clock: WaitClock): boolean {
  return !isBeforeWait(at, clock) || clock.now >= clock.since + clock.patience.unschedulableMs;
}

/** Whether it says nothing of what was done since, because it was so before that. */
export function isBeforeWait(at: number, clock: WaitClock): boolean {
  return at < clock.since - START_TOLERANCE;
}

export function mayBeCurrentEvent(event: KubeObject, clock: WaitClock): boolean {
  return mayBeCurrent(lastSeen(event), clock);
}

export function waiting(sentence: string, again?: number): Diagnosis {
  return { is: "waiting", sentence, ...(again === undefined ? {} : { again: Math.max(again, 50) }) };
}

export function impossible(code: string, message: string, blame: Blame, hint?: string): Diagnosis {
  return { is: "impossible", code, message, blame, hint };
}

/** Waits until the moment has come, then gives up. */
export function waitingUntil(moment: number, clock: WaitClock, sentence: string, verdict: Diagnosis): Diagnosis {
  return clock.now >= moment ? verdict : waiting(sentence, moment - clock.now);
}
