/**
 * What is under way: the request or the job for whose sake something is done here, and its place in a trace.
 *
 * It is known by the asynchronous context, and so to the log, to what is asked of others and to the jobs that are
 * enqueued. To hand it on by hand would give it to every function between a request and a query. What goes on for the
 * sake of nobody, or of many, is begun apart.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { type TracePlace, writeTrace } from "#lib/base/trace.ts";

interface Cause {
  /** Of the request or the job. */
  readonly root: TracePlace;
  /** Of the part of it that is under way. */
  readonly place: TracePlace;
  /** What each line of the log says of it: its id. */
  readonly about: Readonly<Record<string, string>>;
}

const present = new AsyncLocalStorage<Cause | null>();

/** Does the work for the sake of a request or a job. */
export function because<T>({ root, about }: Pick<Cause, "root" | "about">, work: () => T): T {
  return present.run({ root, place: root, about }, work);
}

/** Does the work as this part of what is under way. */
export function inPlace<T>(place: TracePlace, work: () => T): T {
  const cause = present.getStore();
  return cause ? present.run({ ...cause, place }, work) : work();
}

/** Does the work for the sake of nothing that is under way. */
export function apart<T>(work: () => T): T {
  return present.run(null, work);
}

export function presentCause(): Cause | null {
  return present.getStore() ?? null;
}

/** What goes on later, elsewhere, is part of the request or the job itself; null while nothing is under way. */
export function presentTrace(): string | null {
  const cause = presentCause();
  return cause && writeTrace(cause.root);
}
