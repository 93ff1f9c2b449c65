/** Converts the catalog to the format in which the API returns it. Runs once at startup. */
import type { Config } from "#lib/base/config.ts";
import type { Catalog } from "#lib/catalog/catalog.ts";
import type { CatalogFile } from "#lib/catalog/file.ts";
import type { OfferedSize, OfferedVersion } from "#lib/catalog/offers.ts";
import { type CatalogTier, isRestrictedTier } from "#lib/catalog/tier.ts";
import type { CatalogContents, CatalogView } from "#lib/catalog/view.ts";

const SECTIONS = ["regions", "tiers", "modes", "contentModes", "brands", "seeds"] as const;

/** Default values for request fields. Must match lib/domains/spokes/defaults.ts and the code that creates hubs. */
const FIELD_DEFAULTS = {
  ...{ identity: false, content: false },
  ...{ region: null, tier: null, mode: null, contentMode: null, brand: null, seed: null },
};

export function createCatalogContents(
  file: CatalogFile,
  versions: readonly OfferedVersion[],
  sizes: readonly OfferedSize[],
  defaults: { readonly size: string; readonly version: string },
): CatalogContents {
  const list = (section: (typeof SECTIONS)[number]) =>
    (file[section] ?? []).map(({ name, title }) => ({ name, title: title ?? null }));
  const currencies = [...new Set(sizes.flatMap(({ price }) => price ? [price.currency] : []))];
  return {
    regions: list("regions"),
    tiers: (file.tiers ?? []).map(showTier),
    modes: list("modes"),
    contentModes: list("contentModes"),
    brands: list("brands"),
    seeds: list("seeds"),
    addons: file.addons?.map(({ licence = null, note = null, ...addon }) => ({ ...addon, licence, note })) ?? null,
    webInstaller: file.webInstaller ?? false,
    versions: versions.map(({ name, title, preview }) => ({
      name,
      title,
      preview,
      default: name === defaults.version,
    })),
    sizes: sizes.map(({ name, title, resources: { app, database, disks, workers }, quota, price }) => ({
      name,
      title,
      default: name === defaults.size,
      resources: { app, database, disks, workers },
      quota,
      price,
    })),
    defaults: { ...FIELD_DEFAULTS, size: defaults.size, lmsVersion: defaults.version },
    currency: currencies.length === 1 ? currencies[0]! : null,
    open: [...SECTIONS.filter((section) => file[section] === undefined), ...(file.versions ? [] : ["versions"])],
  };
}

function showTier(tier: CatalogTier): CatalogContents["tiers"][number] {
  const { name, title, sizes, backups, bounds } = tier;
  return {
    name,
    title: title ?? null,
    restricted: isRestrictedTier(tier),
    placement: showPlacement(tier),
    sizes: sizes ?? null,
    backups: { window: backups?.window ?? null, retention: backups?.retention ?? null },
    bounds: { spokes: bounds?.spokes ?? null, storage: bounds?.storage ?? null },
  };
}

function showPlacement(
  { nodeSelector, tolerations, priorityClass }: CatalogTier,
): CatalogContents["tiers"][number]["placement"] {
  if (!nodeSelector && !tolerations && priorityClass === undefined) return null;
  return {
    nodeSelector: nodeSelector ?? {},
    tolerations: (tolerations ?? []).map(({ key, operator, value, effect, tolerationSeconds }) => ({
      key: key ?? null,
      operator: operator ?? "Equal",
      value: value ?? null,
      effect: effect ?? null,
      tolerationSeconds: tolerationSeconds ?? null,
    })),
    priorityClass: priorityClass ?? null,
  };
}

interface Service {
  readonly catalog: Pick<Catalog, "view">;
  readonly config: Pick<Config, "rootDomain">;
  readonly payments: object | null;
}

/**
 * Returns the catalog for the API, including this service's root domain and whether spokes are charged. The names of
 * node labels are for operators only, like other details of the cluster.
 */
export function createCatalogView(
  { catalog, config, payments }: Service,
  { role }: { readonly role: string },
): CatalogView {
  const tiers = role === "operator"
    ? catalog.view.tiers
    : catalog.view.tiers.map((tier) => ({ ...tier, placement: null }));
  return { ...catalog.view, tiers, charged: payments !== null, rootDomain: config.rootDomain };
}
