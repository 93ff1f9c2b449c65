/** Stores rollouts and the state of each spoke in them. */
import { type Selectable, sql } from "kysely";
import type { RowQueries, Tx } from "#lib/drivers/db/database.ts";
import { type ListPage, type ListPageRequest, readNewestRows, withPageItems } from "#lib/drivers/db/pages.ts";
import type { Schema } from "#lib/drivers/db/schema.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import type { Viewer } from "#lib/domains/federations/viewer.ts";
import type { ObservedRolloutSpoke, RolloutSpokeChange } from "#lib/domains/rollouts/decide.ts";
import type { RolloutDetail, RolloutRecord } from "#lib/domains/rollouts/views.ts";
import { getOperationRules } from "#lib/operations/check-action.ts";
import { hideOperatorDetails } from "#lib/base/operator-details.ts";
import { isId } from "#lib/base/ids.ts";
import { ROLLOUT_SPOKE_STATES } from "#lib/model/rollout.ts";
import type { RolloutState } from "#lib/model/states.ts";

export type RolloutRow = Selectable<Schema["rollouts"]>;

/** Finds a rollout that the viewer may see: operators see all, other users those on spokes of their own hubs only. */
export async function findRollout(rows: RowQueries, viewer: Viewer, id: string): Promise<RolloutRow | undefined> {
  if (!isId("rol", id)) return undefined;
  return await rows.selectFrom("rollouts").selectAll().where("id", "=", id).where(isRolloutVisibleTo(viewer))
    .executeTakeFirst();
}

function isRolloutVisibleTo({ role, federationIds }: Viewer) {
  return role === "operator" ? sql<boolean>`true` : sql<boolean>`federation_ids <@ ${federationIds}::text[]`;
}

export async function listRollouts(
  rows: RowQueries,
  viewer: Actor,
  { state, ...request }: ListPageRequest & { readonly state?: RolloutState | undefined },
): Promise<ListPage<RolloutRecord>> {
  let query = rows.selectFrom("rollouts").selectAll().where(isRolloutVisibleTo(viewer));
  if (state) query = query.where("state", "=", state);
  const page = await readNewestRows(query, request);
  return withPageItems(page, await showRollouts(rows, viewer, page.items));
}

/** Converts rollout rows to API records, in the same order. */
export async function showRollouts(
  rows: RowQueries,
  viewer: Viewer,
  rollouts: readonly RolloutRow[],
): Promise<RolloutRecord[]> {
  if (rollouts.length === 0) return [];
  const ids = rollouts.map(({ id }) => id);
  const { rows: counted } = await sql<{ id: string; state: string; count: number; wave: number | null }>`
    select rollout_id as id, state, count(*)::int as count, min(wave)::int as wave from rollout_spokes
    where rollout_id = any(${ids}::text[]) group by rollout_id, state`.execute(rows);
  const { rows: waves } = await sql<{ id: string; waves: number }>`
    select rollout_id as id, max(wave)::int + 1 as waves from rollout_spokes
    where rollout_id = any(${ids}::text[]) group by rollout_id`.execute(rows);
  const users = await rows.selectFrom("users").select(["id", "email"])
    .where("id", "in", rollouts.map(({ requestedBy }) => requestedBy)).execute();
  return rollouts.map(({ canarySpokes, canaryMinutes, timeWindow, ...row }) => {
    const own = counted.filter(({ id }) => id === row.id);
    const unfinished = own.filter(({ state }) => ["waiting", "running", "checking"].includes(state));
    const countOf = (state: string) => own.find((each) => each.state === state)?.count ?? 0;
    return {
      ...row,
      ...hideOperatorDetails(viewer, { reason: row.reason }),
      canary: { spokes: canarySpokes, minutes: canaryMinutes },
      window: timeWindow && { ...timeWindow, days: [...timeWindow.days] },
      waves: waves.find(({ id }) => id === row.id)?.waves ?? 0,
      currentWave: unfinished.length === 0 ? null : Math.min(...unfinished.map(({ wave }) => wave ?? 0)),
      counts: Object.fromEntries(
        ROLLOUT_SPOKE_STATES.map((state) => [state, countOf(state)]),
      ) as RolloutRecord["counts"],
      requestedBy: users.find(({ id }) => id === row.requestedBy)!,
    };
  });
}

