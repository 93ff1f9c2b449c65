/** Waits for the operations that a command started, unless --no-wait is set, and reports their results. */
import type { Operation, Problem } from "#lib/client/client.ts";
import { HOUR } from "#lib/base/time.ts";
import type { CliContext, OptionValues } from "./command.ts";
import { formatWatchCommand, isOperationDone } from "./operation-views.ts";
import { printNote, showChange } from "./output.ts";
import { parseDuration } from "./times.ts";
import type { WaitResult } from "./watch-operations.ts";
import { CommandError, EXIT, findExitStatus } from "./exit-status.ts";

export const WAIT_OPTIONS = {
  wait: { type: "boolean", help: "wait and show the progress (default)" },
  "no-wait": { type: "boolean", help: "do not wait for the operation" },
  timeout: { type: "string", value: "SPAN", help: "maximum time to wait, for example 90s or 10m (default: one hour)" },
} as const;

/** An operation that a command started, with the name of the affected hub or spoke. */
export interface LabelledOperation {
  readonly label: string;
  readonly operation: Operation | null;
}

/**
 * Returns how long to wait, in milliseconds, or null for --no-wait. Call this function before sending any request, so
 * that a mistyped duration does not start an operation.
 */
export function parseWaitTime({ timeout, ...options }: OptionValues<typeof WAIT_OPTIONS>): number | null {
  const ms = timeout === undefined ? HOUR : parseDuration("--timeout", timeout);
  return options["no-wait"] ? null : ms;
}

export async function waitForOperations(
  cli: CliContext,
  started: readonly LabelledOperation[],
  waitTime: number | null,
): Promise<WaitResult> {
  const pending = started.flatMap(({ label, operation }) => operation ? [{ ...operation, label }] : []);
  if (waitTime === null) {
    if (pending.length > 0) printNote(cli, `To watch the progress, run: ${formatWatchCommand(pending)}`);
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
  /** Reads the hub or spoke again once the operation is done. */
  readonly readRecord: () => Promise<Thing>;
  /** Returns a sentence that reports the operation's result. */
  readonly describe: (thing: Thing) => string;
}

/** Waits for the operation on a hub or spoke, then shows the new state of that hub or spoke. */
export async function waitAndShow<Thing extends { operation: Operation | null }>(
  cli: CliContext,
  thing: Thing,
  { label, waitTime, readRecord, describe }: WaitDisplay<Thing>,
): Promise<void> {
  const started = [{ label, operation: thing.operation }], result = await waitForOperations(cli, started, waitTime);
  const [operation = null] = result.operations, isFinal = operation !== null && isOperationDone(operation);
  const now = isFinal ? await readRecord() : { ...thing, operation: operation ?? thing.operation };
  const isSuccess = result.earlyEnd === null && (operation === null || operation.state === "succeeded");
  // After a failure, prints the record only for programs. People see only the error message.
  if (isSuccess || cli.json || cli.quiet) showChange(cli, now, describe(now));
  throwOperationFailures(started, result);
}

/** The error with which the server refused a request for a spoke. */
export interface RefusedSpokeRequest {
  readonly name: string;
  readonly error: Pick<Problem, "statusCode" | "code" | "message">;
}

/**
 * Throws a CommandError if a request was refused, an operation failed or was cancelled, or waiting ended early. Call
 * this function after printing results. The exit status is that of `earlyEnd`, or the status that all failures share.
 */
export function throwOperationFailures(
  started: readonly LabelledOperation[],
  { operations, earlyEnd }: WaitResult,
  refusals: readonly RefusedSpokeRequest[] = [],
): void {
  const failures = operations.flatMap((operation, i) => {
    if (!operation || !isOperationDone(operation) || operation.state === "succeeded") return [];
    const { kind, state, error, id } = operation, label = started[i]!.label;
    if (state === "cancelled") return [`${kind} of ${label} was cancelled`];
    const hint = error?.hint ? `\n  ${error.hint}` : "", why = error?.message ?? "unknown reason";
    return [`${kind} of ${label} failed: ${why}${hint}\n  For details, run 'wheelwright operations show ${id}'`];
  });
  const refused = refusals.map(({ name, error }) => `Server refused ${name}: ${error.message} (${error.code})`);
  const words = [...refused, ...failures, ...earlyEnd ? [earlyEnd.message] : []];
  const statuses = new Set([...refusals.map(({ error }) => findExitStatus(error)), ...failures.map(() => EXIT.failed)]);
  const status = statuses.size === 1 ? [...statuses][0]! : EXIT.failed;
  if (words.length > 0) throw new CommandError(earlyEnd?.status ?? status, words.join("\n"));
}
