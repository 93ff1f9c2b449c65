/**
 * Decides whether a spoke's state and queued operations allow an action. The diagram shows the states of a spoke.
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
 * An accepted operation changes the spoke's state immediately, or when it starts if other operations were queued first.
 * An action is checked against the state that the spoke will have after all queued operations have succeeded, so
 * `resume` can be requested while the spoke is still suspending.
 */
import { Fault } from "#lib/base/errors.ts";
import type { OperationDeclaration, StateTransition } from "#lib/operations/operation.ts";
import type { SpokeState } from "#lib/model/states.ts";
import { SPOKE_OPERATIONS, type SpokeActionName, type SpokeOperationKind } from "#lib/operations/table.ts";

/** An operation that users can request, except a removal: an action, `configure` (by PATCH), `publish-course` or `restore`. */
type RequestableOperation = SpokeActionName | "configure" | "publish-course" | "restore";

type Rules = OperationDeclaration<string, string>;

/** Returns the rules that decide whether an operation is allowed. */
export function getOperationRules(
  operation: RequestableOperation,
): Pick<Rules, "verbPhrase" | "from"> & Partial<Rules> {
  return operation === "retry" ? { verbPhrase: "retry", from: ["failed"] } : SPOKE_OPERATIONS[operation];
}

function findOperation(kind: string): Rules | null {
  return Object.hasOwn(SPOKE_OPERATIONS, kind) ? SPOKE_OPERATIONS[kind as SpokeOperationKind] as Rules : null;
}

/** Returns how the operation changes the spoke's state, or null if the state does not change. */
export function findStateTransition(kind: string): StateTransition | null {
  return findOperation(kind)?.transition ?? null;
}

/** States in which no operation can be queued, because the state that follows is unknown. */
const UNSETTLED_STATES: readonly SpokeState[] = ["provisioning", "failed", "removing", "removed"];

/** The maximum number of running and queued operations per spoke. */
const MAX_LIVE = 10;

export interface ActionCheckInput {
  readonly state: SpokeState;
  /** Whether the spoke has ever been active, so that its installation has succeeded. */
  readonly wasReady: boolean;
  /** Whether the site will be in maintenance mode after all queued operations. */
  readonly maintenance: boolean;
  /** The kinds of the spoke's running and queued operations, oldest first. */
  readonly live: readonly string[];
  /** Whether the spoke's last failed operation is an upgrade that can be retried. */
  readonly failedUpgrade: boolean;
  /** Whether a restore failed after it had stopped the site, so that the site may be only partly restored. */
  readonly halfRestored: boolean;
}

/** The job to enqueue for an accepted action, and how the action changes the spoke's state. */
export interface AcceptedAction {
  /** The kind of operation to enqueue. */
  readonly kind: SpokeOperationKind;
  /** The spoke's state as soon as the action is accepted. */
  readonly state: SpokeState;
  /** The spoke's state once this operation and all earlier operations have succeeded. */
  readonly becomes: SpokeState;
}

/** Throws a `conflict` fault (`spoke_state`) if the spoke's state or queued operations do not allow the action. */
export function requireActionAllowed(action: RequestableOperation, facts: ActionCheckInput): AcceptedAction {
  const { state, live } = facts;
  const kind = kindOf(action, facts);
  const stateChanges = live.filter((each) => findStateTransition(each) !== null);
  const transition = findStateTransition(kind);
  const before = transition ? stateChanges : live; // operations without a state change may be between two that change it
  const expected = expectedState(state, stateChanges);
  const riskyKind = live.find((each) => findOperation(each)?.risky);
  const allowed = riskyKind === undefined && isAllowed(action, expected, facts) &&
    (getOperationRules(action).repeatable || before.at(-1) !== kind);
  if (facts.halfRestored && action !== "restore") {
    throw stateFault(action, state, "its restore is incomplete; an operator must restore it again or roll it back");
  }
  if (!allowed) throw stateFault(action, state, describeRefusal(action, state, before, riskyKind));
  const { verbPhrase, maintenanceRefusal } = getOperationRules(action);
  if (maintenanceRefusal && facts.maintenance) {
    throw new Fault(
      "conflict",
      "spoke_state",
      `Cannot ${verbPhrase} a spoke that is in maintenance mode; ${maintenanceRefusal}`,
    );
  }
  if (live.length >= MAX_LIVE) {
    throw stateFault(
      action,
      state,
      `${live.length} operations are already queued for this spoke; wait until some are finished`,
    );
  }
  return {
    kind,
    state: transition && stateChanges.length === 0 ? transition.through : state,
    becomes: transition?.to ?? expected,
  };
}

function kindOf(
  action: RequestableOperation,
  { wasReady, failedUpgrade, state }: ActionCheckInput,
): SpokeOperationKind {
  if (action !== "retry") return action;
  if (!wasReady || state !== "failed") return "provision";
  if (failedUpgrade) return "upgrade";
  throw stateFault(action, state, "only a failed install or upgrade can be retried");
}

function isAllowed(action: RequestableOperation, expected: SpokeState, { wasReady }: ActionCheckInput): boolean {
  const { from, allowedWhenFailed: allowedWhenFailed = false } = getOperationRules(action);
  return from.includes(expected) || allowedWhenFailed && wasReady && expected === "failed";
}

/** Returns the state that the spoke will have once these operations have succeeded. */
function expectedState(state: SpokeState, live: readonly string[]): SpokeState {
  const last = live.at(-1);
  return last && !UNSETTLED_STATES.includes(state) ? findStateTransition(last)!.to : state;
}

function stateFault(action: RequestableOperation, state: SpokeState, reason: string): Fault {
  return new Fault(
    "conflict",
    "spoke_state",
    `Cannot ${getOperationRules(action).verbPhrase} a spoke that is ${state}; ${reason}`,
  );
}

function describeRefusal(
  action: RequestableOperation,
  state: SpokeState,
  live: readonly string[],
  riskyKind: string | undefined,
): string {
  const { from } = getOperationRules(action), last = live.at(-1);
  if (riskyKind) {
    return riskyKind === action ? "this is already requested" : `wait until its ${riskyKind} has ended`;
  }
  if (last && last === action && (live.length > 1 || findStateTransition(last) === null)) {
    return "this is already requested";
  }
  const outcome = (Object.values(SPOKE_OPERATIONS) as Rules[]).find(({ transition }) => transition?.through === state)
    ?.transition?.to;
  if (outcome && live.length < 2 && from.includes(outcome)) return `wait until it is ${outcome}`;
  return `it must be ${from.join(" or ")}`;
}
