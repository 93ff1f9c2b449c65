/** Where the database and a cluster differ: what is so, and what is done about it where something can be. */
import type { Tx } from "#lib/drivers/db/database.ts";
import type { Finding } from "#lib/doctor/finding.ts";
import type { Requester } from "#lib/audit/requester.ts";

export interface Matter {
  readonly check: string;
  /** What is so, a sentence without a full stop. */
  readonly fact: string;
  readonly hint?: string | undefined;
  /** Of what is left to people, also after it was acted upon. */
  readonly left?: "warning" | "failing";
  /** Absent where nothing is ever done. */
  readonly deed?: Deed;
}

export interface Deed {
  /** What becomes of it: "adopted". */
  readonly done: string;
  /** Looks again before it writes. Returns why it was not done; null where it was, or had been before. */
  readonly act: (tx: Tx, asker: Requester) => Promise<string | null>;
}

/** `refusal` is why the deed could not be done. */
export function findingOf(
  { check, fact, hint, left, deed }: Matter,
  mode: "told" | "applied",
  refusal: string | null,
): Finding {
  if (refusal !== null) {
    return { check, level: "failing", told: `${fact}, and cannot be ${deed?.done}: ${refusal}`, hint };
  }
  if (!deed) return { check, level: left ?? "warning", told: fact, hint };
  const [verb, level] = mode === "told" ? ["would be", "warning"] as const : ["is", "ok"] as const;
  return { check, level: left ?? level, told: `${fact}; it ${verb} ${deed.done}`, hint };
}
