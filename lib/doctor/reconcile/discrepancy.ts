/** Defines a difference between the database and a cluster, and its resolution. */
import type { Tx } from "#lib/drivers/db/database.ts";
import type { Finding } from "#lib/doctor/finding.ts";
import type { Requester } from "#lib/audit/requester.ts";

export interface Discrepancy {
  readonly check: string;
  /** The description of the difference, without a full stop. */
  readonly fact: string;
  readonly hint?: string | undefined;
  /** The level of the finding if an operator must act even after the resolution. */
  readonly level?: "warning" | "failing";
  /** The change in the database. Absent if the difference is only reported. */
  readonly resolution?: Resolution;
}

export interface Resolution {
  /** The result in words, for example "adopted". */
  readonly result: string;
  /** Writes the change, after checking again. Returns the reason of a refusal; null on success. */
  readonly apply: (tx: Tx, requester: Requester) => Promise<string | null>;
}

/** Builds the finding for a difference. `refusal` is the reason why the change was refused. */
export function buildFinding(
  { check, fact, hint, level: ownLevel, resolution }: Discrepancy,
  mode: "reported" | "applied",
  refusal: string | null,
): Finding {
  if (refusal !== null) {
    return { check, level: "failing", message: `${fact}; could not be ${resolution?.result}: ${refusal}`, hint };
  }
  if (!resolution) return { check, level: ownLevel ?? "warning", message: fact, hint };
  const [verb, level] = mode === "reported" ? ["would be ", "warning"] as const : ["", "ok"] as const;
  return { check, level: ownLevel ?? level, message: `${fact}; ${verb}${resolution.result}`, hint };
}
