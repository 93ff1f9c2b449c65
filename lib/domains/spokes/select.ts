/** Selects spokes for an action on many spokes. */
import type { App } from "#lib/app.ts";
import type { RowQueries } from "#lib/drivers/db/database.ts";
import { findFederation } from "#lib/domains/federations/store.ts";
import type { Viewer } from "#lib/domains/federations/viewer.ts";
import { resolveSpokeFilter, type SpokeSelector } from "#lib/domains/spokes/filter.ts";
import { listSpokes } from "#lib/domains/spokes/list.ts";
import { findVisibleSpokes, type SpokeRow } from "#lib/domains/spokes/store.ts";

/**
 * Selects the live spokes that the viewer can see, in the order of the IDs, or else oldest first. Returns more than
 * `maximum` spokes if the selector matches more, but not all of them.
 */
export async function selectSpokes(
  app: Pick<App, "blueprint" | "catalog">,
  rows: RowQueries,
  viewer: Viewer,
  { all: _, ids, federationId: name, ...values }: SpokeSelector,
  maximum: number,
): Promise<SpokeRow[]> {
  const hub = name === undefined ? undefined : await findFederation(rows, name, "hidden");
  if (name !== undefined && !hub) return [];
  const filter = { ...resolveSpokeFilter(app, values), federationId: hub?.id };
  if (ids) return sortById(await findVisibleSpokes(rows, viewer, ids, filter), ids);
  const page = { ...filter, sort: "oldest" as const, limit: maximum + 1 };
  const listed = (await listSpokes(rows, viewer, page, "hidden")).items.map(({ id }) => id);
  return sortById(await findVisibleSpokes(rows, viewer, listed), listed);
}

function sortById(spokes: readonly SpokeRow[], ids: readonly string[]): SpokeRow[] {
  const order = new Map(ids.map((id, i) => [id, i]));
  return spokes.toSorted((a, b) => order.get(a.id)! - order.get(b.id)!);
}
