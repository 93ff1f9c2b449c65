/** What the catalogue is asked to resolve for a spoke: the wish, and the names that only this spoke has. */
import { namespaceName } from "#lib/blueprint/names.ts";
import type { SpokeRequest } from "#lib/catalog/inputs.ts";
import type { SpokeWish } from "#lib/spokes/defaults.ts";

export function requestOf(id: string, federationId: string, wish: SpokeWish, domain: string): SpokeRequest {
  return { ...wish, federationId, spokeId: id, namespace: namespaceName("spoke", wish.slug, id), host: domain };
}
