/** Stores and shows the add-ons that sites report: plugins that are not part of Moodle. */
import { sql } from "kysely";
import { type CatalogAddon, findUnlistedAddons, type SiteAddons } from "#lib/catalog/addons.ts";
import type { RowQueries, Tx } from "#lib/drivers/db/database.ts";
import type { InstalledAddon, WantedAddon } from "#lib/model/addon.ts";
import type { SpokeAddonsRecord } from "#lib/domains/spokes/views.ts";
import type { UsageLine } from "#lib/moodle/usage-line.ts";

/** The time of the last check of a spoke that no check has observed yet. */
const NEVER = new Date(0);

/** The add-ons of a site as it last reported them. */
export interface AddonReport {
  /** When the site listed them. */
  readonly addonsAt: Date;
  /** The number of all add-ons. A report has room for about 100 of them. */
  readonly addonCount: number;
  readonly addons: readonly InstalledAddon[];
}

/** Returns the report in a line that is newer than the stored report; null if there is none. */
export function findNewAddons(line: UsageLine, measuredAt: Date, storedAt: Date | null): AddonReport | null {
  const { addons, addonsAt: seconds, addonCount } = line;
  if (addons === null || seconds === null) return null;
  const addonsAt = new Date(Math.min(measuredAt.getTime(), seconds * 1000));
  if (storedAt !== null && addonsAt <= storedAt) return null;
  return { addonsAt, addonCount: Math.max(addonCount ?? 0, addons.length), addons };
}

/** Replaces the add-ons of spokes. The caller has locked the rows of the spokes. Changes only rows that differ. */
export async function saveAddons(
  tx: Tx,
  reports: readonly { readonly spokeId: string; readonly addons: readonly InstalledAddon[] }[],
): Promise<void> {
  if (reports.length === 0) return;
  await sql`
    with report as materialized (
      select "spokeId" as spoke_id, addons from jsonb_to_recordset(${JSON.stringify(reports)}::jsonb)
        as report ("spokeId" text, addons jsonb)
    ),
    reported as materialized (
      select spoke_id, addon.* from report
        cross join lateral jsonb_to_recordset(addons) as addon (component text, version double precision, enabled boolean)
    ),
    removed as (
      delete from spoke_addons as old using report where old.spoke_id = report.spoke_id and not exists (
        select from reported where reported.spoke_id = old.spoke_id and reported.component = old.component)
    )
    insert into spoke_addons as old (spoke_id, component, version, enabled, federation_id, created_at)
      select spoke_id, component, version, enabled, federation_id, created_at
      from reported join live_spokes using (spoke_id) order by spoke_id, component
      on conflict (spoke_id, component) do update set version = excluded.version, enabled = excluded.enabled
      where (old.version, old.enabled) is distinct from (excluded.version, excluded.enabled)`.execute(tx);
}

/** Returns the stored add-ons of a spoke, sorted by component. */
export async function readSiteAddons(
  rows: RowQueries,
  spokeId: string,
): Promise<SiteAddons & { readonly isReported: boolean }> {
  const { addons, report } = await readReport(rows, spokeId);
  const unreported = Math.max(0, (report?.addonCount ?? 0) - addons.length);
  return { addons, unreported, isReported: report?.addonsAt != null };
}

/** Adds and removes add-ons that Wheelwright has just installed and removed. The site's next report replaces the list. */
export async function updateAddons(
  tx: Tx,
  spokeId: string,
  installed: readonly WantedAddon[],
  removed: readonly string[],
): Promise<void> {
  const { addons } = await readReport(tx, spokeId);
  const gone = new Set([...removed, ...installed.map(({ component }) => component)]);
  const changed = installed.map(({ component, version }) => {
    const before = addons.find((each) => each.component === component);
    return { component, version: Math.max(version, before?.version ?? 0), enabled: before?.enabled ?? true };
  });
  await saveAddons(tx, [{ spokeId, addons: [...addons.filter(({ component }) => !gone.has(component)), ...changed] }]);
  // A list that the site made before the change, and that arrives later, must not replace this one.
  const addonsAt = new Date(); // compared with the site's clock, not with the database's
  await tx.insertInto("spoke_usage").values({ spokeId, observedAt: NEVER, addonsAt })
    .onConflict((conflict) =>
      conflict.column("spokeId").doUpdateSet({
        addonsAt: sql<Date>`greatest(spoke_usage.addons_at, excluded.addons_at)`,
      })
    ).execute();
}

async function readReport(rows: RowQueries, spokeId: string) {
  const report = await rows.selectFrom("spoke_usage").select(["addonsAt", "addonCount"])
    .where("spokeId", "=", spokeId).executeTakeFirst();
  const addons: InstalledAddon[] = await rows.selectFrom("spoke_addons").select(["component", "version", "enabled"])
    .where("spokeId", "=", spokeId).orderBy("component").execute();
  return { report, addons };
}

/** Returns the components that the catalog does not list, by the IDs of those spokes that have any. */
export async function readUnlistedAddons(
  rows: RowQueries,
  list: readonly CatalogAddon[] | null,
  spokeIds: readonly string[],
): Promise<Map<string, string[]>> {
  if (list === null || spokeIds.length === 0) return new Map();
  const listed = list.map(({ component }) => component);
  const found = await rows.selectFrom("spoke_addons").select(["spokeId", "component"])
    .where(sql<boolean>`spoke_id = any(${spokeIds}::text[])`)
    .where(sql<boolean>`component <> all(${listed}::text[])`).execute();
  return new Map(
    [...Map.groupBy(found, ({ spokeId }) => spokeId)]
      .map(([id, addons]) => [id, addons.map(({ component }) => component)]),
  );
}

export async function showSpokeAddons(
  rows: RowQueries,
  list: readonly CatalogAddon[] | null,
  spokeId: string,
): Promise<SpokeAddonsRecord> {
  const { report, addons } = await readReport(rows, spokeId);
  const unlisted = new Set(findUnlistedAddons(list, addons));
  return {
    spokeId,
    reportedAt: report?.addonsAt ?? null,
    total: report?.addonCount ?? null,
    addons: addons.map((addon) => ({ ...addon, listed: list === null ? null : !unlisted.has(addon.component) })),
  };
}
