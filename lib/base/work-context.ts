/**
 * Keeps the current request or job, with its trace span, in an AsyncLocalStorage. Log entries, outgoing calls and new
 * jobs read the context, so that it need not be passed as a parameter. Work on behalf of several requests or jobs runs
 * without a context (`runWithoutContext`).
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { formatTrace, type SpanContext } from "#lib/base/trace.ts";

interface WorkContext {
  /** The span that covers the entire request or job. */
  readonly rootSpan: SpanContext;
  /** The innermost span that is currently open. */
  readonly span: SpanContext;
  /** Fields to add to each log entry: the ID of the request or job. */
  readonly logFields: Readonly<Record<string, string>>;
}

const storage = new AsyncLocalStorage<WorkContext | null>();

/** Runs the work in the context of a request or job. */
export function runInContext<T>(
  { rootSpan, logFields }: Pick<WorkContext, "rootSpan" | "logFields">,
  work: () => T,
): T {
  return storage.run({ rootSpan, span: rootSpan, logFields }, work);
}

export function runInSpan<T>(span: SpanContext, work: () => T): T {
  const context = storage.getStore();
  return context ? storage.run({ ...context, span }, work) : work();
}

/** Runs the work without the context of any request or job. */
export function runWithoutContext<T>(work: () => T): T {
  return storage.run(null, work);
}

export function getCurrentContext(): WorkContext | null {
  return storage.getStore() ?? null;
}

/** Returns the current span as text, so that later work can continue its trace; null outside a request or job. */
export function formatCurrentTrace(): string | null {
  const current = getCurrentContext();
  return current && formatTrace(current.rootSpan);
}
