/** What the catalogue is asked to resolve for a spoke: the wish, and the names that only this spoke has. */
import { namespaceName } from "#lib/moodle/names.ts";
import type { SpokeRequest } from "#lib/catalog/inputs.ts";
import type { SpokeWish } from "#lib/domains/spokes/defaults.ts";
import type { SpokeRow } from "#lib/domains/spokes/store.ts";

export function requestOf(id: string, federationId: string, wish: SpokeWish, domain: string): SpokeRequest {
  return { ...wish, federationId, spokeId: id, namespace: namespaceName("spoke", wish.slug, id), host: domain };
}

/** The same request again, from the row that it was written into. */
export function requestOfRow(row: SpokeRow): SpokeRequest {
  return {
    federationId: row.federationId,
    spokeId: row.id,
    namespace: row.namespace,
    slug: row.slug,
    displayName: row.displayName,
    host: row.domain,
    adminEmail: row.adminEmail,
    version: row.lmsVersion,
    size: row.size,
    identity: row.identity,
    content: row.content,
    contentMode: row.contentMode,
    brand: row.brand,
    region: row.region,
    seed: row.seed,
  };
}
