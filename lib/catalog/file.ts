/**
 * Defines the schema for the CATALOG file, which is in YAML or JSON.
 *
 * Each section is optional. If a section is present, only its entries are allowed. If the section for sizes or versions
 * is missing, the blueprint provides them. If any other section is missing, its field accepts any text.
 *
 *     regions:
 *       - { name: eu-west, title: Europe (west), context: prod-eu, cluster: { storageClass: fast } }
 *     tiers:
 *       - { name: dedicated, nodeSelector: { pool: dedicated }, sizes: [small], bounds: { spokes: 50 } }
 *     modes: [open, closed]
 *     contentModes: [copy]
 *     brands:
 *       - { name: ocean, color: "#00446a" }
 *     seeds:
 *       - { name: demo, courses: [{ shortname: DEMO, title: A demonstration }] }
 *     versions: ["4.5.12"]
 *     addons: # add-ons that are not listed are shown as drift; without this list, every add-on is allowed
 *       - component: mod_attendance
 *         version: 2024101100
 *         release: "4.5.1"
 *         source: { url: https://example.org/mod_attendance.zip, sha256: 9f86d081… }
 *         branches: ["4.5"]
 *     sizes:
 *       - { name: small, price: { currency: EUR, monthly: 1900 } }
 */
import * as v from "valibot";
import { CatalogTier } from "#lib/catalog/tier.ts";
import { CatalogAddons } from "#lib/catalog/addons.ts";
import { BrandTheme } from "#lib/model/policy.ts";
import { SeedCourse } from "#lib/moodle/inputs.ts";
import { MoodleVersion } from "#lib/model/spoke.ts";
import { CatalogEntryName, ClusterSettings, MoodleRelease, SiteSize } from "#lib/moodle/sizes.ts";
import { boundedText, Flag } from "#lib/base/schema.ts";

const Title = v.optional(boundedText(1, 200));
const CURRENCY = "must be a currency such as EUR";

/** Returns a schema for a list of entries. An entry is either a name, or an object that has a name. */
function namedList<S extends v.GenericSchema<unknown, { name: string }>>(entry: S) {
  const item = v.pipe(
    v.unknown(),
    v.check((value) => typeof value !== "number", "must be text; put it in quotes"), // YAML reads 4.10 as 4.1
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
    /** The kubeconfig context for the cluster that hosts this region's spokes. */
    context: v.optional(boundedText(1, 253)),
    /** Cluster settings that override the blueprint's settings for this region. */
    cluster: v.optional(v.partial(ClusterSettings)),
  })),
  tiers: namedList(CatalogTier),
  modes: namedList(NamedEntry),
  contentModes: namedList(NamedEntry),
  brands: namedList(v.strictObject({ ...NamedEntry.entries, ...BrandTheme.entries })),
  seeds: namedList(v.strictObject({ ...NamedEntry.entries, courses: v.optional(v.array(SeedCourse)) })),
  versions: namedList(v.strictObject({ name: MoodleVersion, title: Title, release: v.optional(MoodleRelease) })),
  sizes: namedList(v.strictObject({
    name: CatalogEntryName,
    title: Title,
    /** CPU, memory and storage. Optional if the blueprint defines a size with the same name. */
    resources: v.optional(SiteSize),
    /** The price per month. `monthly` is in minor units of the currency, for example cents. */
    price: v.optional(v.strictObject({
      currency: v.pipe(v.string(CURRENCY), v.regex(/^[A-Z]{3}$/, CURRENCY)),
      monthly: v.pipe(v.number("must be a number"), v.integer("must be whole minor units"), v.minValue(0)),
    })),
  })),
  addons: v.optional(CatalogAddons),
  /** Whether administrators of sites may upload add-ons in the browser. The default is false. */
  webInstaller: v.optional(Flag),
  /** The default size for new spokes. */
  defaultSize: v.optional(CatalogEntryName),
});
export type CatalogFile = v.InferOutput<typeof CatalogFile>;