/** Returns the rollout with the state of each of its spokes. */
export async function showRollout(rows: RowQueries, viewer: Viewer, row: RolloutRow): Promise<RolloutDetail> {
  const [record] = await showRollouts(rows, viewer, [row]);
  const spokes = await rows.selectFrom("rollout_spokes").innerJoin("spokes", "spokes.id", "rollout_spokes.spokeId")
    .select([
      "spokeId",
      "federationId",
      "slug",
      "domain",
      "wave",
      "rollout_spokes.state",
      "reason",
      "operationId",
      "endedAt",
    ])
    .where("rolloutId", "=", row.id).orderBy("position").execute();
  return { ...record!, spokes: hideOperatorDetails(viewer, spokes) };
}

/** Locks a rollout's row against other changes until the transaction ends. */
export async function lockRollout(tx: Tx, id: string): Promise<RolloutRow> {
  return await tx.selectFrom("rollouts").selectAll().where("id", "=", id).forNoKeyUpdate().executeTakeFirstOrThrow();
}

type RolloutChange = Partial<Pick<RolloutRow, "state" | "note" | "reason">>;

export async function updateRollout(tx: Tx, id: string, change: RolloutChange): Promise<RolloutRow> {
  const now = sql<Date>`wheelwright_now()`, hasEnded = change.state === "completed" || change.state === "aborted";
  return await tx.updateTable("rollouts").set({ ...change, updatedAt: now, ...(hasEnded && { finishedAt: now }) })
    .where("id", "=", id).returningAll().executeTakeFirstOrThrow();
}

/** Whether the user is still an operator or, unless the action is for operators only, an admin of all these hubs. */
export async function mayContinueRollout(
  rows: RowQueries,
  userId: string,
  { federationIds, action }: Pick<RolloutRow, "federationIds" | "action">,
): Promise<boolean> {
  const isForAdmins = !getOperationRules(action).forOperators;
  const { rows: found } = await sql`
    select from users where id = ${userId} and disabled_at is null and (operator or ${isForAdmins} and ${federationIds}::text[]
      <@ array(select federation_id from federation_members where user_id = ${userId}))`.execute(rows);
  return found.length > 0;
}

/** Reads a rollout's spokes in order, with the state of their sites and of their operations. */
export async function readObservedSpokes(rows: RowQueries, rolloutId: string): Promise<ObservedRolloutSpoke[]> {
  const { rows: found } = await sql<Omit<ObservedRolloutSpoke, "operation"> & OperationColumns>`
    select each.spoke_id, cluster, wave, each.state, operation_id, ended_at, spokes.state as spoke_state, health,
      observed_at, jobs.state as operation_state, jobs.finished_at, jobs.failure ->> 'message' as message
    from rollout_spokes as each join spokes on spokes.id = each.spoke_id left join jobs on jobs.id = operation_id
    where rollout_id = ${rolloutId} order by position`.execute(rows);
  return found.map(({ operationState, finishedAt, message, ...spoke }) => ({
    ...spoke,
    operation: operationState === null ? null : { state: operationState, finishedAt, message },
  }));
}

interface OperationColumns {
  operationState: NonNullable<ObservedRolloutSpoke["operation"]>["state"] | null;
  finishedAt: Date | null;
  message: string | null;
}

export async function saveSpokeChanges(
  tx: Tx,
  rolloutId: string,
  changes: readonly RolloutSpokeChange[],
): Promise<void> {
  for (const { spokeId, ...change } of changes) {
    await tx.updateTable("rollout_spokes").set(change).where("rolloutId", "=", rolloutId)
      .where("spokeId", "=", spokeId).execute();
  }
}

/** Marks a spoke as running its operation. Returns false if the spoke is no longer waiting. */
export async function claimRolloutSpoke(tx: Tx, rolloutId: string, spokeId: string): Promise<boolean> {
  const claimed = await tx.updateTable("rollout_spokes").set({ state: "running", reason: null, endedAt: null })
    .where("rolloutId", "=", rolloutId).where("spokeId", "=", spokeId).where("state", "=", "waiting")
    .returning("spokeId").executeTakeFirst();
  return claimed !== undefined;
}
