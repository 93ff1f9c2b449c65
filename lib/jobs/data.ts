/** Checks the data that is stored with a job against the schemas that its kind declares. */
import * as v from "valibot";
import { DriverError } from "#lib/base/errors.ts";
import type { Job } from "#lib/jobs/job.ts";
import type { JobKind, SharedProgress } from "#lib/operations/plan.ts";

/** Thrown if a job's payload or progress differs from the schema of its kind. A retry cannot help. */
export class JobDataError extends DriverError {
  readonly jobId: string;

  constructor({ kind, id }: Job, problem: string) {
    super("JobDataInvalid", `The stored data of ${kind} ${id} cannot be read: ${problem}`, {
      transient: false,
      hint: "Another release of Wheelwright wrote this data. Request the operation again, or use that release.",
    });
    this.name = "JobDataError";
    this.jobId = id;
  }
}

/**
 * Whether the job's data has the types that its kind declares. Ignores values that the kind does not declare: another
 * release may have written them, and they must not be lost.
 */
export function hasDeclaredData<Progress extends SharedProgress, Payload extends object>(
  kind: JobKind<Progress, Payload>,
  job: Job,
): job is Job<Progress, Payload> {
  return findProblem("payload", kind, job) === null && findProblem("progress", kind, job) === null;
}

/** Returns the job with the types that its kind declares. Throws a JobDataError that names the first wrong value. */
export function requireJobData<Progress extends SharedProgress, Payload extends object>(
  kind: JobKind<Progress, Payload>,
  job: Job,
): Job<Progress, Payload> {
  if (hasDeclaredData(kind, job)) return job;
  throw new JobDataError(job, findProblem("payload", kind, job) ?? findProblem("progress", kind, job)!);
}

/** Returns a phrase that names the first wrong value, but does not contain it, because it may be a secret. */
function findProblem(part: "payload" | "progress", kind: JobKind, job: Job): string | null {
  const schema = kind[part], issue = schema && v.safeParse(schema, job[part], { abortEarly: true }).issues?.[0];
  if (!issue) return null;
  const path = v.getDotPath(issue);
  return `${path === null ? part : `${part}.${path}`} must be ${issue.expected ?? "valid"}`;
}
