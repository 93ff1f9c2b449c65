/** The catalog: the regions, sizes, versions and prices that this service offers. load.ts creates it. */
import { Fault } from "#lib/base/errors.ts";
import type { BrandTheme, SeedCourse } from "#lib/moodle/inputs.ts";
import type { SpokeImages, VersionRequirements } from "#lib/moodle/releases.ts";
import type { ClusterSettings, SiteSize } from "#lib/moodle/sizes.ts";
import type { CatalogContents } from "#lib/catalog/view.ts";

/** The request fields whose values a catalog can restrict. */
const FIELDS = ["region", "tier", "mode", "contentMode", "brand", "seed", "size", "lmsVersion"] as const;
export type CatalogField = (typeof FIELDS)[number];

interface Region {
  readonly name: string;
  readonly title?: string | undefined;
  /** The kubeconfig context of its cluster. The default cluster if undefined. */
  readonly context?: string | undefined;
}

export interface Price {
  /** Code from ISO 4217, for example `EUR`. */
  readonly currency: string;
  /** Minor units of the currency per month. */
  readonly monthly: number;
}

export interface Catalog {
  readonly regions: readonly Region[];
  readonly defaults: { readonly size: string; readonly version: string };
  /** Returns the allowed values of a field; null if any text is allowed. */
  choices(field: CatalogField): readonly string[] | null;
  /** Returns why a value is not allowed ("must be one of small, medium, large"); null if it is allowed. */
  findProblem(field: CatalogField, value: string): string | null;
  /** Returns the CPU, memory and storage of a size. Throws a TypeError if `findProblem` rejects the size. */
  resourcesOf(size: string): SiteSize;
  priceOf(size: string): Price | null;
  /** Returns the images of a version. Throws a TypeError if `findProblem` rejects the version. */
  imagesOf(version: string): SpokeImages;
  /** Returns the requirements that a site must meet before it can be upgraded to this version. */
  requirementsOf(version: string): VersionRequirements;
  /** Returns the theme settings of a brand; null if the catalog has none. */
  themeOf(brand: string): BrandTheme | null;
  coursesOf(seed: string): readonly SeedCourse[] | null;
  /** Returns the cluster settings of a region. */
  surroundingsOf(region: string | null): ClusterSettings;
  readonly view: CatalogContents;
}

/** Throws an `invalid` fault (`not_offered`) with the allowed values of each field. Ignores undefined values. */
export function requireOffered(catalog: Catalog, values: Partial<Record<CatalogField, string | undefined>>): void {
  const problems = Object.entries(values).flatMap(([field, value]) => {
    const reason = value === undefined ? null : catalog.findProblem(field as CatalogField, value);
    return reason === null ? [] : [[field, reason] as const];
  });
  if (problems.length === 0) return;
  const message = problems.map(([field, reason]) => `${field} ${reason}`).join("; ");
  throw new Fault("invalid", "not_offered", message, { fields: Object.fromEntries(problems) });
}
