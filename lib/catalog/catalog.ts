/** The catalog: the regions, sizes, versions and prices that this service offers. Created in load.ts. */
import { Fault } from "#lib/base/errors.ts";
import type { CatalogAddon } from "#lib/catalog/addons.ts";
import type { BrandTheme } from "#lib/model/policy.ts";
import type { SeedCourse } from "#lib/moodle/inputs.ts";
import type { SpokeImages, VersionRequirements } from "#lib/moodle/releases.ts";
import type { ClusterSettings, SiteSize } from "#lib/moodle/sizes.ts";
import type { CatalogTier } from "#lib/catalog/tier.ts";
import type { CatalogContents } from "#lib/catalog/view.ts";

/** The request fields whose values a catalog can restrict. */
const FIELDS = ["region", "tier", "mode", "contentMode", "brand", "seed", "size", "lmsVersion"] as const;
export type CatalogField = (typeof FIELDS)[number];

interface Region {
  readonly name: string;
  readonly title?: string | undefined;
  /** The kubeconfig context for this region's cluster; undefined for the default cluster. */
  readonly context?: string | undefined;
}

export interface Price {
  /** An ISO 4217 currency code, for example `EUR`. */
  readonly currency: string;
  /** The price per month in minor units of the currency, for example cents. */
  readonly monthly: number;
}

export interface Catalog {
  readonly regions: readonly Region[];
  readonly defaults: { readonly size: string; readonly version: string };
  /** Returns the values that a field accepts; null if the field accepts any text. */
  choices(field: CatalogField): readonly string[] | null;
  /** Returns why a value is invalid, for example "must be one of small, medium"; null if the value is valid. */
  findProblem(field: CatalogField, value: string): string | null;
  /** Returns a size's CPU, memory and storage. Throws a TypeError if the catalog has no such size. */
  resourcesOf(size: string): SiteSize;
  priceOf(size: string): Price | null;
  /** Returns a version's container images. Throws a TypeError if this service does not offer the version. */
  imagesOf(version: string): SpokeImages;
  /** Returns the requirements that a site must meet before it can be upgraded to this version. */
  requirementsOf(version: string): VersionRequirements;
  /** Returns a brand's theme settings; null if the catalog defines none for the brand. */
  themeOf(brand: string): BrandTheme | null;
  coursesOf(seed: string): readonly SeedCourse[] | null;
  /** Returns the cluster settings for spokes in this region, or for spokes without a region if `region` is null. */
  surroundingsOf(region: string | null): ClusterSettings;
  /** Returns the tier of a hub; undefined if the hub has none, or one that the catalog does not describe. */
  tierOf(name: string | null): CatalogTier | undefined;
  /** The tiers that the catalog describes. */
  readonly tiers: readonly CatalogTier[];
  /** The add-ons that the operator lists; null without a list, which allows every add-on. */
  readonly addons: readonly CatalogAddon[] | null;
  /** Whether administrators of sites may upload add-ons in the browser. */
  readonly webInstaller: boolean;
  readonly view: CatalogContents;
}

/** Throws an `invalid` fault (code `not_offered`) if the catalog does not offer a value. Skips undefined values. */
export function requireOfferedValues(
  catalog: Catalog,
  values: Partial<Record<CatalogField, string | undefined>>,
): void {
  const problems = Object.entries(values).flatMap(([field, value]) => {
    const reason = value === undefined ? null : catalog.findProblem(field as CatalogField, value);
    return reason === null ? [] : [[field, reason] as const];
  });
  if (problems.length === 0) return;
  const message = problems.map(([field, reason]) => `${field} ${reason}`).join("; ");
  throw new Fault("invalid", "not_offered", message, { fields: Object.fromEntries(problems) });
}
