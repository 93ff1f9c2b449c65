/**
 * What an operation is. All that the program knows of one, besides how its steps are done, stands in one declaration: the
 * states of a spoke, the kinds of jobs, the actions of the API, previews, prices and words come from it. lib/work has a
 * function for each of its steps.
 */
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import type { Blueprint } from "#lib/moodle/load.ts";
import type { Catalog } from "#lib/catalog/catalog.ts";
import { Fault } from "#lib/base/errors.ts";
import type { ObjectChange } from "#lib/operations/change.ts";
import type { JobKind } from "#lib/operations/plan.ts";
import type { SpokeState } from "#lib/operations/states.ts";

/** How long a person may read it, and how long it may take, in milliseconds. */
type Step = readonly [label: string, timeout: number];

interface PlanOf<Name extends string> {
  /** Raised with each change of the steps or of their names: what was begun goes on by the plan that it was begun by. */
  readonly version: number;
  /** Milliseconds from the first start until a transient error becomes final. */
  readonly limit: number;
  /** In their order. A step is recorded under its name when it is finished. */
  readonly steps: Readonly<Record<Name, Step>>;
}

/** What a change is made for: the spoke as it will be when the operation begins, and what is wished. */
export interface SpokeSubject {
  readonly blueprint: Blueprint;
  readonly catalog: Catalog;
  readonly inputs: SpokeInputs;
  /** Whether its site is in maintenance. */
  readonly maintenance: boolean;
  /** The payload of the job. */
  readonly payload: object;
}

/** What may be given with an action. */
interface ActionParameters {
  readonly lmsVersion?: string | undefined;
  /** The same, by Moodle's own name. */
  readonly moodleVersion?: string | undefined;
  readonly size?: string | undefined;
  readonly skipBackup?: boolean | undefined;
}

/** The spoke as it will be once all that it was asked is done. */
export interface CurrentSpoke {
  readonly version: string;
  readonly inputs: Pick<SpokeInputs, "images">;
  readonly size: string;
}

export function parameterNeededFault(field: keyof ActionParameters, action: string, what: string): Fault {
  return new Fault("invalid", "parameter_needed", `${field} must be given to ${action}: ${what}`);
}

interface HubDeclaration<Name extends string, Step extends string> {
  readonly name: Name;
  readonly plan: PlanOf<Step>;
  /** Whatever the cluster says, it is tried again for as long as it takes: giving up would leave something behind. */
  readonly persistent?: true;
}

export interface Declaration<Name extends string, Step extends string> extends HubDeclaration<Name, Step> {
  /** What cannot be done, to stand before "a spoke that is …". */
  readonly verbPhrase: string;
  /** The states in which it makes sense, settled ones first; none for what is not asked by a request of its own. */
  readonly from: readonly SpokeState[];
  /** The state while it is under way, and the one that its success leads to; absent where it leaves the state as it is. */
  readonly transition?: { readonly through: SpokeState; readonly to: SpokeState };
  /** Whether it is one of the actions that the API lists. */
  readonly isAction?: true;
  /** Whether operators alone may ask for it. */
  readonly forOperators?: true;
  /** Also from `failed`, once the spoke has been active: it is a way back. */
  readonly allowedWhenFailed?: true;
  /** Also right behind one of its own kind: each is asked for something else. */
  readonly repeatable?: true;
  /**
   * It may end as `failed`, with the site down. Nothing may queue behind it: it would run on a site that nobody has put
   * right yet, and a success of its own would call that site active.
   */
  readonly risky?: true;
  /** Why it cannot be asked while the site is in maintenance. */
  readonly maintenanceRefusal?: string;
  /** Not started before its hub is active; until then it waits without holding up its lane. */
  readonly needsActiveHub?: true;
  /** Whether the site is away meanwhile, or from then on; or which of its changes make it so. */
  readonly downtime?: boolean | ((changed: { readonly object: string; readonly field: string }) => boolean);
  /** Whether it changes if the spoke is paid for, or how much. */
  readonly affectsPrice?: true;
  /**
   * The payload of its job, from what was asked. Throws Fault invalid where something is missing, contradictory or not
   * on offer.
   */
  readonly parsePayload?: (catalog: Catalog, input: ActionParameters) => object;
  /** Throws Fault conflict or impossible where it would bring this spoke nowhere. */
  readonly requireEffect?: (catalog: Catalog, spoke: CurrentSpoke, payload: object) => void;
  /** What it does that no field of an object shows, a sentence each. */
  readonly describe?: (subject: SpokeSubject) => readonly string[];
  /** What each step changes in the cluster: performed by the work, and asked as a dry run by a preview. */
  readonly changes?: (subject: SpokeSubject) => { readonly [step in Step]?: readonly ObjectChange[] };
}

/** An operation on a spoke, with the kind of job that it is. */
export function declareOperation<
  const Name extends string,
  Step extends string,
  const Declared extends Declaration<Name, Step>,
>(
  declaration: Declared & Declaration<Name, Step>,
): Declared & Declaration<Name, Step> & { readonly kind: JobKind } {
  return { ...declaration, kind: kindOf(declaration) };
}

/** An operation on a hub, likewise. */
export function hubOperation<const Name extends string, Step extends string>(
  declaration: HubDeclaration<Name, Step>,
): HubDeclaration<Name, Step> & { readonly kind: JobKind } {
  return { ...declaration, kind: kindOf(declaration) };
}

function kindOf(
  { name, plan, persistent, needsActiveHub }: HubDeclaration<string, string> & { readonly needsActiveHub?: true },
): JobKind {
  const steps = Object.entries(plan.steps).map(([name, [label, timeout]]) => ({ name, label, timeout }));
  const rules = { ...(persistent && { persistent }), ...(needsActiveHub && { needsActiveHub }) };
  return { kind: name, plan: plan.version, visible: true, steps, timeLimit: plan.limit, ...rules };
}
