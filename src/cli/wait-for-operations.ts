/** Waits for the operations that a command started, unless --no-wait is set, and reports their results. */
import type { Operation, OperationDetail, Problem } from "#lib/client/client.ts";
import { HOUR } from "#lib/base/time.ts";
import { CommandError } from "../commands/command.ts";
import type { Cli } from "./verb-declaration.ts";
import { isDone, watchCommand } from "./operation-views.ts";
import { remark, showChange } from "./output.ts";
import { FAILED, statusOfApi } from "./exit-status.ts";
import { readSpan } from "./times.ts";

export const WAITING = {
  wait: { type: "boolean", help: "show the steps until it is done (the default)" },
  "no-wait": { type: "boolean", help: "end as soon as it is accepted" },
  timeout: { type: "string", value: "SPAN", help: "how long to wait, such as 90s or 10m; an hour when absent" },
} as const;

interface Wish {
  readonly wait?: boolean;
  readonly "no-wait"?: boolean;
  readonly timeout?: string;
}

/** An operation that a command started, with the name of its hub or spoke. */
export interface Begun {
  readonly label: string;
  readonly operation: Operation | null;
}

/** The result of waiting for operations. */
export interface WaitEnding {
  /** The last state of each operation. Null without an operation, or with --no-wait. */
  readonly seen: readonly (OperationDetail | null)[];
  /** Why the wait ended before all operations were done, or null. */
  readonly stopped: CommandError | null;
}

/**
 * Returns the milliseconds to wait, or null for --no-wait. Call it before any request, so that a mistyped span starts
 * nothing.
 */
export function patienceOf({ timeout, ...wish }: Wish): number | null {
  const ms = timeout === undefined ? HOUR : readSpan("--timeout", timeout);
  return wish["no-wait"] ? null : ms;
}

export async function finish(cli: Cli, begun: readonly Begun[], patience: number | null): Promise<WaitEnding> {
  const under = begun.flatMap(({ label, operation }) => operation ? [{ ...operation, label }] : []);
  if (patience === null) {
    if (under.length > 0) remark(cli, `Watch it: ${watchCommand(under)}`);
    return { seen: begun.map(() => null), stopped: null };
  }
  const { watchOperations } = await import("./watch-operations.ts");
  const { seen, stopped } = await watchOperations(cli, under, patience);
  return { seen: begun.map(({ operation }) => seen.find((one) => one?.id === operation?.id) ?? null), stopped };
}

interface Settling<Thing> {
  readonly label: string;
  readonly patience: number | null;
  /** Reads the hub or spoke after the operation. */
  readonly look: () => Promise<Thing>;
  /** Returns the sentence that reports the result. */
  readonly say: (thing: Thing) => string;
}

/** Waits for the operation of one hub or spoke, then shows the new state of the hub or spoke. */
export async function settleOne<Thing extends { operation: Operation | null }>(
  cli: Cli,
  thing: Thing,
  { label, patience, look, say }: Settling<Thing>,
): Promise<void> {
  const begun = [{ label, operation: thing.operation }], ended = await finish(cli, begun, patience);
  const [operation = null] = ended.seen, isOver = operation !== null && isDone(operation);
  const now = isOver ? await look() : { ...thing, operation: operation ?? thing.operation };
  const isWell = ended.stopped === null && (operation === null || operation.state === "succeeded");
  // After a failure, people see only the error. Programs get the record as well.
  if (isWell || cli.json || cli.quiet) showChange(cli, now, say(now));
  throwFailures(begun, ended);
}

/** A spoke for which the server refused a request, and the error. */
export interface Refused {
  readonly name: string;
  readonly error: Pick<Problem, "statusCode" | "code" | "message">;
}

/**
 * Throws a CommandError if a request was refused, an operation failed or was cancelled, or the wait ended early. The
 * status is that of the early end, else the one that all failures share, else FAILED. Callers print their output first.
 */
export function throwFailures(
  begun: readonly Begun[],
  { seen, stopped }: WaitEnding,
  refusals: readonly Refused[] = [],
): void {
  const failures = seen.flatMap((operation, i) => {
    if (!operation || !isDone(operation) || operation.state === "succeeded") return [];
    const { kind, state, error, id } = operation, label = begun[i]!.label;
    if (state === "cancelled") return [`${kind} of ${label} was cancelled`];
    const hint = error?.hint ? `\n  ${error.hint}` : "", why = error?.message ?? "see its report";
    return [`${kind} of ${label} failed: ${why}${hint}\n  wheelwright operations show ${id} tells more`];
  });
  const refused = refusals.map(({ name, error }) => `Refused for ${name}: ${error.message} (${error.code})`);
  const words = [...refused, ...failures, ...stopped ? [stopped.message] : []];
  const statuses = new Set([...refusals.map(({ error }) => statusOfApi(error)), ...failures.map(() => FAILED)]);
  const status = statuses.size === 1 ? [...statuses][0]! : FAILED;
  if (words.length > 0) throw new CommandError(stopped?.status ?? status, words.join("\n"));
}
