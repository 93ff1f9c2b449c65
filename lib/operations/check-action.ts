/**
 * Which action each state of a spoke allows, by what the operations say of themselves.
 *
 *                        retry
 *                +------------------+
 *                v                  |               a failed upgrade, a failed restore
 *   (new) -> provisioning ------> failed <--------------------------- updating
 *                |                  |                                  ^ |  ^
 *                |                  +--- retry, upgrade, reapply, -----+ |  |
 *                |      suspend          restore                         |  |
 *                +--> active ----> suspending -> suspended               |  |
 *                     ^ |  ^                         | |                 |  |
 *                     | |  +------- resuming <-------+ +- reapply, ------+  |
 *                     | |                                 restore        |  |
 *                     | +- restart, upgrade, resize, maintenance-on, maintenance-off, reapply, configure, restore
 *                     +--------------------------------------------------+
 *
 *   and from each of them: removing -> removed
 *
 * A spoke is in the state of the operation under way as soon as that was accepted, if nothing was ahead of it; what
 * queues behind another operation changes the state when it starts. An action is judged by what the spoke will be once
 * all that it was asked before has succeeded, so that resume may be asked while it is still suspending.
 */
import { Fault } from "#lib/base/errors.ts";
import type { Declaration } from "#lib/operations/operation.ts";
import type { SpokeState } from "#lib/operations/states.ts";
import { SPOKE_OPERATIONS, type SpokeActionName, type SpokeOperationKind } from "#lib/operations/table.ts";

/** What can be asked of a spoke besides its removal: the actions, to be other than it is, by a PATCH, and to be what it was. */
type RequestableOperation = SpokeActionName | "configure" | "restore";

type Rules = Declaration<string, string>;

/** Of what can be asked. A retry is whatever failed, and which operation that is depends on the spoke. */
export function rulesOf(operation: RequestableOperation): Pick<Rules, "verbPhrase" | "from"> & Partial<Rules> {
  return operation === "retry" ? { verbPhrase: "retry", from: ["failed"] } : SPOKE_OPERATIONS[operation];
}

/** The operation of this kind on a spoke; null where none exists, or where it is a hub's. */
function findOperation(kind: string): Rules | null {
  return Object.hasOwn(SPOKE_OPERATIONS, kind) ? SPOKE_OPERATIONS[kind as SpokeOperationKind] as Rules : null;
}

/** What an operation of this kind makes of a spoke; null if it leaves the state as it is. */
export function transitionOf(kind: string): Required<Rules>["transition"] | null {
  return findOperation(kind)?.transition ?? null;
}

/** States that nothing may queue behind: who asks must know first how they end. */
const UNSETTLED_STATES: readonly SpokeState[] = ["provisioning", "failed", "removing", "removed"];

/** More operations than this are not taken for one spoke: a caller that alternates for ever is told to wait. */
const MAX_LIVE = 10;

export interface SpokeFacts {
  readonly state: SpokeState;
  /** Whether it has ever been active: then its failure is not one of provisioning. */
  readonly wasReady: boolean;
  /** Whether its site shows visitors that it is in maintenance, once all that it was asked has been done. */
  readonly maintenance: boolean;
  /** Kinds of its operations that are running or queued, oldest first. */
  readonly live: readonly string[];
  /** Whether it is an upgrade that failed and can be tried again. */
  readonly failedUpgrade: boolean;
  /** Whether a restore failed after it had stopped the site: its parts may be of what was and of what was to be. */
  readonly halfRestored: boolean;
}

/** What accepting an action means. */
export interface Acceptance {
  /** The kind of operation to enqueue. */
  readonly kind: SpokeOperationKind;
  /** The state that the spoke is in from now on. */
  readonly state: SpokeState;
  /** The state that it leads to, once all that was asked before has succeeded, too. */
  readonly becomes: SpokeState;
}

/** Throws Fault conflict `spoke_state` when neither the state nor what is queued allows the action. */
export function checkAction(action: RequestableOperation, facts: SpokeFacts): Acceptance {
  const { state, live } = facts;
  const kind = kindOf(action, facts);
  const stateChanges = live.filter((each) => transitionOf(each) !== null);
  const transition = transitionOf(kind);
  const before = transition ? stateChanges : live; // what changes no state may stand between two that do
  const expected = expectedState(state, stateChanges);
  const riskyKind = live.find((each) => findOperation(each)?.risky);
  const allowed = riskyKind === undefined && isAllowed(action, expected, facts) &&
    (rulesOf(action).repeatable || before.at(-1) !== kind);
  if (facts.halfRestored && action !== "restore") {
    throw stateFault(action, state, "its restore is incomplete: an operator must restore it again or roll it back");
  }
  if (!allowed) throw stateFault(action, state, describeRefusal(action, state, before, riskyKind));
  const { verbPhrase, maintenanceRefusal } = rulesOf(action);
  if (maintenanceRefusal && facts.maintenance) {
    throw new Fault(
      "conflict",
      "spoke_state",
      `Cannot ${verbPhrase} a spoke that is in maintenance; ${maintenanceRefusal}`,
    );
  }
  if (live.length >= MAX_LIVE) {
    throw stateFault(
      action,
      state,
      `${live.length} operations are already queued for it; wait until some are finished`,
    );
  }
  return {
    kind,
    state: transition && stateChanges.length === 0 ? transition.through : state,
    becomes: transition?.to ?? expected,
  };
}

function kindOf(action: RequestableOperation, { wasReady, failedUpgrade, state }: SpokeFacts): SpokeOperationKind {
  if (action !== "retry") return action;
  if (!wasReady || state !== "failed") return "provision";
  if (failedUpgrade) return "upgrade";
  throw stateFault(action, state, "only a failed install or upgrade can be retried");
}

function isAllowed(action: RequestableOperation, expected: SpokeState, { wasReady }: SpokeFacts): boolean {
  const { from, allowedWhenFailed: allowedWhenFailed = false } = rulesOf(action);
  return from.includes(expected) || allowedWhenFailed && wasReady && expected === "failed";
}

/** What the spoke will be once these operations have succeeded. */
function expectedState(state: SpokeState, live: readonly string[]): SpokeState {
  const last = live.at(-1);
  return last && !UNSETTLED_STATES.includes(state) ? transitionOf(last)!.to : state;
}

function stateFault(action: RequestableOperation, state: SpokeState, reason: string): Fault {
  return new Fault(
    "conflict",
    "spoke_state",
    `Cannot ${rulesOf(action).verbPhrase} a spoke that is ${state}; ${reason}`,
  );
}

function describeRefusal(
  action: RequestableOperation,
  state: SpokeState,
  live: readonly string[],
  riskyKind: string | undefined,
): string {
  const { from } = rulesOf(action), last = live.at(-1);
  if (riskyKind) {
    return riskyKind === action ? "this is already requested" : `wait until its ${riskyKind} has ended`;
  }
  if (last && last === action && (live.length > 1 || transitionOf(last) === null)) {
    return "this is already requested";
  }
  const outcome = (Object.values(SPOKE_OPERATIONS) as Rules[]).find(({ transition }) => transition?.through === state)
    ?.transition?.to;
  if (outcome && live.length < 2 && from.includes(outcome)) return `wait until it is ${outcome}`;
  return `it must be ${from.join(" or ")}`;
}
