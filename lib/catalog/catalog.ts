/** What this service offers, and what it takes for each field: the contract of loadCatalog in load.ts. */
import { Fault } from "#lib/base/errors.ts";
import type { Brand, Course } from "#lib/moodle/inputs.ts";
import type { SpokeImages, SpokeNeeds } from "#lib/moodle/releases.ts";
import type { Size, Surroundings } from "#lib/moodle/sizes.ts";
import type { CatalogContents } from "#lib/catalog/view.ts";

/** The fields whose values a catalogue may list. */
const FIELDS = ["region", "tier", "mode", "contentMode", "brand", "seed", "size", "lmsVersion"] as const;
export type CatalogField = (typeof FIELDS)[number];

interface Region {
  readonly name: string;
  readonly title?: string | undefined;
  /** The kubeconfig context of its cluster; absent is the default cluster. */
  readonly context?: string | undefined;
}

export interface Price {
  /** ISO 4217. */
  readonly currency: string;
  /** Minor units a month. */
  readonly monthly: number;
}

export interface Catalog {
  readonly regions: readonly Region[];
  readonly defaults: { readonly size: string; readonly version: string };
  /** What a field may be; null where any text is taken. */
  choices(field: CatalogField): readonly string[] | null;
  /** Why a value is not taken, "must be one of small, medium, large"; null when it is. */
  findProblem(field: CatalogField, value: string): string | null;
  /** What an accepted size asks of the cluster. Throws a TypeError for one that `refuse` refuses. */
  resourcesOf(size: string): Size;
  priceOf(size: string): Price | null;
  /** The images of an accepted version. Throws a TypeError for one that `refuse` refuses. */
  imagesOf(version: string): SpokeImages;
  /** What a site must be to become one of an accepted version. */
  requirementsOf(version: string): SpokeNeeds;
  /** What the catalogue knows of a brand or a seed; null when it knows nothing. */
  themeOf(brand: string): Brand | null;
  coursesOf(seed: string): readonly Course[] | null;
  /** The cluster around the spokes of a region. */
  surroundingsOf(region: string | null): Surroundings;
  readonly view: CatalogContents;
}

/** Throws Fault invalid `not_offered`, which names each field and its choices. Fields of no interest to it are ignored. */
export function requireOffered(catalog: Catalog, values: Partial<Record<CatalogField, string | undefined>>): void {
  const problems = Object.entries(values).flatMap(([field, value]) => {
    const reason = value === undefined ? null : catalog.findProblem(field as CatalogField, value);
    return reason === null ? [] : [[field, reason] as const];
  });
  if (problems.length === 0) return;
  const message = problems.map(([field, reason]) => `${field} ${reason}`).join("; ");
  throw new Fault("invalid", "not_offered", message, { fields: Object.fromEntries(problems) });
}
