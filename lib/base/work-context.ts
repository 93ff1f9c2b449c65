/**
 * Keeps the current request or job, with its trace span, in an AsyncLocalStorage. Log entries, outgoing calls and new
 * jobs read the context from there, so functions need no parameter for it. Work that serves several requests or jobs
 * runs without a context (`runDetached`).
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { formatTrace, type SpanContext } from "#lib/base/trace.ts";

interface WorkContext {
  /** The span of the request or job. */
  readonly rootSpan: SpanContext;
  /** The current span of the request or job. */
  readonly span: SpanContext;
  /** Fields for each log line: the ID of the request or job. */
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

/** 35 */
export function runInSpan<T>(span: SpanContext, work: () => T): T {
  const context = storage.getStore();
  return context ? storage.run({ ...context, span }, work) : work();
}

/** Runs the work without a context. */
export function runDetached<T>(work: () => T): T {
  return storage.run(null, work);
}

export function currentContext(): WorkContext | null {
  return storage.getStore() ?? null;
}

/** Returns the span of the current request or job as text, for work that runs later; null without a context. */
export function currentTrace(): string | null {
  const current = currentContext();
  return current && formatTrace(current.rootSpan);
}
