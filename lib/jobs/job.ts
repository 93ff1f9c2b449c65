/**
 * Jobs and operations as the rest of the program sees them. An operation is a job that people can see.
 */
import { createHash } from "node:crypto";
import type { Blame } from "#lib/base/errors.ts";
import { parseTrace, type Sampler, type SpanContext, startSpanContext } from "#lib/base/trace.ts";
import { type Requester, SYSTEM } from "#lib/audit/requester.ts";
import type { JobKind } from "#lib/operations/plan.ts";

export type JobState = "queued" | "running" | "succeeded" | "failed" | "cancelled";

/** What stays of a failed operation, outliving its namespace. */
export interface FailureReport {
  readonly step: string;
  readonly code: string;
  readonly fault: Blame;
  readonly message: string;
  readonly hint: string | null;
  readonly log: readonly string[];
  readonly events: readonly { at: string; object: string; reason: string; message: string; count: number }[];
}

export interface NewJob {
  readonly kind: JobKind;
  /** `federation:<id>`, `spoke:<id>`, `mail:<number>`, or null: not held back by any other job. */
  readonly lane: string | null;
  readonly federationId: string | null;
  readonly spokeId: string | null;
  readonly payload?: Readonly<Record<string, unknown>>;
  readonly runAt?: Date;
  /** At most one queued or running job has it; enqueueing another one is left out silently and returns the first. */
  readonly dedupeKey?: string;
}

export interface Job {
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
  readonly stepsDone: readonly string[];
  /** When steps ended, by name: not the last one, which ends with the job, nor those that an older release did. */
  readonly stepEnds: Readonly<Record<string, string>>;
  readonly label: string;
  // deno-lint-ignore no-explicit-any
  readonly payload: Readonly<Record<string, any>>;
  // deno-lint-ignore no-explicit-any
  readonly progress: Readonly<Record<string, any>>;
  readonly failure: FailureReport | null;
  readonly cancelRequestedAt: Date | null;
  readonly requester: Requester;
  /** What it was asked for as part of, as a text of `writeTrace`; null for what the service does by itself. */
  readonly trace: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly startedAt: Date | null;
  readonly finishedAt: Date | null;
}

/** Its place in the trace of who asked for it, or in one of its own. It follows from the row: each holder finds the same. */
export function traceOfJob({ id, trace }: Pick<Job, "id" | "trace">, sampler: Sampler): SpanContext {
  const digits = createHash("sha256").update(id).digest("hex");
  return startSpanContext(parseTrace(trace), sampler, { traceId: digits.slice(0, 32), spanId: digits.slice(32, 48) });
}

/** What a line of the log says of a job: which it is, what it is about and who asked, all by id. */
export function jobLogFields(job: Job): Readonly<Record<string, string>> {
  const { id, kind, federationId, spokeId, requester } = job;
  return {
    operation: id,
    kind,
    traceId: traceOfJob(job, () => false).traceId,
    ...(federationId !== null && { hub: federationId }),
    ...(spokeId !== null && { spoke: spokeId }),
    ...(requester.userId !== SYSTEM.userId && { user: requester.userId }),
  };
}

/** States that a job does not leave again. */
export const isFinished = (state: JobState): boolean => state !== "queued" && state !== "running";

export const hubLane = (federationId: string): string => `federation:${federationId}`;
export const spokeLane = (spokeId: string): string => `spoke:${spokeId}`;
