/** What a spoke is made with where the request says nothing: pure, and the same for a preview as for the real thing. */
import { type Catalog, refuseUnlisted } from "#lib/catalog/catalog.ts";
import { Fault } from "#lib/base/errors.ts";
import type { FederationRow } from "#lib/domains/federations/store.ts";
import type { SpokeRow } from "#lib/domains/spokes/store.ts";
import type { NewSpoke } from "#lib/domains/spokes/views.ts";

/** The columns that a request decides, all but the domain, which depends on what is taken. */
export type SpokeWish = Pick<SpokeRow, Exclude<keyof NewSpoke, "federationId" | "domain" | "moodleVersion">>;

/** Throws Fault invalid where the request contradicts itself or asks for what is not offered. */
export function resolveWish(
  catalog: Catalog,
  federation: Pick<FederationRow, "id" | "slug" | "region">,
  callerEmail: string,
  input: NewSpoke,
): SpokeWish {
  const { federationId, moodleVersion, lmsVersion = moodleVersion } = input;
  if (federationId !== undefined && federationId !== federation.id && federationId !== federation.slug) {
    throw new Fault("invalid", "federation_mismatch", "federationId must be the id or slug of the hub in the path");
  }
  if (moodleVersion !== undefined && lmsVersion !== moodleVersion) {
    const message = "lmsVersion and moodleVersion are two names for one thing, and must agree where both are given";
    throw new Fault("invalid", "version_mismatch", message);
  }
  const { size, region, contentMode, brand, seed } = input;
  refuseUnlisted(catalog, { size, region, contentMode, brand, seed, lmsVersion });
  return {
    slug: input.slug,
    displayName: input.displayName ?? input.slug,
    size: size ?? catalog.defaults.size,
    identity: input.identity ?? false,
    content: input.content ?? false,
    contentMode: contentMode ?? null,
    brand: brand ?? null,
    adminEmail: input.adminEmail ?? callerEmail,
    region: region ?? federation.region,
    lmsVersion: lmsVersion ?? catalog.defaults.version,
    seed: seed ?? null,
  };
}
