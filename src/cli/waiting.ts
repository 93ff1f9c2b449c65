/** Waits for what a command has begun, unless told not to, and says how it ended. */
import type { Operation, OperationDetail } from "#lib/client/client.ts";
import { HOUR } from "#lib/base/time.ts";
import { CommandError } from "../commands/command.ts";
import type { Cli } from "./noun.ts";
import { remark } from "./output.ts";
import { FAILED } from "./status.ts";
import { readSpan } from "./times.ts";

export const WAITING = {
  wait: { type: "boolean", help: "show the steps until it is done (that is what happens)" },
  "no-wait": { type: "boolean", help: "end as soon as it is accepted" },
  timeout: { type: "string", value: "SPAN", help: "how long to wait, such as 90s or 10m; an hour" },
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

/** Before anything is asked for: what is mistyped begins nothing. Milliseconds, or null for not waiting. */
export function patienceOf({ timeout, ...wish }: Wish): number | null {
  const ms = timeout === undefined ? HOUR : readSpan("--timeout", timeout);
  return wish["no-wait"] ? null : ms;
}

/** The operations as they ended, one for each; null where there is none, or where nobody waits. */
export async function finish(
  cli: Cli,
  begun: readonly Begun[],
  patience: number | null,
): Promise<(OperationDetail | null)[]> {
  const under = begun.flatMap(({ label, operation }) => operation ? [{ ...operation, label }] : []);
  if (patience === null) {
    const ids = under.map(({ id }) => id);
    if (ids.length > 0) remark(cli, `Watch it: wheelwright operations watch ${ids.slice(0, 10).join(" ")}`);
    return begun.map(() => null);
  }
  const { watchOperations } = await import("./watch.ts");
  const ended = await watchOperations(cli, under, patience);
  return begun.map(({ operation }) => ended.find(({ id }) => id === operation?.id) ?? null);
}

/** Throws CommandError where one of them has failed. What it prints comes before. */
export function throwFailures(begun: readonly Begun[], ended: readonly (OperationDetail | null)[]): void {
  const failures = ended.flatMap((operation, i) => {
    if (!operation || operation.state === "succeeded") return [];
    const { kind, state, error, id } = operation, label = begun[i]!.label;
    if (state === "cancelled") return [`${kind} of ${label} was cancelled`];
    const hint = error?.hint ? `\n  ${error.hint}` : "";
    return [
      `${kind} of ${label} failed: ${
        error?.message ?? "see its report"
      }${hint}\n  wheelwright operations show ${id} tells more`,
    ];
  });
  if (failures.length > 0) throw new CommandError(FAILED, failures.join("\n"));
}
