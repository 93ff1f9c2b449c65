/** Defines a difference between the database and a cluster, and how it is resolved. */
import type { Tx } from "#lib/drivers/db/database.ts";
import type { Finding } from "#lib/doctor/finding.ts";
import type { Requester } from "#lib/audit/requester.ts";

export interface Discrepancy {
  readonly check: string;
  /** The difference, as a sentence without a full stop. */
  readonly fact: string;
  readonly hint?: string | undefined;
  /** The level of the finding if a user must act, even after the change was applied. */
  readonly level?: "warning" | "failing";
  /** Absent if the difference is only reported. */
  readonly resolution?: Resolution;
}

export interface Resolution {
  /** The result as a text, for example "adopted". */
  readonly done: string;
  /** Checks again and writes. Returns the reason if the change is refused; null if it was made now or before. */
  readonly apply: (tx: Tx, requester: Requester) => Promise<string | null>;
}

/** Returns the finding of a difference. `refusal` is the reason why the change was refused. */
export function findingOf(
  { check, fact, hint, level: ownLevel, resolution }: Discrepancy,
  mode: "reported" | "applied",
  refusal: string | null,
): Finding {
  if (refusal !== null) {
    return { check, level: "failing", message: `${fact}, and cannot be ${resolution?.done}: ${refusal}`, hint };
  }
  if (!resolution) return { check, level: ownLevel ?? "warning", message: fact, hint };
  const [verb, level] = mode === "reported" ? ["would be", "warning"] as const : ["is", "ok"] as const;
  return { check, level: ownLevel ?? level, message: `${fact}; it ${verb} ${resolution.done}`, hint };
}
