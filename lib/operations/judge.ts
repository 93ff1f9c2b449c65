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
type SpokeDemand = SpokeActionName | "configure" | "restore";

type Rules = Declaration<string, string>;

/** Of what can be asked. A retry is whatever failed, and which operation that is depends on the spoke. */
export function rulesOf(demand: SpokeDemand): Pick<Rules, "deed" | "from"> & Partial<Rules> {
  return demand === "retry" ? { deed: "retry", from: ["failed"] } : SPOKE_OPERATIONS[demand];
}

/** The operation of this kind on a spoke; null where none exists, or where it is a hub's. */
function findOperation(kind: string): Rules | null {
  return Object.hasOwn(SPOKE_OPERATIONS, kind) ? SPOKE_OPERATIONS[kind as SpokeOperationKind] as Rules : null;
}

/** What an operation of this kind makes of a spoke; null if it leaves the state as it is. */
export function passageOf(kind: string): Required<Rules>["passage"] | null {
  return findOperation(kind)?.passage ?? null;
}

/** States that nothing may queue behind: who asks must know first how they end. */
const UNDECIDED: readonly SpokeState[] = ["provisioning", "failed", "removing", "removed"];

/** More operations than this are not taken for one spoke: a caller that alternates for ever is told to wait. */
const MOST_LIVE = 10;

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
export function judgeAction(action: SpokeDemand, facts: SpokeFacts): Acceptance {
  const { state, live } = facts;
  const kind = kindOf(action, facts);
  const steps = live.filter((each) => passageOf(each) !== null);
  const passage = passageOf(kind);
  const before = passage ? steps : live; // what changes no state may stand between two that do
  const expected = expectedState(state, steps);
  const risk = live.find((each) => findOperation(each)?.risky);
  const allowed = risk === undefined && allows(action, expected, facts) &&
    (rulesOf(action).again || before.at(-1) !== kind);
  if (facts.halfRestored && action !== "restore") {
    throw refusal(action, state, "its restore has come to no end: an operator restores it again, or goes back");
  }
  if (!allowed) throw refusal(action, state, refusalReason(action, state, before, risk));
  const { deed, closed } = rulesOf(action);
  if (closed && facts.maintenance) {
    throw new Fault("conflict", "spoke_state", `Cannot ${deed} a spoke that is in maintenance; ${closed}`);
  }
  if (live.length >= MOST_LIVE) {
    throw refusal(action, state, `${live.length} operations are waiting for it already; wait until some are done`);
  }
  return { kind, state: passage && steps.length === 0 ? passage.through : state, becomes: passage?.to ?? expected };
}

function kindOf(action: SpokeDemand, { wasReady, failedUpgrade, state }: SpokeFacts): SpokeOperationKind {
  if (action !== "retry") return action;
  if (!wasReady || state !== "failed") return "provision";
  if (failedUpgrade) return "upgrade";
  throw refusal(action, state, "only an install or an upgrade that failed can be tried again");
}

function allows(action: SpokeDemand, expected: SpokeState, { wasReady }: SpokeFacts): boolean {
  const { from, mends = false } = rulesOf(action);
  return from.includes(expected) || mends && wasReady && expected === "failed";
}

/** What the spoke will be once these operations have succeeded. */
function expectedState(state: SpokeState, live: readonly string[]): SpokeState {
  const last = live.at(-1);
  return last && !UNDECIDED.includes(state) ? passageOf(last)!.to : state;
}

function refusal(action: SpokeDemand, state: SpokeState, reason: string): Fault {
  return new Fault("conflict", "spoke_state", `Cannot ${rulesOf(action).deed} a spoke that is ${state}; ${reason}`);
}

function refusalReason(
  action: SpokeDemand,
  state: SpokeState,
  live: readonly string[],
  risk: string | undefined,
): string {
  const { from } = rulesOf(action), last = live.at(-1);
  if (risk) return risk === action ? "it has been asked to do that already" : `wait until its ${risk} has ended`;
  if (last && last === action && (live.length > 1 || passageOf(last) === null)) {
    return "it has been asked to do that already";
  }
  const outcome = (Object.values(SPOKE_OPERATIONS) as Rules[]).find(({ passage }) => passage?.through === state)
    ?.passage?.to;
  if (outcome && live.length < 2 && from.includes(outcome)) return `wait until it is ${outcome}`;
  return `it must be ${from.join(" or ")}`;
}
