/**
 * The catalog as `GET /api/catalog` returns it. `open` names the sections that accept any text; their lists are empty.
 */
import * as v from "valibot";

const Entry = v.object({ name: v.string(), title: v.nullable(v.string()) });
const Amounts = v.object({ cpu: v.string(), memory: v.string() });
const Resources = v.object({ requests: Amounts, limits: Amounts });
const NullableName = v.nullable(v.string());

const Tier = v.object({
  ...Entry.entries,
  /** Whether only operators may give the tier to a hub, or take it away, because it says more than its name. */
  restricted: v.boolean(),
  /** Where the pods of sites run; null if the tier does not say, or if the caller is no operator. */
  placement: v.nullable(v.object({
    nodeSelector: v.record(v.string(), v.string()),
    tolerations: v.array(v.object({
      key: v.nullable(v.string()),
      operator: v.string(),
      value: v.nullable(v.string()),
      effect: v.nullable(v.string()),
      tolerationSeconds: v.nullable(v.number()),
    })),
    priorityClass: v.nullable(v.string()),
  })),
  /** The sizes that spokes of the hub may have; null if every size is allowed. */
  sizes: v.nullable(v.array(v.string())),
  /** Null values mean that nightly backups are as in a hub without a tier. */
  backups: v.object({
    window: v.nullable(v.object({ from: v.string(), to: v.string() })),
    retention: v.nullable(v.object({ daily: v.number(), weekly: v.number(), monthly: v.number() })),
  }),
  /** The limits for all spokes of a hub together; null if there is no limit. */
  bounds: v.object({ spokes: v.nullable(v.number()), storage: v.nullable(v.string()) }),
});

export const CatalogView = v.object({
  regions: v.array(Entry),
  tiers: v.array(Tier),
  modes: v.array(Entry),
  contentModes: v.array(Entry),
  brands: v.array(Entry),
  seeds: v.array(Entry),
  /** The add-ons that the operator lists; null without a list, which allows every add-on. */
  addons: v.nullable(v.array(v.object({
    component: v.string(),
    version: v.number(),
    release: v.string(),
    source: v.object({ url: v.string(), sha256: v.string() }),
    branches: v.array(v.string()),
    licence: NullableName,
    note: NullableName,
  }))),
  /** Whether administrators of sites may upload add-ons in the browser. */
  webInstaller: v.boolean(),
  /** Moodle versions, sorted from newest to oldest, with preview versions last. */
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
    /** The resource quota for the site's namespace, including capacity for temporary Jobs. */
    quota: v.object({ requests: Amounts, limits: Amounts, storage: v.string() }),
    /** The price per month. `monthly` is in minor units of the currency, for example cents. */
    price: v.nullable(v.object({ currency: v.string(), monthly: v.number() })),
  })),
  /** The names of catalog sections that accept any text. */
  open: v.array(v.string()),
  /** The default values for fields that a request omits. */
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
  /** The currency of all prices; null if there are no prices or if they use several currencies. */
  currency: v.nullable(v.string()),
  charged: v.boolean(),
  rootDomain: v.string(),
});
export type CatalogView = v.InferOutput<typeof CatalogView>;

/** The part of the API's catalog that does not depend on the service's configuration. */
export type CatalogContents = Omit<CatalogView, "charged" | "rootDomain">;
