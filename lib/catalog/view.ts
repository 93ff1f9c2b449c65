/**
 * The catalog as GET /api/catalog returns it. A section without restrictions is an empty list and is named in `open`.
 */
import * as v from "valibot";

const Entry = v.object({ name: v.string(), title: v.nullable(v.string()) });
const Amounts = v.object({ cpu: v.string(), memory: v.string() });
const Resources = v.object({ requests: Amounts, limits: Amounts });
const NullableName = v.nullable(v.string());

export const CatalogView = v.object({
  regions: v.array(Entry),
  tiers: v.array(Entry),
  modes: v.array(Entry),
  contentModes: v.array(Entry),
  brands: v.array(Entry),
  seeds: v.array(Entry),
  /** Newest first; previews last. */
  versions: v.array(
    v.object({ name: v.string(), title: v.nullable(v.string()), preview: v.boolean(), default: v.boolean() }),
  ),
  sizes: v.array(v.object({
    name: v.string(),
    title: v.nullable(v.string()),
    default: v.boolean(),
    resources: v.object({
      app: Resources,
      database: Resources,
      disks: v.object({ files: v.string(), database: v.string() }),
      workers: v.number(),
    }),
    /** Quota of the site's namespace, including resources for temporary Jobs. */
    quota: v.object({ requests: Amounts, limits: Amounts, storage: v.string() }),
    /** Minor units of the currency per month. */
    price: v.nullable(v.object({ currency: v.string(), monthly: v.number() })),
  })),
  /** Sections that accept any text. */
  open: v.array(v.string()),
  /** The value of each field that a request omits. */
  defaults: v.object({
    size: v.string(),
    lmsVersion: v.string(),
    identity: v.boolean(),
    content: v.boolean(),
    ...{
      region: NullableName,
      tier: NullableName,
      mode: NullableName,
      contentMode: NullableName,
      brand: NullableName,
      seed: NullableName,
    },
  }),
  /** Null if there are no prices, or prices in several currencies. */
  currency: v.nullable(v.string()),
  charged: v.boolean(),
  rootDomain: v.string(),
});
export type CatalogView = v.InferOutput<typeof CatalogView>;

/** The part of the catalog that does not depend on the service's configuration. */
export type CatalogContents = Omit<CatalogView, "charged" | "rootDomain">;
