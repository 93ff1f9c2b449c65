/**
 * The states of a spoke, and which action each of them allows.
 *
 *                        retry
 *                +------------------+
 *                v                  |
 *   (new) -> provisioning ------> failed
 *                |
 *                |      suspend
 *                +--> active ----> suspending -> suspended
 *                     ^ |  ^                         |
 *                     | |  +------- resuming <-------+
 *             restart | v                     resume
 *                   updating
 *
 *   and from each of them: removing -> removed
 *
 * A spoke is in the state of the operation under way as soon as that was accepted, if nothing was ahead of it; what
 * queues behind another operation changes the state when it starts. An action is judged by what the spoke will be once
 * all that it was asked before has succeeded, so that resume may be asked while it is still suspending.
 */
import { Fault } from "#lib/errors.ts";

export const SPOKE_STATES = [
  "provisioning",
  "active",
  "failed",
  "suspending",
  "suspended",
  "resuming",
  "updating",
  "removing",
  "removed",
] as const;
export type SpokeState = (typeof SPOKE_STATES)[number];

export const SPOKE_ACTIONS = ["suspend", "resume", "restart", "retry"] as const;
export type SpokeActionName = (typeof SPOKE_ACTIONS)[number];

interface Passage {
  /** The state while the operation is under way, and the one that its success leads to. */
  readonly through: SpokeState;
  readonly to: SpokeState;
}

export type SpokeOperationKind = "provision" | "suspend" | "resume" | "restart" | "remove";

/** What each kind of operation makes of a spoke. A kind that is not listed leaves the state as it is. */
export const PASSAGES: Readonly<Record<SpokeOperationKind, Passage>> = {
  provision: { through: "provisioning", to: "active" },
  suspend: { through: "suspending", to: "suspended" },
  resume: { through: "resuming", to: "active" },
  restart: { through: "updating", to: "active" },
  remove: { through: "removing", to: "removed" },
};

interface Rule {
  readonly kind: SpokeOperationKind;
  readonly from: readonly SpokeState[];
}

/** The kind of the operation that an action asks for, and the states in which it makes sense, settled ones first. */
const RULES: Readonly<Record<SpokeActionName, Rule>> = {
  suspend: { kind: "suspend", from: ["active", "resuming"] },
  resume: { kind: "resume", from: ["suspended", "suspending"] },
  restart: { kind: "restart", from: ["active"] },
  retry: { kind: "provision", from: ["failed"] },
};

/** States that nothing may queue behind: who asks must know first how they end. */
const UNDECIDED: readonly SpokeState[] = ["provisioning", "failed", "removing", "removed"];

/** More operations than this are not taken for one spoke: whoever alternates for ever is told to wait. */
const MOST_LIVE = 10;

export interface SpokeFacts {
  readonly state: SpokeState;
  /** Whether it has ever been active: then its failure is not one of provisioning. */
  readonly wasReady: boolean;
  /** Kinds of its operations that are running or queued, oldest first. */
  readonly live: readonly string[];
}

/** What accepting an action means: the kind of operation to enqueue, and the state that the spoke is in from now on. */
export interface Acceptance {
  readonly kind: SpokeOperationKind;
  readonly state: SpokeState;
}

/** Throws Fault conflict `spoke_state` when neither the state nor what is queued allows the action. */
export function judgeAction(action: SpokeActionName, facts: SpokeFacts): Acceptance {
  const { kind, from } = RULES[action];
  const steps = facts.live.filter(changesState);
  const allowed = from.includes(expectedState(facts.state, steps)) && steps.at(-1) !== kind;
  if (!allowed) throw refusal(action, facts.state, refusalReason(action, facts.state, steps));
  if (action === "retry" && facts.wasReady) {
    throw refusal(action, facts.state, "only a spoke that has never been active can be provisioned again");
  }
  if (steps.length >= MOST_LIVE) {
    throw refusal(
      action,
      facts.state,
      `${steps.length} operations are waiting for it already; wait until some are done`,
    );
  }
  return { kind, state: steps.length === 0 ? PASSAGES[kind].through : facts.state };
}

/** What the spoke will be once these operations have succeeded. */
function expectedState(state: SpokeState, live: readonly SpokeOperationKind[]): SpokeState {
  const last = live.at(-1);
  return last && !UNDECIDED.includes(state) ? PASSAGES[last].to : state;
}

function changesState(kind: string): kind is SpokeOperationKind {
  return Object.hasOwn(PASSAGES, kind);
}

function refusal(action: SpokeActionName, state: SpokeState, reason: string): Fault {
  return new Fault("conflict", "spoke_state", `Cannot ${action} a spoke that is ${state}; ${reason}`);
}

function refusalReason(action: SpokeActionName, state: SpokeState, live: readonly SpokeOperationKind[]): string {
  const { kind, from } = RULES[action];
  if (live.length > 1 && live.at(-1) === kind) return `it has been asked to ${action} already`;
  const outcome = Object.values(PASSAGES).find((passage) => passage.through === state)?.to;
  if (outcome && live.length < 2 && from.includes(outcome)) return `wait until it is ${outcome}`;
  return `it must be ${from.join(" or ")}`;
}
