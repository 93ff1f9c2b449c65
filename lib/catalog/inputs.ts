/** Creates blueprint inputs (the values that fill in a site's manifests) for spokes and hubs. */
import { isDeepStrictEqual } from "node:util";
import type { Selectable } from "kysely";
import * as v from "valibot";
import type { Schema } from "#lib/drivers/db/schema.ts";
import { HubInputs, ShellWord, SpokeInputs } from "#lib/moodle/inputs.ts";
import type { Blueprint } from "#lib/moodle/blueprint.ts";
import { computeResizedInputs, setDiskSizes } from "#lib/moodle/resize.ts";
import type { ClusterSettings } from "#lib/moodle/sizes.ts";
import { toTierInputs } from "#lib/catalog/tier.ts";
import type { Catalog } from "#lib/catalog/catalog.ts";
import type { Config } from "#lib/base/config.ts";

type SpokeColumns = Selectable<Schema["spokes"]>;
/** The columns of a spoke's database row that are needed to create its blueprint inputs. */
export type SpokeInputColumns = Pick<
  SpokeColumns,
  keyof SpokeColumns & keyof SpokeInputs | "id" | "domain" | "lmsVersion" | "region"
>;

/** A spoke for which inputs are created. `hubTier` is the tier of its hub. */
export type SpokeInputSource = SpokeInputColumns & { readonly hubTier: string | null };

interface OfferedResources {
  readonly catalog: Catalog;
  readonly blueprint: Pick<Blueprint, "quotaUsage">;
}

interface HubFields {
  readonly federationId: string;
  readonly namespace: string;
  readonly slug: string;
  readonly region: string | null;
}

/** Inputs that were resolved earlier and take precedence over the catalog's current values. */
type ResolvedInputs = Partial<Pick<SpokeInputs, "images" | "resources" | "brand" | "seed">>;

/** Creates a spoke's blueprint inputs. The catalog must offer the size and version, unless they are in `resolved`. */
export function createSpokeInputs(
  catalog: Catalog,
  config: Pick<Config, "acmeEmail" | "releaseId" | "relay"> & Partial<Pick<Config, "sitePort">>,
  { hubTier, ...spoke }: SpokeInputSource,
  resolved: ResolvedInputs = {},
): SpokeInputs {
  const { id, domain, lmsVersion, region, brand, seed } = spoke;
  const surroundings = catalog.surroundingsOf(region);
  const issuer = findClusterIssuerName(surroundings, config);
  const https = issuer !== null || surroundings.tls === "elsewhere";
  const inputs = {
    ...spoke, // the schema removes columns that are not inputs
    spokeId: id,
    host: domain,
    version: lmsVersion,
    images: resolved.images ?? catalog.imagesOf(lmsVersion),
    resources: resolved.resources ?? catalog.resourcesOf(spoke.size),
    brand: brand === null ? null : { name: brand, theme: catalog.themeOf(brand) },
    seed: seed === null ? null : { name: seed, courses: catalog.coursesOf(seed) },
    tier: toTierInputs(catalog.tierOf(hubTier)),
    surroundings,
    https,
    ...(config.sitePort && !https && { port: config.sitePort }),
    issuer,
    mail: null,
    ...(spoke.mail === "held" && { mailHeld: true }),
    ...resolved,
  };
  return applyCurrentSettings({ catalog, config }, v.parse(SpokeInputs, inputs));
}

/**
 * Returns the inputs with the CPU and memory that the catalog now offers for the site's size. Returns the same object
 * if nothing changed, if the size is no longer offered, or if the site would exceed its quota. Disk sizes stay the
 * same, because only the action `resize` may enlarge disks.
 */
export function applyOfferedResources({ catalog, blueprint }: OfferedResources, inputs: SpokeInputs): SpokeInputs {
  if (catalog.findProblem("size", inputs.size) !== null) return inputs;
  const canGrow = { files: false, database: false };
  const offered = computeResizedInputs(inputs, inputs.size, catalog.resourcesOf(inputs.size), { canGrow });
  const isUnchanged = isDeepStrictEqual(setDiskSizes(inputs, inputs.resources.disks).resources, offered.resources);
  return isUnchanged || blueprint.quotaUsage(offered).problems.length > 0 ? inputs : offered;
}

interface CurrentSettings {
  readonly catalog: Pick<Catalog, "webInstaller">;
  readonly config: Pick<Config, "relay">;
}

/** Replaces stored settings that may be outdated with those from the catalog and the configuration. */
export function applyCurrentSettings({ catalog, config }: CurrentSettings, inputs: SpokeInputs): SpokeInputs {
  const { webInstaller: _, ...others } = applyMailSettings(config, inputs);
  return catalog.webInstaller ? { ...others, webInstaller: true } : others;
}

/** Replaces the stored mail settings, which may be outdated, with those from the configuration. */
export function applyMailSettings({ relay }: Pick<Config, "relay">, inputs: SpokeInputs): SpokeInputs {
  if (!relay) return { ...inputs, mail: null };
  const { host, port, user } = relay, sender = /<([^<>]+)>\s*$/.exec(relay.from ?? "")?.[1] ?? relay.from?.trim();
  const from = v.is(ShellWord, sender) ? sender : `noreply@${inputs.host}`;
  return { ...inputs, mail: { host, port, user: user && user.replace("${namespace}", inputs.namespace), from } };
}

export function createHubInputs(
  catalog: Catalog,
  config: Pick<Config, "acmeEmail" | "releaseId">,
  request: HubFields,
): HubInputs {
  const { region, ...hub } = request;
  const surroundings = catalog.surroundingsOf(region);
  const issuer = findCreatedClusterIssuerName(surroundings, config);
  return v.parse(HubInputs, { ...hub, surroundings, issuer, acmeEmail: issuer && config.acmeEmail });
}

/** Returns the base URL for the spoke's site, for example `https://demo.example.org`. */
export function formatSpokeUrl(inputs: Pick<SpokeInputs, "https" | "host" | "port">): string {
  return `${inputs.https ? "https" : "http"}://${inputs.host}${inputs.port ? `:${inputs.port}` : ""}`;
}

/** Returns the name of the configured ClusterIssuer, or of the one that Wheelwright creates. Null if neither exists. */
export function findClusterIssuerName(
  { tls, issuer, ingressClass }: ClusterSettings,
  config: Pick<Config, "acmeEmail" | "releaseId">,
): string | null {
  if (tls !== "acme") return null;
  return issuer ?? (config.acmeEmail ? `wheelwright-${config.releaseId}-${ingressClass}` : null);
}

/** Returns the name of the ClusterIssuer that Wheelwright creates; null if Wheelwright creates none. */
export function findCreatedClusterIssuerName(
  surroundings: ClusterSettings,
  config: Pick<Config, "acmeEmail" | "releaseId">,
): string | null {
  return surroundings.issuer === undefined ? findClusterIssuerName(surroundings, config) : null;
}

/** Returns the names of all ClusterIssuers that Wheelwright creates, without duplicates. */
export function listCreatedClusterIssuerNames(
  { regions, surroundingsOf }: Pick<Catalog, "regions" | "surroundingsOf">,
  config: Pick<Config, "acmeEmail" | "releaseId">,
): string[] {
  const names = [null, ...regions.map(({ name }) => name)].map((region) =>
    findCreatedClusterIssuerName(surroundingsOf(region), config)
  );
  return [...new Set(names.filter((name) => name !== null))];
}
