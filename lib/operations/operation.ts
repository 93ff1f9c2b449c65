/**
 * Types of an operation's declaration. Spoke states, job kinds, API actions, previews, prices and texts are derived
 * from it. lib/workers has a function for each step.
 */
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import type { Blueprint } from "#lib/moodle/blueprint.ts";
import type { Catalog } from "#lib/catalog/catalog.ts";
import { Fault } from "#lib/base/errors.ts";
import type { ObjectChange } from "#lib/operations/change.ts";
import type { JobKind } from "#lib/operations/plan.ts";
import type { SpokeState } from "#lib/operations/states.ts";

/** The label that people read, and the time limit in milliseconds. */
type Step = readonly [label: string, timeout: number];

interface PlanOf<Name extends string> {
  /** Increases with each change of steps or step names. A running operation continues with its original plan. */
  readonly version: number;
  /** Milliseconds from the first start until a transient error becomes final. */
  readonly limit: number;
  /** The steps, in order. A finished step is recorded by its name. */
  readonly steps: Readonly<Record<Name, Step>>;
}

/** The subject of a change: the spoke when the operation starts, and the parameters. */
export interface SpokeSubject {
  readonly blueprint: Blueprint;
  readonly catalog: Catalog;
  readonly inputs: SpokeInputs;
  readonly maintenance: boolean;
  /** 38 119 */
  readonly payload: object;
}

/** Parameters of an action. */
interface ActionParameters {
  readonly lmsVersion?: string | undefined;
  /** Another name of lmsVersion. */
  readonly moodleVersion?: string | undefined;
  readonly size?: string | undefined;
  readonly skipBackup?: boolean | undefined;
}

/** The spoke as it will be after all queued operations. */
export interface CurrentSpoke {
  readonly version: string;
  readonly inputs: Pick<SpokeInputs, "images">;
  readonly size: string;
}

export function parameterNeededFault(field: keyof ActionParameters, action: string, what: string): Fault {
  return new Fault("invalid", "parameter_needed", `${field} is required to ${action}: ${what}`);
}

interface HubDeclaration<Name extends string, Step extends string> {
  readonly name: Name;
  readonly plan: PlanOf<Step>;
  /** Whether the operation is retried without a time limit, because giving up would leave objects behind. */
  readonly persistent?: true;
}

export interface OperationDeclaration<Name extends string, Step extends string> extends HubDeclaration<Name, Step> {
  /** The verb before "a spoke that is …" in error messages. */
  readonly verbPhrase: string;
  /** States in which the operation is allowed, stable ones first. Empty if it cannot be requested directly. */
  readonly from: readonly SpokeState[];
  /** The spoke's states during the operation and after its success. Undefined if the state does not change. */
  readonly transition?: { readonly through: SpokeState; readonly to: SpokeState };
  /** Whether the API lists it as an action. */
  readonly isAction?: true;
  /** Whether only operators can request it. */
  readonly forOperators?: true;
  /** Whether the operation is allowed from `failed` to repair a spoke that was active before. */
  readonly allowedWhenFailed?: true;
  /** Whether several operations of this kind can be queued, because each has its own parameters. */
  readonly repeatable?: true;
  /**
   * Whether a failure may leave the site down. Nothing can be queued behind a risky operation: the queued one would run
   * on a broken site, and its success would mark the site as active.
   */
  readonly risky?: true;
  /** The action to do first if the site is in maintenance. If undefined, maintenance does not matter. */
  readonly maintenanceRefusal?: string;
  /** Whether the operation waits until its hub is active, without blocking its lane. */
  readonly needsActiveHub?: true;
  /** Whether the site is unavailable during or after it, or which changes cause that. */
  readonly downtime?: boolean | ((changed: { readonly object: string; readonly field: string }) => boolean);
  /** Whether the operation changes what is billed for the spoke. */
  readonly affectsPrice?: true;
  /** Returns the job's payload. Throws an `invalid` fault if a parameter is missing, contradictory or not offered. */
  readonly parsePayload?: (catalog: Catalog, input: ActionParameters) => object;
  /** Throws a `conflict` or `impossible` fault if the operation would have no effect on this spoke. */
  readonly requireEffect?: (catalog: Catalog, spoke: CurrentSpoke, payload: object) => void;
  /** Returns effects that no object's field shows, one sentence each. */
  readonly describe?: (subject: SpokeSubject) => readonly string[];
  /** Returns each step's changes in the cluster. The operation applies them; a preview sends them as a dry run. */
  readonly changes?: (subject: SpokeSubject) => { readonly [step in Step]?: readonly ObjectChange[] };
}

/** Declares an operation on a spoke, with the kind of its job. */
export function declareOperation<
  const Name extends string,
  Step extends string,
  const Declared extends OperationDeclaration<Name, Step>,
>(
  declaration: Declared & OperationDeclaration<Name, Step>,
): Declared & OperationDeclaration<Name, Step> & { readonly kind: JobKind } {
  return { ...declaration, kind: kindOf(declaration) };
}

/** Declares an operation on a hub, with the kind of its job. */
export function declareHubOperation<const Name extends string, Step extends string>(
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
