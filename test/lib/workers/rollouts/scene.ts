/** Helpers that start rollouts and wait for their states. */
import { createRollout } from "#lib/domains/rollouts/create.ts";
import { type RolloutRow, showRollout } from "#lib/domains/rollouts/store.ts";
import type { NewRollout, RolloutDetail } from "#lib/domains/rollouts/views.ts";
import type { RolloutState } from "#lib/model/states.ts";
import { MINUTE, SECOND } from "#lib/base/time.ts";
import type { WorkScene } from "#test/lib/workers/scene.ts";
import { lookOnce } from "#test/lib/workers/sweep/checks.ts";
import { until } from "#test/support/until.ts";

/** The milliseconds by which the clock is ahead. */
let shift = 0;

/** Starts a rollout on all spokes: first one spoke, then two at a time, of which one may be unavailable. */
export async function startRollout(
  scene: WorkScene,
  input: Partial<NewRollout> & Pick<NewRollout, "action">,
): Promise<RolloutDetail> {
  return await createRollout(scene.app, scene.actor, {
    selector: { all: true },
    canary: { spokes: 1, minutes: 0 },
    batch: "2",
    maxUnavailable: 1,
    ...input,
  } as NewRollout, null);
}

export async function readRolloutRow({ db }: WorkScene, { id }: { readonly id: string }): Promise<RolloutRow> {
  return await db.rows.selectFrom("rollouts").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
}

/** Returns the rollout once it has this state. Checks the health of the sites that the rollout waits for. */
export async function waitForRollout(
  scene: WorkScene,
  rollout: { readonly id: string },
  state: RolloutState,
): Promise<RolloutDetail> {
  const { db } = scene;
  return await until(async () => {
    const detail = await showRollout(db.rows, scene.actor, await readRolloutRow(scene, rollout));
    if (detail.state === state && detail.counts.running + detail.counts.checking === 0) return detail;
    if (detail.counts.checking === 0) return null;
    await lookOnce(scene.app, { pauseMs: 0 });
    await db.shiftClock(shift += 6 * SECOND); // the rollout looks again after 5 seconds
    await db.transact((tx) => Promise.resolve(void tx.wakes.add("jobs")));
    return null;
  }, 3 * MINUTE);
}

/** Makes changes of the spoke's Deployments fail. Returns a function that ends this. */
export async function breakSite(scene: WorkScene, id: string): Promise<() => void> {
  const { namespace } = await scene.row(id);
  const { faults } = scene.simulator;
  const fault = faults.answer(403, { method: "PATCH", path: `/namespaces/${namespace}/deployments/` });
  return () => faults.remove(fault);
}
