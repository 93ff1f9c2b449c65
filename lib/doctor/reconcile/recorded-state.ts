/** Decides the state of a spoke after the loss of the database, from its record and the observed replicas. Pure. */
import type { SpokeRow } from "#lib/domains/spokes/store.ts";
import type { ObservedNamespace } from "#lib/doctor/reconcile/survey.ts";

type Settled = Pick<SpokeRow, "state" | "stateReason">;

const LOST = "when the database was lost";

export function stateOfRecordedSpoke(
  { state, stateReason, readyAt }: { readonly state: string; stateReason: string | null; readyAt: Date | null },
  replicas: ObservedNamespace["replicas"] | null,
): Settled {
  if (state === "failed") return { state, stateReason };
  if (readyAt === null) {
    return { state: "failed", stateReason: `Its installation was under way ${LOST}; retry goes on with it` };
  }
  if (state === "removing") {
    return { state: "failed", stateReason: `Its removal was under way ${LOST}; destroy it again to go on` };
  }
  const { app, database } = replicas ?? { app: null, database: null };
  const isUnseen = app === null || database === null, isHalf = (app === 0) !== (database === 0);
  const runs = isUnseen ? stable(state) : isHalf ? null : app === 0 ? "suspended" : "active";
  if (runs === state) return { state: runs, stateReason };
  const half = `Another operation was under way ${LOST}`;
  if (runs !== null) return { state: runs, stateReason: `${half}; see whether it is to be asked again` };
  return { state: "failed", stateReason: `${half}, and half of the site runs; reapply, or restore a backup` };
}

function stable(state: string): "active" | "suspended" | null {
  return state === "active" || state === "suspended" ? state : null;
}
