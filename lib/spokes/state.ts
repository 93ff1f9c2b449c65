/**
 * The states of a spoke, and which action each of them allows.
 *
 *                        retry
 *                +------------------+
 *                v                  |                    a failed upgrade
 *   (new) -> provisioning ------> failed <--------------------------- updating
 *                |                  |                                  ^ |  ^
 *                |                  +--- retry, upgrade, reapply ------+ |  |
 *                |      suspend                                          |  |
 *                +--> active ----> suspending -> suspended               |  |
 *                     ^ |  ^                         | |                 |  |
 *                     | |  +------- resuming <-------+ +--- reapply -----+  |
 *                     | +- restart, upgrade, resize, maintenance-on, maintenance-off, reapply, configure
 *                     +--------------------------------------------------+
 *
 *   and from each of them: removing -> removed
 *
 * A spoke is in the state of the operation under way as soon as that was accepted, if nothing was ahead of it; what
 * queues behind another operation changes the state when it starts. An action is judged by what the spoke will be once
 * all that it was asked before has succeeded, so that resume may be asked while it is still suspending.
 */
import { Fault } from "#lib/errors.ts";
import type { OperationKind } from "#lib/jobs/kinds.ts";

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

export const SPOKE_ACTIONS = [
  "suspend",
  "resume",
  "restart",
  "retry",
  "upgrade",
  "resize",
  "maintenance-on",
  "maintenance-off",
  "purge-caches",
  "backup",
  "run-cron",
  "reset-admin-password",
  "reapply",
] as const;
export type SpokeActionName = (typeof SPOKE_ACTIONS)[number];

/** What can be asked of a spoke besides its removal: the actions, and to be other than it is, by a PATCH. */
export type SpokeDemand = SpokeActionName | "configure";

interface Passage {
  /** The state while the operation is under way, and the one that its success leads to. */
  readonly through: SpokeState;
  readonly to: SpokeState;
}

export type SpokeOperationKind = Exclude<OperationKind, "provision-hub" | "remove-hub">;

const UPDATE: Passage = { through: "updating", to: "active" };

const PASSAGES: { readonly [kind in SpokeOperationKind]?: Passage } = {
  provision: { through: "provisioning", to: "active" },
  suspend: { through: "suspending", to: "suspended" },
  resume: { through: "resuming", to: "active" },
  restart: UPDATE,
  upgrade: UPDATE,
  resize: UPDATE,
  "maintenance-on": UPDATE,
  "maintenance-off": UPDATE,
  reapply: UPDATE,
  configure: UPDATE,
  remove: { through: "removing", to: "removed" },
};

/** What an operation of this kind makes of a spoke; null if it leaves the state as it is. */
export function passageOf(kind: string): Passage | null {
  return Object.hasOwn(PASSAGES, kind) ? PASSAGES[kind as SpokeOperationKind]! : null;
}

interface Rule {
  /** Absent for retry, which is whatever failed. */
  readonly kind?: SpokeOperationKind;
  /** The states in which it makes sense, settled ones first. */
  readonly from: readonly SpokeState[];
  /** Also from `failed`, once the spoke has been active: it is a way back. */
  readonly mends?: boolean;
  /** Also right behind one of its own kind: each is asked for something else. */
  readonly again?: boolean;
  /** What cannot be done, to stand before "a spoke that is …". */
  readonly deed: string;
}

