/** Pure functions that decide the state of a spoke without a database row, from its site record and replicas. */
import type { SpokeRow } from "#lib/domains/spokes/store.ts";
import type { ObservedNamespace } from "#lib/doctor/reconcile/survey.ts";

type StateAndReason = Pick<SpokeRow, "state" | "stateReason">;

const WHEN_DATABASE_LOST = "when the database was lost";

export function determineSpokeState(
  { state, stateReason, readyAt }: { readonly state: string; stateReason: string | null; readyAt: Date | null },
  replicas: ObservedNamespace["replicas"] | null,
): StateAndReason {
  if (state === "failed") return { state, stateReason };
  if (readyAt === null) {
    return { state: "failed", stateReason: `The installation was running ${WHEN_DATABASE_LOST}; retry it to continue` };
  }
  if (state === "removing") {
    return {
      state: "failed",
      stateReason: `The removal was running ${WHEN_DATABASE_LOST}; destroy the spoke again to continue it`,
    };
  }
  const { app, database } = replicas ?? { app: null, database: null };
  const isUnknown = app === null || database === null, isHalfRunning = (app === 0) !== (database === 0);
  const observedState = isUnknown ? keepStableState(state) : isHalfRunning ? null : app === 0 ? "suspended" : "active";
  if (observedState === state) return { state: observedState, stateReason };
  const interrupted = `Another operation was running ${WHEN_DATABASE_LOST}`;
  if (observedState !== null) {
    return { state: observedState, stateReason: `${interrupted}; check whether it must be repeated` };
  }
  return {
    state: "failed",
    stateReason: `${interrupted}, and only part of the site runs; reapply the blueprint or restore a backup`,
  };
}

function keepStableState(state: string): "active" | "suspended" | null {
  return state === "active" || state === "suspended" ? state : null;
}
