/** Defines a difference between the database and a cluster, and how to resolve it. */
import type { Tx } from "#lib/drivers/db/database.ts";
import type { Finding } from "#lib/doctor/finding.ts";
import type { Requester } from "#lib/audit/requester.ts";

export interface Discrepancy {
  readonly check: string;
  /** A sentence that describes the difference, without a full stop. */
  readonly fact: string;
  readonly hint?: string | undefined;
  /** The finding's level. Set if an operator must act even after the database was changed. */
  readonly level?: "warning" | "failing";
  /** How to change the database. Absent if the difference is only reported. */
  readonly resolution?: DiscrepancyResolution;
}

export interface DiscrepancyResolution {
  /** A past participle that names the change in the finding, for example "adopted". */
  readonly result: string;
  /** Checks the difference again and changes the database. Returns null, or the reason why the change was refused. */
  readonly apply: (tx: Tx, requester: Requester) => Promise<string | null>;
}

/** Builds the finding about a difference. `refusal` is the reason why the change was refused, or null. */
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
