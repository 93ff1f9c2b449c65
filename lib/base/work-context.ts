/**
 * What is under way: the request or the job for whose sake something is done here, and its place in a trace.
 *
 * It is known by the asynchronous context, and so to the log, to what is asked of others and to the jobs that are
 * enqueued. To hand it on by hand would give it to every function between a request and a query. What goes on for the
 * sake of nobody, or of many, is begun apart.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { formatTrace, type SpanContext } from "#lib/base/trace.ts";

interface WorkContext {
  /** Of the request or the job. */
  readonly rootSpan: SpanContext;
  /** Of the part of it that is under way. */
  readonly span: SpanContext;
  /** What each line of the log says of it: its id. */
  readonly logFields: Readonly<Record<string, string>>;
}

const storage = new AsyncLocalStorage<WorkContext | null>();

/** Does the work for the sake of a request or a job. */
export function runInContext<T>(
  { rootSpan, logFields }: Pick<WorkContext, "rootSpan" | "logFields">,
  work: () => T,
): T {
  return storage.run({ rootSpan, span: rootSpan, logFields }, work);
}

/** Does the work as this part of what is under way. */
export function runInSpan<T>(span: SpanContext, work: () => T): T {
  const context = storage.getStore();
  return context ? storage.run({ ...context, span }, work) : work();
}

/** Does the work for the sake of nothing that is under way. */
export function runDetached<T>(work: () => T): T {
  return storage.run(null, work);
}

export function currentContext(): WorkContext | null {
  return storage.getStore() ?? null;
}

/** What goes on later, elsewhere, is part of the request or the job itself; null while nothing is under way. */
export function currentTrace(): string | null {
  const cause = currentContext();
  return cause && formatTrace(cause.rootSpan);
}
