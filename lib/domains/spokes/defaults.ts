/** Fills in default values in a request for a new spoke or for the preview of a new spoke. */
import { type Catalog, requireOfferedValues } from "#lib/catalog/catalog.ts";
import { Fault } from "#lib/base/errors.ts";
import type { FederationRow } from "#lib/domains/federations/store.ts";
import { fieldsWith, pickFields } from "#lib/model/field.ts";
import { spokeFields } from "#lib/model/spoke.ts";
import type { SpokeRow } from "#lib/domains/spokes/store.ts";
import { getDefaultSize } from "#lib/domains/spokes/tier-limits.ts";
import { type NewSpoke, resolveVersionAlias } from "#lib/domains/spokes/views.ts";

/** The columns of a new spoke that follow from the request. Excludes the domain, which depends on free domains. */
export type DesiredSpoke = Pick<SpokeRow, Exclude<(typeof SETTABLE)[number], "domain"> | "mail">;
const SETTABLE = fieldsWith(spokeFields, "settable"), CATALOGUED = fieldsWith(spokeFields, "catalogued");

/**
 * Fills in default values in a request. Accepts values from `source`, the spoke to copy, even if the catalog no longer
 * offers these values. Throws an `invalid` fault.
 */
export function applyDefaults(
  catalog: Catalog,
  federation: Pick<FederationRow, "id" | "slug" | "region" | "tier">,
  callerEmail: string,
  input: NewSpoke,
  source?: SpokeRow,
): DesiredSpoke {
  const { federationId } = input, { lmsVersion } = resolveVersionAlias(input);
  if (federationId !== undefined && federationId !== federation.id && federationId !== federation.slug) {
    throw new Fault("invalid", "federation_mismatch", "federationId must be the id or slug of the hub in the path");
  }
  const requested = { ...input, lmsVersion };
  requireOfferedValues(catalog, pickFields(requested, CATALOGUED));
  const defaults: Partial<SpokeRow> = source ?? {
    size: getDefaultSize(catalog, federation.tier),
    lmsVersion: catalog.defaults.version,
    adminEmail: callerEmail,
    identity: false,
    content: false,
  };
  const { domain: _, ...settings } = Object.fromEntries(
    SETTABLE.map((name) => [name, requested[name] ?? defaults[name] ?? null]),
  ) as Pick<SpokeRow, (typeof SETTABLE)[number]>;
  return {
    ...settings,
    slug: input.slug,
    displayName: input.displayName ?? (source ? titleOfCopy(source) : input.slug),
    region: settings.region ?? federation.region,
    mail: source ? "held" : "on",
  };
}

const MAX_TITLE_LENGTH = 200; // the same limit as for requested names

function titleOfCopy({ displayName }: SpokeRow): string {
  return [...`Copy of ${displayName}`].slice(0, MAX_TITLE_LENGTH).join("");
}
