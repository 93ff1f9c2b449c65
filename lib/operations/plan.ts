/**
 * Describes one step of a job: its name, label and timeout. The code for each step is in lib/workers, so that
 * enqueueing a job does not import it.
 */
export interface StepPlan {
  /** The name that is recorded when the step is finished. A new name requires a new plan version. */
  readonly name: string;
  /** The label that users see while the step runs, for example "Installing Moodle". */
  readonly label: string;
  /** The timeout of the step, in milliseconds. */
  readonly timeout: number;
}

export interface JobKind {
  readonly kind: string;
  /** The version of the list of steps. A replica claims only jobs whose kind and version it knows. */
  readonly plan: number;
  readonly visible: boolean;
  readonly steps: readonly StepPlan[];
  /** How long transient errors are retried, in milliseconds from the first start. Ignored for persistent kinds. */
  readonly timeLimit: number;
  /** Whether the job waits until its hub is active. Other jobs in its lane (queue) can run while it waits. */
  readonly needsActiveHub?: boolean;
  /** If true, the job is retried indefinitely. For jobs that would leave objects in the cluster if they gave up. */
  readonly persistent?: boolean;
  /** Milliseconds between the end of a recurring job and the next start. At most one such job is queued or running. */
  readonly repeatEvery?: number;
}
