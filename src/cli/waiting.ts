/** Waits for what a command has begun, unless told not to, and says how it ended. */
import type { Operation, OperationDetail, Problem } from "#lib/client/client.ts";
import { HOUR } from "#lib/base/time.ts";
import { CommandError } from "../commands/command.ts";
import type { Cli } from "./noun.ts";
import { isDone, watchCommand } from "./operation-views.ts";
import { remark, showChange } from "./output.ts";
import { FAILED, statusOfApi } from "./status.ts";
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

/** An operation, and what people call what it is about. */
export interface Begun {
  readonly label: string;
  readonly operation: Operation | null;
}

/** What became of it. */
export interface WaitEnding {
  /** Each operation as it was seen last; null where there is none, or where nobody waits. */
  readonly seen: readonly (OperationDetail | null)[];
  /** What ended the waiting before all of them were over. */
  readonly stopped: CommandError | null;
}

/** Before anything is asked for: what is mistyped begins nothing. Milliseconds, or null for not waiting. */
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
  const { watchOperations } = await import("./watch.ts");
  const { seen, stopped } = await watchOperations(cli, under, patience);
  return { seen: begun.map(({ operation }) => seen.find((one) => one?.id === operation?.id) ?? null), stopped };
}

interface Settling<Thing> {
  readonly label: string;
  readonly patience: number | null;
  /** Has it as it is afterwards. */
  readonly look: () => Promise<Thing>;
  /** Tells people what became of it. */
  readonly say: (thing: Thing) => string;
}

/** Waits for what was begun on one hub or spoke, and shows that as it is then. */
export async function settleOne<Thing extends { operation: Operation | null }>(
  cli: Cli,
  thing: Thing,
  { label, patience, look, say }: Settling<Thing>,
): Promise<void> {
  const begun = [{ label, operation: thing.operation }], ended = await finish(cli, begun, patience);
  const [operation = null] = ended.seen, isOver = operation !== null && isDone(operation);
  const now = isOver ? await look() : { ...thing, operation: operation ?? thing.operation };
  const isWell = ended.stopped === null && (operation === null || operation.state === "succeeded");
  // People are told the failure; programs get the record all the same.
  if (isWell || cli.json || cli.quiet) showChange(cli, now, say(now));
  throwFailures(begun, ended);
}

/** One of several that was refused, and why. */
export interface Refused {
  readonly name: string;
  readonly error: Pick<Problem, "statusCode" | "code" | "message">;
}

/**
 * Throws CommandError where something was refused or has failed, or is not over, with the status of all that, where it is
 * one. What is printed comes before.
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
