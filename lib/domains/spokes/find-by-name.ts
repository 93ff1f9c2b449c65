/** A spoke as people at the machine name it: by its id, its hub's and its own slug, or its domain. Also one that is removed. */
import { sql } from "kysely";
import type { Rows } from "#lib/drivers/db/database.ts";
import { isId } from "#lib/base/ids.ts";
import type { SpokeRow } from "#lib/domains/spokes/store.ts";

export interface NamedSpoke extends SpokeRow {
  readonly hubSlug: string;
}

/** Of several that had the name one after the other it is the live one, else the one that was removed last. */
export async function findSpokeByName(rows: Rows, name: string): Promise<NamedSpoke | null> {
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
