/** Defines jobs and operations. An operation is a job that users can see. */
import { createHash } from "node:crypto";
import type { FailureCause } from "#lib/base/errors.ts";
import { parseTrace, type SpanContext, startSpanContext, type TraceSampler } from "#lib/base/trace.ts";
import { type Requester, SYSTEM_REQUESTER } from "#lib/audit/requester.ts";
import type { JobKind, SharedProgress } from "#lib/operations/plan.ts";

export type JobState = "queued" | "running" | "succeeded" | "failed" | "cancelled";

/** Describes why an operation failed. The report is kept even after the operation's namespace is deleted. */
export interface FailureReport {
  readonly step: string;
  readonly code: string;
  readonly fault: FailureCause;
  readonly message: string;
  readonly hint: string | null;
  readonly log: readonly string[];
  readonly events: readonly { at: string; object: string; reason: string; message: string; count: number }[];
}

/** The cluster in which an operation needs a turn, and how many operations may have a turn there at the same time. */
export interface TurnRule {
  readonly cluster: string;
  readonly limit: number;
}

export interface NewJob {
  readonly kind: JobKind;
  /**
   * The job's lane (queue): `federation:<id>`, `spoke:<id>` or `mail:<number>`. Jobs in the same lane run one at a
   * time. Null for a job that never waits for other jobs.
   */
  readonly lane: string | null;
  readonly federationId: string | null;
  readonly spokeId: string | null;
  readonly payload?: object;
  readonly runAt?: Date;
  /** A key that only one queued or running job can have. Enqueueing a second job with this key returns the first. */
  readonly dedupeKey?: string;
  /** Set for an operation of a large bulk action, which starts only when it has a turn in its cluster. */
  readonly turn?: TurnRule;
}

/** Creates a job of this kind, to be enqueued. By default, it has no lane (queue) and belongs to no hub or spoke. */
export function createJob<Payload extends object>(
  kind: JobKind<SharedProgress, Payload>,
  payload: NoInfer<Payload>,
  rest: Partial<Omit<NewJob, "kind" | "payload">> = {},
): NewJob {
  return { kind, lane: null, federationId: null, spokeId: null, payload, ...rest };
}

/**
 * A stored job. Its payload and progress have the types that its kind declares only after `requireJobData` has checked
 * them, because another release may have written them. The scheduler checks them when it claims the job.
 */
export interface Job<Progress extends SharedProgress = SharedProgress, Payload extends object = object> {
  readonly id: string;
  readonly seq: string;
  readonly kind: string;
  readonly visible: boolean;
  readonly lane: string | null;
  readonly federationId: string | null;
  readonly spokeId: string | null;
  readonly state: JobState;
  readonly runAt: Date;
  readonly attempt: number;
  readonly timeLimit: number;
  readonly deadlineAt: Date | null;
  readonly fence: string;
  readonly holder: string | null;
  readonly plan: number;
  readonly stepNames: readonly string[];
  readonly finishedSteps: readonly string[];
  /** When each step ended, keyed by step name. The last step, and steps run by an older release, may be missing. */
  readonly stepTimes: Readonly<Record<string, string>>;
  readonly label: string;
  readonly payload: Payload;
  readonly progress: Progress;
  readonly failure: FailureReport | null;
  readonly cancelRequestedAt: Date | null;
  readonly requester: Requester;
  /** The trace of the request, as formatted by `formatTrace`. Null for jobs that the service itself starts. */
  readonly trace: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly startedAt: Date | null;
  readonly finishedAt: Date | null;
}

/** A job's identity and progress, which are known before the job is stored. */
export type JobProgress = Pick<
  Job,
  "id" | "kind" | "state" | "stepNames" | "finishedSteps" | "label" | "attempt"
>;

/** A job of this kind whose data was checked. */
export type JobOf<Kind extends JobKind> = Kind extends JobKind<infer Progress, infer Payload> ? Job<Progress, Payload>
  : never;

/** Returns the job's trace context. Its IDs are derived from the job, so all replicas compute the same IDs. */
export function createJobTrace({ id, trace }: Pick<Job, "id" | "trace">, sampler: TraceSampler): SpanContext {
  const digits = createHash("sha256").update(id).digest("hex");
  return startSpanContext(parseTrace(trace), sampler, { traceId: digits.slice(0, 32), spanId: digits.slice(32, 48) });
}

export function getJobLogFields(job: Job): Readonly<Record<string, string>> {
  const { id, kind, federationId, spokeId, requester } = job;
  return {
    operation: id,
    kind,
    traceId: createJobTrace(job, () => false).traceId,
    ...(federationId !== null && { hub: federationId }),
    ...(spokeId !== null && { spoke: spokeId }),
    ...(requester.userId !== SYSTEM_REQUESTER.userId && { user: requester.userId }),
  };
}

/** Whether a job in this state has ended. */
export const isFinalJobState = (state: JobState): boolean => state !== "queued" && state !== "running";

export const buildHubLane = (federationId: string): string => `federation:${federationId}`;
export const buildSpokeLane = (spokeId: string): string => `spoke:${spokeId}`;
