/** Finds a live or removed spoke by ID, `hub/slug` or domain, for commands on the server. */
import { sql } from "kysely";
import type { RowQueries } from "#lib/drivers/db/database.ts";
import { isId } from "#lib/base/ids.ts";
import type { SpokeRow } from "#lib/domains/spokes/store.ts";

export interface SpokeWithHubSlug extends SpokeRow {
  readonly hubSlug: string;
}

/** Returns the live spoke with this ID, `hub/slug` or domain, or else the most recently removed spoke. */
export async function findSpokeByName(rows: RowQueries, name: string): Promise<SpokeWithHubSlug | null> {
  const [hub, slug] = name.split("/");
  const matchesName = isId("spk", name)
    ? sql<boolean>`spokes.id = ${name}`
    : slug === undefined
    ? sql<boolean>`spokes.domain = ${name.toLowerCase()}`
    : sql<boolean>`spokes.slug = ${slug} and ${hub} in (federations.slug, federations.id)`;
  const found = await rows.selectFrom("spokes").innerJoin("federations", "federations.id", "spokes.federationId")
    .selectAll("spokes").select("federations.slug as hubSlug").where(matchesName)
    .orderBy(sql`spokes.state = 'removed'`).orderBy("spokes.removedAt", "desc").limit(1).executeTakeFirst();
  return found ?? null;
}
