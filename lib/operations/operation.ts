/**
 * Defines the type of an operation's declaration, from which job kinds, API actions and previews are derived. The code
 * for each step is in lib/workers.
 */
import type * as v from "valibot";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import type { Blueprint } from "#lib/moodle/blueprint.ts";
import type { Catalog } from "#lib/catalog/catalog.ts";
import type { ObjectChange } from "#lib/operations/change.ts";
import type { JobKind } from "#lib/operations/plan.ts";
import type { DescribedValue } from "#lib/model/field.ts";
import type { SpokeState } from "#lib/model/states.ts";

/** The spoke's states during and after an operation that updates an active site. */
export const UPDATE_TRANSITION = { through: "updating", to: "active" } as const;

/** The label of a step, as shown to users, and the step's timeout in milliseconds. */
type Step = readonly [label: string, timeout: number];

interface PlanOf<Name extends string> {
  /** The plan's version. Increase it if you add, remove or rename steps. Running operations keep their old steps. */
  readonly version: number;
  /** How long transient errors are retried after the first start, in milliseconds. */
  readonly limit: number;
  /** The steps in order. Each finished step is recorded by its name. */
  readonly steps: Readonly<Record<Name, Step>>;
}

/** The spoke as it is when the operation starts, with the operation's parameters. */
export interface SpokeOperationSubject {
  readonly blueprint: Blueprint;
  readonly catalog: Catalog;
  readonly inputs: SpokeInputs;
  readonly maintenance: boolean;
  /** The operation's parameters, as `parseActionParameters` returned them. */
  readonly payload: object;
}

/** A parameter of an action. Parameters with the same name mean the same in every action. */
export interface ActionParameter extends DescribedValue {
  readonly required: boolean;
}

/** The values of an action's parameters, as its job's payload contains them. */
export type ParameterValues<P extends Readonly<Record<string, ActionParameter>>> =
  & {
    readonly [N in keyof P as P[N]["required"] extends true ? N : never]: v.InferOutput<P[N]["schema"]>;
  }
  & { readonly [N in keyof P as P[N]["required"] extends true ? never : N]?: v.InferOutput<P[N]["schema"]> };

/** The summary and parameters of an operation that users can request by its name. */
export interface ActionDeclaration {
  /** An instruction that says what the action does: "Stop the site. Its data is kept." */
  readonly summary: string;
  /** The parameters by name. The job's payload contains their values. */
  readonly parameters?: Readonly<Record<string, ActionParameter>>;
  /** Whether the portal offers the action only for one spoke at a time. */
  readonly individual?: true;
}

/** The state that the spoke will have once all its queued operations have succeeded. */
export interface SpokeAfterQueuedOperations {
  readonly version: string;
  readonly inputs: Pick<SpokeInputs, "images">;
  readonly size: string;
}

interface HubDeclaration<Name extends string, Step extends string> {
  readonly name: Name;
  readonly plan: PlanOf<Step>;
  /** If true, the operation is retried indefinitely. For operations that would leave objects behind if they gave up. */
  readonly persistent?: true;
}

export interface OperationDeclaration<Name extends string, Step extends string> extends HubDeclaration<Name, Step> {
  /** The verb phrase in error messages: "Cannot (verb phrase) a spoke that is suspended". */
  readonly verbPhrase: string;
  /** States in which the operation is allowed, stable states first. Empty if users cannot request it directly. */
  readonly from: readonly SpokeState[];
  /** The spoke's states during the operation and after its success. Undefined if the state does not change. */
  readonly transition?: { readonly through: SpokeState; readonly to: SpokeState };
  /** Undefined if the API does not offer the operation as an action. */
  readonly action?: ActionDeclaration;
  /** Whether only operators can request the operation. */
  readonly forOperators?: true;
  /** Whether the operation is also allowed in the state `failed`, to repair a spoke that was active before. */
  readonly allowedWhenFailed?: true;
  /** If true, several such operations can be queued, because each request has its own parameters. */
  readonly repeatable?: true;
  /**
   * Whether a failure may leave the site down. No other operation can be queued after a risky operation: it would run
   * on a broken site and then mark the site as active.
   */
  readonly risky?: true;
  /** The instruction to show if maintenance mode prevents the operation. Undefined if maintenance mode is allowed. */
  readonly maintenanceRefusal?: string;
  /** Whether the operation waits until its hub is active. Other jobs in its lane (queue) can run while it waits. */
  readonly needsActiveHub?: true;
  /** Whether the operation makes the site unavailable. A function decides this for each changed field. */
  readonly downtime?: boolean | ((changed: { readonly object: string; readonly field: string }) => boolean);
  /** Whether the operation changes the amount that is billed for the spoke. */
  readonly affectsPrice?: true;
  /** Throws a `conflict` or `impossible` fault if the operation would change nothing on this spoke. */
  readonly requireEffect?: (catalog: Catalog, spoke: SpokeAfterQueuedOperations, payload: object) => void;
  /** Describes effects that the preview cannot show as changed fields, one sentence each. */
  readonly describe?: (subject: SpokeOperationSubject) => readonly string[];
  /** Returns the changes to Kubernetes objects, keyed by step, for the operation and its preview. */
  readonly changes?: (subject: SpokeOperationSubject) => { readonly [step in Step]?: readonly ObjectChange[] };
}

/** Declares an operation on a spoke and derives its job kind. */
export function declareOperation<
  const Name extends string,
  Step extends string,
  const Declared extends OperationDeclaration<Name, Step>,
>(
  declaration: Declared & OperationDeclaration<Name, Step>,
): Declared & OperationDeclaration<Name, Step> & { readonly kind: JobKind } {
  return { ...declaration, kind: kindOf(declaration) };
}

/** Declares an operation on a hub and derives its job kind. */
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
