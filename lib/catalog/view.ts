/** The catalogue as GET /api/catalog shows it. A section that takes any text is an empty list and named in `open`. */
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
  /** Newest first, previews after all others. */
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
    /** Of its namespace, with room for what runs beside the site for a while. */
    quota: v.object({ requests: Amounts, limits: Amounts, storage: v.string() }),
    /** Minor units a month. */
    price: v.nullable(v.object({ currency: v.string(), monthly: v.number() })),
  })),
  /** Sections that list nothing because any text is taken. */
  open: v.array(v.string()),
  /** Of each field that a request may leave out. */
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
  /** Null without prices, or with prices in several. */
  currency: v.nullable(v.string()),
  charged: v.boolean(),
  rootDomain: v.string(),
});
export type CatalogView = v.InferOutput<typeof CatalogView>;

/** What the catalogue says by itself, whatever the service around it is. */
export type CatalogContents = Omit<CatalogView, "charged" | "rootDomain">;
