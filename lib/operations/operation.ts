/**
 * Defines the type of an operation's declaration, from which job kinds, API actions and previews are derived. The code
 * for each step is in lib/workers.
 */
import * as v from "valibot";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import type { TierInputs } from "#lib/moodle/tier-inputs.ts";
import type { Blueprint } from "#lib/moodle/blueprint.ts";
import type { SiteAddons } from "#lib/catalog/addons.ts";
import type { Catalog } from "#lib/catalog/catalog.ts";
import type { ObjectChange } from "#lib/operations/change.ts";
import {
  type DeclaredStep,
  declareJobKind,
  type JobKind,
  type ProgressOf,
  type ProgressSchemas,
} from "#lib/operations/plan.ts";
import { StateAfterFailure } from "#lib/operations/progress.ts";
import type { DescribedValue } from "#lib/model/field.ts";
import type { SpokeState } from "#lib/model/states.ts";

/** The spoke's states during an operation and after its success. */
export interface StateTransition {
  readonly through: SpokeState;
  readonly to: SpokeState;
}

/** The spoke's states during and after an operation that updates an active site. */
export const UPDATE_TRANSITION = { through: "updating", to: "active" } as const;

interface PlanOf<Step extends string> {
  /** The plan's version. Increase it if you add, remove or rename steps. Running operations keep their old steps. */
  readonly version: number;
  /** How long transient errors are retried after the first start, in milliseconds. */
  readonly limit: number;
  /** The steps in order. Each finished step is recorded by its name. */
  readonly steps: Readonly<Record<Step, DeclaredStep>>;
}

/** The spoke as it is when the operation starts, with the operation's parameters. */
export interface SpokeOperationSubject<Payload extends object = object> {
  readonly blueprint: Blueprint;
  readonly catalog: Catalog;
  readonly inputs: SpokeInputs;
  /** The values that the tier of the spoke's hub sets now. The inputs contain those that the site has. */
  readonly tier: TierInputs | undefined;
  readonly maintenance: boolean;
  readonly siteAddons: SiteAddons;
  /** The operation's parameters, as `parseActionParameters` returned them. */
  readonly payload: Payload;
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

/** Returns the schema of a job's payload that contains the values of these parameters. */
export function createPayloadSchema<P extends Readonly<Record<string, ActionParameter>>>(
  parameters: P,
): v.GenericSchema<unknown, ParameterValues<P>> {
  const entries = Object.entries(parameters).map(([name, { schema, required }]) =>
    [name, required ? schema : v.optional(schema)] as const
  );
  return v.object(Object.fromEntries(entries)) as v.GenericSchema<unknown, ParameterValues<P>>;
}

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
  readonly siteAddons: SiteAddons;
}

interface HubDeclaration<
  Name extends string,
  Step extends string,
  Progress extends ProgressSchemas,
  Payload extends object = object,
> {
  readonly name: Name;
  readonly plan: PlanOf<Step>;
  /** The schema of the data with which the job is created. */
  readonly payload?: v.GenericSchema<unknown, Payload>;
  /** The schemas of the values that a step saves for later steps. */
  readonly progress?: Progress;
  /** If true, the operation is retried indefinitely. For operations that would leave objects behind if they gave up. */
  readonly persistent?: true;
}

export interface OperationDeclaration<
  Name extends string,
  Step extends string,
  Payload extends object = object,
  Progress extends ProgressSchemas = ProgressSchemas,
> extends HubDeclaration<Name, Step, Progress, Payload> {
  /** The verb phrase in error messages: "Cannot (verb phrase) a spoke that is suspended". */
  readonly verbPhrase: string;
  /** States in which the operation is allowed, stable states first. Empty if users cannot request it directly. */
  readonly from: readonly SpokeState[];
  /** Undefined if the operation does not change the spoke's state. */
  readonly transition?: StateTransition;
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
  requireEffect?(catalog: Catalog, spoke: SpokeAfterQueuedOperations, payload: NoInfer<Payload>): void;
  /** Describes effects that the preview cannot show as changed fields, one sentence each. */
  describe?(subject: SpokeOperationSubject<NoInfer<Payload>>): readonly string[];
  /** Returns the changes to Kubernetes objects, keyed by step, for the operation and its preview. */
  changes?(subject: SpokeOperationSubject<NoInfer<Payload>>): { readonly [step in Step]?: readonly ObjectChange[] };
}

/** Declares an operation on a spoke and derives its job kind. */
export function declareOperation<
  const Name extends string,
  Step extends string,
  const Declared extends OperationDeclaration<Name, Step, Payload, Progress>,
  Payload extends object = object,
  Progress extends ProgressSchemas = Record<never, never>,
>(declaration: Declared & OperationDeclaration<Name, Step, Payload, Progress>) {
  const { needsActiveHub, payload } = declaration;
  const kind = declareJobKind({
    ...kindRulesOf(declaration),
    ...(needsActiveHub && { needsActiveHub }),
    ...(payload && { payload }),
    progress: { observed: StateAfterFailure, ...declaration.progress as Progress },
  });
  return { ...declaration, kind };
}

/** Declares an operation on a hub and derives its job kind. */
export function declareHubOperation<
  const Name extends string,
  Step extends string,
  Progress extends ProgressSchemas = Record<never, never>,
  Payload extends object = object,
>(
  declaration: HubDeclaration<Name, Step, Progress, Payload>,
): HubDeclaration<Name, Step, Progress, Payload> & { readonly kind: JobKind<ProgressOf<Progress>, Payload, Step> } {
  const { progress, payload } = declaration;
  const data = { ...(progress && { progress }), ...(payload && { payload }) };
  return { ...declaration, kind: declareJobKind({ ...kindRulesOf(declaration), ...data }) };
}

function kindRulesOf<Step extends string>({ name, plan, persistent }: HubDeclaration<string, Step, ProgressSchemas>) {
  const { version, steps, limit } = plan;
  return { kind: name, plan: version, visible: true, steps, timeLimit: limit, ...(persistent && { persistent }) };
}
