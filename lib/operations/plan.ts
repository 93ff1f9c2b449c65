/**
 * A kind of job, as data: what its steps are called and how long each may take. The functions that do the steps stand in
 * lib/work, so that whatever enqueues needs to know no work.
 */
export interface StepPlan {
  /** Recorded when finished; never renamed without a new plan version. */
  readonly name: string;
  /** What a person reads while it runs: "Installing Moodle". */
  readonly label: string;
  /** Milliseconds. */
  readonly timeout: number;
}

export interface JobKind {
  readonly kind: string;
  /** Version of the sequence of steps. A replica claims only the kinds and versions that it knows. */
  readonly plan: number;
  readonly visible: boolean;
  readonly steps: readonly StepPlan[];
  /** Milliseconds from the first start until a transient error becomes final; of a persistent kind, none does. */
  readonly timeLimit: number;
  /** Not started before its hub is active; until then it waits without holding up its lane. */
  readonly needsActiveHub?: boolean;
  /** Whatever the cluster says, it is tried again for as long as it takes: giving up would leave something behind. */
  readonly persistent?: boolean;
  /** Milliseconds after its end, however it ended, at which the next one runs; at most one of the kind is live. */
  readonly repeatEvery?: number;
}
