/**
 * A kind of job: its steps with their names and time limits. The functions of the steps are in lib/workers, so code
 * that enqueues jobs does not import them.
 */
export interface StepPlan {
  /** The name, which is recorded when the step is finished. A new name needs a new plan version. */
  readonly name: string;
  /** The label that users see while the step runs, for example "Installing Moodle". */
  readonly label: string;
  /** Milliseconds. */
  readonly timeout: number;
}

export interface JobKind {
  readonly kind: string;
  /** Version of the steps. A replica claims only kinds and versions that it knows. */
  readonly plan: number;
  readonly visible: boolean;
  readonly steps: readonly StepPlan[];
  /** Milliseconds from the first start until a transient error becomes permanent. Ignored for persistent kinds. */
  readonly timeLimit: number;
  /** Whether the job waits until its hub is active, without blocking its lane. */
  readonly needsActiveHub?: boolean;
  /** Whether the job is retried without a time limit, because giving up would leave objects behind. */
  readonly persistent?: boolean;
  /** Milliseconds from the end of a job until the next one of this kind. At most one is queued or running. */
  readonly repeatEvery?: number;
}