const RULES: Readonly<Record<SpokeDemand, Rule>> = {
  suspend: { kind: "suspend", from: ["active", "resuming"], deed: "suspend" },
  resume: { kind: "resume", from: ["suspended", "suspending"], deed: "resume" },
  restart: { kind: "restart", from: ["active"], deed: "restart" },
  retry: { from: ["failed"], deed: "retry" },
  upgrade: { kind: "upgrade", from: ["active"], mends: true, deed: "upgrade" },
  resize: { kind: "resize", from: ["active"], deed: "resize" },
  "maintenance-on": { kind: "maintenance-on", from: ["active"], deed: "turn on the maintenance of" },
  "maintenance-off": { kind: "maintenance-off", from: ["active"], deed: "turn off the maintenance of" },
  "purge-caches": { kind: "purge-caches", from: ["active"], deed: "purge the caches of" },
  backup: { kind: "backup", from: ["active", "suspended"], deed: "back up" },
  "run-cron": { kind: "run-cron", from: ["active"], deed: "run the scheduled tasks of" },
  "reset-admin-password": {
    kind: "reset-admin-password",
    from: ["active"],
    deed: "reset the administrator's password of",
  },
  reapply: { kind: "reapply", from: ["active", "suspended"], mends: true, deed: "reapply the blueprint to" },
  configure: { kind: "configure", from: ["active"], again: true, deed: "change" },
};

/**
 * Operations that may end as `failed`, with the site down. Nothing may queue behind them: it would run on a site that
 * nobody has put right yet, and a success of its own would call that site active.
 */
const RISKY: readonly string[] = ["upgrade", "reapply"] satisfies SpokeOperationKind[];

/** States that nothing may queue behind: who asks must know first how they end. */
const UNDECIDED: readonly SpokeState[] = ["provisioning", "failed", "removing", "removed"];

/** More operations than this are not taken for one spoke: whoever alternates for ever is told to wait. */
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
  const risk = live.find((each) => RISKY.includes(each));
  const allowed = risk === undefined && allows(action, expected, facts) &&
    (RULES[action].again || before.at(-1) !== kind);
  if (!allowed) throw refusal(action, state, refusalReason(action, state, before, risk));
  if (action === "run-cron" && facts.maintenance) {
    const message = "Cannot run the scheduled tasks of a spoke that is in maintenance; turn that off first";
    throw new Fault("conflict", "spoke_state", message);
  }
  if (live.length >= MOST_LIVE) {
    throw refusal(action, state, `${live.length} operations are waiting for it already; wait until some are done`);
  }
  return { kind, state: passage && steps.length === 0 ? passage.through : state, becomes: passage?.to ?? expected };
}

function kindOf(action: SpokeDemand, { wasReady, failedUpgrade, state }: SpokeFacts): SpokeOperationKind {
  const { kind } = RULES[action];
  if (kind) return kind;
  if (!wasReady || state !== "failed") return "provision";
  if (failedUpgrade) return "upgrade";
  throw refusal(action, state, "only an install or an upgrade that failed can be tried again");
}

function allows(action: SpokeDemand, expected: SpokeState, { wasReady }: SpokeFacts): boolean {
  const { from, mends = false } = RULES[action];
  return from.includes(expected) || mends && wasReady && expected === "failed";
}

/** What the spoke will be once these operations have succeeded. */
function expectedState(state: SpokeState, live: readonly string[]): SpokeState {
  const last = live.at(-1);
  return last && !UNDECIDED.includes(state) ? passageOf(last)!.to : state;
}

function refusal(action: SpokeDemand, state: SpokeState, reason: string): Fault {
  return new Fault("conflict", "spoke_state", `Cannot ${RULES[action].deed} a spoke that is ${state}; ${reason}`);
}

function refusalReason(
  action: SpokeDemand,
  state: SpokeState,
  live: readonly string[],
  risk: string | undefined,
): string {
  const { kind, from } = RULES[action];
  const last = live.at(-1);
  if (risk) return risk === kind ? "it has been asked to do that already" : `wait until its ${risk} has ended`;
  if (last && last === kind && (live.length > 1 || passageOf(last) === null)) {
    return "it has been asked to do that already";
  }
  const outcome = Object.values(PASSAGES).find((passage) => passage.through === state)?.to;
  if (outcome && live.length < 2 && from.includes(outcome)) return `wait until it is ${outcome}`;
  return `it must be ${from.join(" or ")}`;
}
