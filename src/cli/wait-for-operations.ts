/** Waits for the operations that a command started, unless --no-wait is set, and reports their results. */
import type { Operation, OperationDetail, Problem } from "#lib/client/client.ts";
import { HOUR } from "#lib/base/time.ts";
import { CommandError } from "../commands/command.ts";
import type { CliContext } from "./verb-declaration.ts";
import { isOperationDone, watchCommand } from "./operation-views.ts";
import { printNote, showChange } from "./output.ts";
import { EXIT_FAILED, exitStatusOf } from "./exit-status.ts";
import { parseDuration } from "./times.ts";

export const WAIT_FLAGS = {
  wait: { type: "boolean", help: "wait and show the progress (default)" },
  "no-wait": { type: "boolean", help: "do not wait for the operation" },
  timeout: { type: "string", value: "SPAN", help: "maximum time to wait, for example 90s or 10m (default: one hour)" },
} as const;

interface WaitFlags {
  readonly wait?: boolean;
  readonly "no-wait"?: boolean;
  readonly timeout?: string;
}

/** An operation that a command started, with the name of its hub or spoke. */
export interface LabelledOperation {
  readonly label: string;
  readonly operation: Operation | null;
}

/** The result of waiting for operations. */
export interface WaitResult {
  /** The last state of each operation. Null without an operation, or with --no-wait. */
  readonly operations: readonly (OperationDetail | null)[];
  /** Why the wait ended before all operations were done, or null. */
  readonly earlyEnd: CommandError | null;
}

/**
 * Returns the milliseconds to wait, or null for --no-wait. Callers parse the duration before they send any request, so
 * that a mistyped duration starts no operation.
 */
export function waitTimeOf({ timeout, ...flags }: WaitFlags): number | null {
  const ms = timeout === undefined ? HOUR : parseDuration("--timeout", timeout);
  return flags["no-wait"] ? null : ms;
}

export async function waitForOperations(
  cli: CliContext,
  started: readonly LabelledOperation[],
  waitTime: number | null,
): Promise<WaitResult> {
  const pending = started.flatMap(({ label, operation }) => operation ? [{ ...operation, label }] : []);
  if (waitTime === null) {
    if (pending.length > 0) printNote(cli, `To watch it: ${watchCommand(pending)}`);
    return { operations: started.map(() => null), earlyEnd: null };
  }
  const { watchOperations } = await import("./watch-operations.ts");
  const { operations, earlyEnd } = await watchOperations(cli, pending, waitTime);
  return {
    operations: started.map(({ operation }) => operations.find((one) => one?.id === operation?.id) ?? null),
    earlyEnd,
  };
}

interface WaitDisplay<Thing> {
  readonly label: string;
  readonly waitTime: number | null;
  /** Reads the hub or spoke after the operation. */
  readonly readRecord: () => Promise<Thing>;
  /** Returns the sentence that reports the result. */
  readonly describe: (thing: Thing) => string;
}

/** Waits for the operation of one hub or spoke, then shows the new state of the hub or spoke. */
export async function waitAndShow<Thing extends { operation: Operation | null }>(
  cli: CliContext,
  thing: Thing,
  { label, waitTime, readRecord, describe }: WaitDisplay<Thing>,
): Promise<void> {
  const started = [{ label, operation: thing.operation }], result = await waitForOperations(cli, started, waitTime);
  const [operation = null] = result.operations, isFinal = operation !== null && isOperationDone(operation);
  const now = isFinal ? await readRecord() : { ...thing, operation: operation ?? thing.operation };
  const isSuccess = result.earlyEnd === null && (operation === null || operation.state === "succeeded");
  // After a failure, people see only the error. Programs get the record as well.
  if (isSuccess || cli.json || cli.quiet) showChange(cli, now, describe(now));
  throwFailures(started, result);
}

/** A spoke for which the server refused a request, and the error. */
export interface SpokeRefusal {
  readonly name: string;
  readonly error: Pick<Problem, "statusCode" | "code" | "message">;
}

/**
 * Throws a CommandError if a request was refused, an operation failed or was cancelled, or the wait ended early. The
 * status is that of the early end, else the one that all failures share, else FAILED. Callers print their output first.
 */
export function throwFailures(
  started: readonly LabelledOperation[],
  { operations, earlyEnd }: WaitResult,
  refusals: readonly SpokeRefusal[] = [],
): void {
  const failures = operations.flatMap((operation, i) => {
    if (!operation || !isOperationDone(operation) || operation.state === "succeeded") return [];
    const { kind, state, error, id } = operation, label = started[i]!.label;
    if (state === "cancelled") return [`${kind} of ${label} was cancelled`];
    const hint = error?.hint ? `\n  ${error.hint}` : "", why = error?.message ?? "unknown reason";
    return [`${kind} of ${label} failed: ${why}${hint}\n  For details, run 'wheelwright operations show ${id}'`];
  });
  const refused = refusals.map(({ name, error }) => `Refused for ${name}: ${error.message} (${error.code})`);
  const words = [...refused, ...failures, ...earlyEnd ? [earlyEnd.message] : []];
  const statuses = new Set([...refusals.map(({ error }) => exitStatusOf(error)), ...failures.map(() => EXIT_FAILED)]);
  const status = statuses.size === 1 ? [...statuses][0]! : EXIT_FAILED;
  if (words.length > 0) throw new CommandError(earlyEnd?.status ?? status, words.join("\n"));
}
