/** Checks the fences in the cluster and the sandboxes. */
import { sql } from "kysely";
import type { Rows } from "#lib/drivers/db/database.ts";
import type { ComparedCluster } from "#lib/doctor/reconcile/compare-rows.ts";
import type { Discrepancy } from "#lib/doctor/reconcile/discrepancy.ts";
import type { ClusterSurvey } from "#lib/doctor/reconcile/survey.ts";

/** The margin that is added to the greatest observed fence. Secrets also have fences, but are not listed. */
const MARGIN = 1_000_000n;

/** Returns the last fence that the database assigned. */
export async function readLastFence(rows: Rows): Promise<bigint> {
  const { rows: [row] } = await sql<{ last: string }>`select last_value as last from job_fences`.execute(rows);
  return BigInt(row!.last);
}

/** Checks that new fences are greater than those in the cluster. Otherwise the cluster would refuse writes. */
export function checkFences(sights: readonly ClusterSurvey[], last: bigint): Discrepancy[] {
  const greatest = sights.reduce((most, { fence }) => fence > most ? fence : most, 0n);
  if (greatest <= last) return [];
  const fact = `Objects carry fences up to ${greatest}, and the database has given out ${last}`;
  return [{
    check: "fences",
    fact,
    resolution: {
      done: `raised to ${greatest + MARGIN}`,
      async apply(tx) {
        const least = String(greatest + MARGIN);
        await sql`select setval('job_fences', greatest(${least}::bigint, last_value)) from job_fences`.execute(tx);
        return null;
      },
    },
  }];
}

export function checkSandboxes({ survey, known }: ComparedCluster): Discrepancy[] {
  return [...survey.namespaces.values()]
    .filter(({ sandboxId, terminating }) => sandboxId !== null && !terminating && !known.sandboxes.has(sandboxId))
    .map(({ name, sandboxId }) => ({
      check: "sandbox",
      fact: `The sandbox ${name} is of ${sandboxId}, which is not under way`,
      hint: `Nobody's data is in it: kubectl delete namespace ${name}`,
    }));
}
