/**
 * The schema of the CATALOG file, in YAML or JSON.
 *
 * Each section is optional. If a section is present, only its entries are allowed. If it is missing, sizes and versions
 * come from the blueprint, and the other fields accept any text.
 *
 *     regions:
 *       - { name: eu-west, title: Europe (west), context: prod-eu, cluster: { storageClass: fast } }
 *     tiers: [standard, premium]
 *     modes: [open, closed]
 *     contentModes: [copy]
 *     brands:
 *       - { name: ocean, color: "#00446a" }
 *     seeds:
 *       - { name: demo, courses: [{ shortname: DEMO, title: A demonstration }] }
 *     versions: ["4.5.12"]
 *     sizes:
 *       - { name: small, price: { currency: EUR, monthly: 1900 } }
 */
import * as v from "valibot";
import { BrandTheme, SeedCourse } from "#lib/moodle/inputs.ts";
import { CatalogEntryName, ClusterSettings, MoodleRelease, SiteSize, VersionNumber } from "#lib/moodle/sizes.ts";
import { boundedText } from "#lib/base/schema.ts";

const Title = v.optional(boundedText(1, 200));
const CURRENCY = "must be a currency such as EUR";

/** Returns the schema of a list. Each item is an object with a name, or only a name. */
function namedList<S extends v.GenericSchema<unknown, { name: string }>>(entry: S) {
  const item = v.pipe(
    v.unknown(),
    v.check((value) => typeof value !== "number", "must be text; put it in quotes"), // 4.10 would be 4.1
    v.transform((value) => typeof value === "string" ? { name: value } : value),
    entry,
  );
  return v.optional(v.pipe(
    v.array(item, "must be a list"),
    v.check((items) => new Set(items.map(({ name }) => name)).size === items.length, "has a name twice"),
  ));
}

const NamedEntry = v.strictObject({ name: boundedText(1, 100), title: Title });

export const CatalogFile = v.strictObject({
  regions: namedList(v.strictObject({
    name: boundedText(1, 100),
    title: Title,
    /** The kubeconfig context of the cluster for the spokes of this region. */
    context: v.optional(boundedText(1, 253)),
    /** Cluster settings that replace those of the blueprint. */
    cluster: v.optional(v.partial(ClusterSettings)),
  })),
  tiers: namedList(NamedEntry),
  modes: namedList(NamedEntry),
  contentModes: namedList(NamedEntry),
  brands: namedList(v.strictObject({ ...NamedEntry.entries, ...BrandTheme.entries })),
  seeds: namedList(v.strictObject({ ...NamedEntry.entries, courses: v.optional(v.array(SeedCourse)) })),
  versions: namedList(v.strictObject({ name: VersionNumber, title: Title, release: v.optional(MoodleRelease) })),
  sizes: namedList(v.strictObject({
    name: CatalogEntryName,
    title: Title,
    /** Not needed for a size of the blueprint. */
    resources: v.optional(SiteSize),
    /** Minor units of the currency per month. */
    price: v.optional(v.strictObject({
      currency: v.pipe(v.string(CURRENCY), v.regex(/^[A-Z]{3}$/, CURRENCY)),
      monthly: v.pipe(v.number("must be a number"), v.integer("must be whole minor units"), v.minValue(0)),
    })),
  })),
  /** The size of a spoke if the request has none. */
  defaultSize: v.optional(CatalogEntryName),
});
export type CatalogFile = v.InferOutput<typeof CatalogFile>;
