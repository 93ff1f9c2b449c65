/** Checks fencing tokens (job claim numbers), and finds sandboxes (temporary namespaces) without a running job. */
import { sql } from "kysely";
import type { RowQueries } from "#lib/drivers/db/database.ts";
import type { ClusterComparison, Discrepancy } from "#lib/doctor/reconcile/discrepancy.ts";
import type { ClusterSurvey } from "#lib/doctor/reconcile/survey.ts";

/** Added to the greatest fencing token found, because Secrets, which are not listed, may have greater tokens. */
const MARGIN = 1_000_000n;

/** Returns the last fencing token (claim number) that the database assigned to a job. */
export async function readLastFence(rows: RowQueries): Promise<bigint> {
  const { rows: [row] } = await sql<{ last: string }>`select last_value as last from job_fences`.execute(rows);
  return BigInt(row!.last);
}

/** Checks that new fencing tokens exceed those in the clusters. Writes with a lower token are refused. */
export function checkFences(surveys: readonly ClusterSurvey[], lastFence: bigint): Discrepancy[] {
  const greatest = surveys.reduce((maximum, { fence }) => fence > maximum ? fence : maximum, 0n);
  if (greatest <= lastFence) return [];
  const fact =
    `Objects in the cluster have fences (job claim numbers) up to ${greatest}, but the database's last is ${lastFence}`;
  return [{
    check: "fences",
    fact,
    resolution: {
      result: `raised to ${greatest + MARGIN}`,
      change: { kind: "raise-fences", minimum: greatest + MARGIN },
    },
  }];
}

export function checkSandboxes({ survey, rows: known }: ClusterComparison): Discrepancy[] {
  return [...survey.namespaces.values()]
    .filter(({ sandboxId, terminating }) => sandboxId !== null && !terminating && !known.sandboxIds.has(sandboxId))
    .map(({ name, sandboxId }) => ({
      check: "sandbox",
      fact: `Sandbox ${name} (a temporary namespace) belongs to ${sandboxId}, which is not running`,
      hint: `The sandbox contains only copied or temporary data. To delete it: kubectl delete namespace ${name}`,
    }));
}
