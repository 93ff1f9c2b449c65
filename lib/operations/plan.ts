/**
 * Declares kinds of jobs: their steps, and the schemas of the data that is stored with a job. The code for each step is
 * in lib/workers, so that enqueueing a job does not import it.
 */
import * as v from "valibot";

/** The label of a step, as shown to users, and the step's timeout in milliseconds. */
export type DeclaredStep = readonly [label: string, timeout: number];

export interface StepPlan<Step extends string = string> {
  /** The name that is recorded when the step is finished. A new name requires a new plan version. */
  readonly name: Step;
  /** The label that users see while the step runs, for example "Installing Moodle". */
  readonly label: string;
  /** The timeout of the step, in milliseconds. */
  readonly timeout: number;
}

/** Schemas of the values that steps save in a job's progress, keyed by name. They check values but do not change them. */
export type ProgressSchemas = Readonly<Record<string, v.GenericSchema>>;

/** The values that a job of any kind may save. */
const SHARED_PROGRESS = {
  /** Describe to users which parts of the operation were skipped or were not possible. */
  notes: v.array(v.string()),
  /** How many attempts failed because of a bug. */
  bugs: v.number(),
  /** How many attempts to record the job's start or end failed. */
  unended: v.number(),
};

/** The progress of a job whose kind declares these schemas. A value is undefined until a step has saved it. */
export type ProgressOf<Schemas extends ProgressSchemas> = SharedProgress & SavedValues<Schemas>;
export type SharedProgress = SavedValues<typeof SHARED_PROGRESS>;
type SavedValues<Schemas extends ProgressSchemas> = {
  readonly [Name in keyof Schemas]: v.InferOutput<Schemas[Name]> | undefined;
};

/** The payload of a job of this kind. */
export type PayloadOf<Kind extends JobKind> = Kind extends JobKind<infer _, infer Payload> ? Payload : never;

interface JobRules {
  /** How long transient errors are retried, in milliseconds from the first start. Ignored for persistent kinds. */
  readonly timeLimit: number;
  /** Whether the job waits until its hub is active. Other jobs in its lane (queue) can run while it waits. */
  readonly needsActiveHub?: boolean;
  /** If true, the job is retried indefinitely. For jobs that would leave objects in the cluster if they gave up. */
  readonly persistent?: boolean;
  /** Whether the job waits for servers that customers choose. It then runs apart, so that it delays no other job. */
  readonly separate?: boolean;
  /** Milliseconds between the end of a recurring job and the next start. At most one such job is queued or running. */
  readonly repeatEvery?: number;
}

export interface JobKind<
  Progress extends SharedProgress = SharedProgress,
  Payload extends object = object,
  Step extends string = string,
> extends JobRules {
  readonly kind: string;
  /** The version of the list of steps. A replica claims only jobs whose kind and version it knows. */
  readonly plan: number;
  readonly visible: boolean;
  readonly steps: readonly StepPlan<Step>[];
  /** The schema of the payload. Another release may have added fields that the schema does not have. */
  readonly payload?: v.GenericSchema<unknown, Payload>;
  /** The schema of the progress, to which the same applies. */
  readonly progress?: v.GenericSchema<unknown, Progress>;
}

export interface JobKindDeclaration<Step extends string, Payload extends object, Progress extends ProgressSchemas>
  extends JobRules {
  readonly kind: string;
  /** The version of the list of steps. Increase it if you add, remove or rename steps. The default is 1. */
  readonly plan?: number;
  /** Whether users see the job, which is then an operation. The default is false. */
  readonly visible?: boolean;
  /** The steps in order. */
  readonly steps: Readonly<Record<Step, DeclaredStep>>;
  /** The schema of the data with which a job of this kind is created. */
  readonly payload?: v.GenericSchema<unknown, Payload>;
  /** The schema of each value that a step saves for later steps. Running jobs keep their values during an upgrade. */
  readonly progress?: Progress;
}

/** Declares a kind of job. Its steps can then read and save only the data that is declared here. */
export function declareJobKind<
  Step extends string,
  Payload extends object = object,
  Progress extends ProgressSchemas = Record<never, never>,
>(
  { steps, payload, progress, plan = 1, visible = false, ...rules }: JobKindDeclaration<Step, Payload, Progress>,
): JobKind<ProgressOf<Progress>, Payload, Step> {
  return {
    ...rules,
    plan,
    visible,
    steps: (Object.entries(steps) as [Step, DeclaredStep][]).map(([name, [label, timeout]]) => ({
      name,
      label,
      timeout,
    })),
    ...(payload && { payload }),
    // A value that is missing in the database reads as undefined, as in the type.
    progress: v.partial(v.object({ ...SHARED_PROGRESS, ...progress })) as v.GenericSchema<
      unknown,
      ProgressOf<Progress>
    >,
  };
}
