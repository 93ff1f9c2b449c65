/** Defines the schemas for sizes.yaml, images.yaml and surroundings.yaml. */
import * as v from "valibot";
import { MoodleVersion } from "#lib/model/spoke.ts";
import { parseQuantity } from "#lib/drivers/cluster/diagnosis/quantity.ts";

const QUANTITY = 'must be a quantity such as 500m, "2" or 1Gi';
const Quantity = v.pipe(
  v.union([v.string(), v.number()], QUANTITY),
  v.transform(String),
  v.check((text) => parseQuantity(text) > 0, QUANTITY),
);

const Amounts = v.strictObject({ cpu: Quantity, memory: Quantity });
const Resources = v.strictObject({ requests: Amounts, limits: Amounts });

/** A size: the CPU, memory and storage that a site gets. */
export const SiteSize = v.strictObject({
  app: Resources,
  database: Resources,
  cron: Resources,
  /** The maximum number of PHP worker processes. */
  workers: v.pipe(v.number("must be a number"), v.integer("must be an integer"), v.minValue(1), v.maxValue(1000)),
  disks: v.strictObject({ files: Quantity, database: Quantity }),
  quota: v.strictObject({ requests: Amounts, limits: Amounts, storage: Quantity }),
  /** The maximum CPU and memory for one container, and the maximum size of one disk. */
  largest: v.strictObject({ cpu: Quantity, memory: Quantity, disk: Quantity }),
});
export type SiteSize = v.InferOutput<typeof SiteSize>;

const NAME = "must be 1 to 40 lower-case letters, digits or hyphens";
export const CatalogEntryName = v.pipe(v.string(NAME), v.regex(/^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/, NAME));

export const SizeCatalog = v.pipe(
  v.strictObject({ default: CatalogEntryName, sizes: v.record(CatalogEntryName, SiteSize) }),
  v.check((value) => Object.hasOwn(value.sizes, value.default), "default must be one of the sizes"),
);
export type SizeCatalog = v.InferOutput<typeof SizeCatalog>;

const IMAGE = "must be a container image such as registry.example/name:tag";
export const ImageName = v.pipe(v.string(IMAGE), v.regex(/^[A-Za-z0-9][A-Za-z0-9._/:@-]{0,254}$/, IMAGE));
const IMAGE_PATTERN = "must be a container image that contains ${VERSION}";
const DIRECTORY = "must be an absolute path";
const Directory = v.pipe(v.string(DIRECTORY), v.regex(/^(?:\/[A-Za-z0-9._-]+)+$/, DIRECTORY));

/** The requirements that a site must meet before it can be upgraded to a version. */
const UpgradeRequirements = v.object({
  /** The minimum major version of PostgreSQL. */
  postgres: v.optional(v.pipe(v.number(), v.integer())),
  /** The oldest version from which a site can be upgraded. */
  upgradesFrom: v.optional(MoodleVersion),
});

/** The container image for a Moodle version, with details about its content. */
export const MoodleRelease = v.strictObject({
  image: ImageName,
  /** The directory from which php-fpm in the image reads its pool settings. */
  fpmDirectory: Directory,
  ...UpgradeRequirements.entries,
  /** Whether this is a preview version. A preview is offered to users, but is never the default. */
  preview: v.optional(v.boolean(), false),
});
export type MoodleRelease = v.InferOutput<typeof MoodleRelease>;

export const ImageCatalog = v.strictObject({
  postgres: ImageName,
  versions: v.pipe(
    v.record(MoodleVersion, MoodleRelease),
    v.check(
      (versions) => Object.values(versions).some((release) => !release.preview),
      "at least one version must not be a preview",
    ),
  ),
  families: v.optional(
    v.array(v.strictObject({
      from: MoodleVersion,
      image: v.pipe(
        v.string(IMAGE_PATTERN),
        v.check(
          (text) => text.includes("${VERSION}") && v.is(ImageName, text.replace("${VERSION}", "1")),
          IMAGE_PATTERN,
        ),
      ),
      fpmDirectory: Directory,
      ...UpgradeRequirements.entries,
    })),
    [],
  ),
});
export type ImageCatalog = v.InferOutput<typeof ImageCatalog>;

const NAMESPACE = "must be the name of a namespace";
export const NamespaceName = v.pipe(v.string(NAMESPACE), v.regex(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/, NAMESPACE));
const OBJECT = "must be the name of an object in the cluster";
const ObjectName = v.pipe(v.string(OBJECT), v.regex(/^[a-z0-9](?:[a-z0-9.-]{0,250}[a-z0-9])?$/, OBJECT));

const IssuerName = v.pipe(v.string(OBJECT), v.regex(/^[a-z0-9](?:[a-z0-9.-]{0,61}[a-z0-9])?$/, OBJECT));

/** The settings for the cluster in which spokes run. A region in the catalog can override each setting. */
export const ClusterSettings = v.strictObject({
  storageClass: v.optional(ObjectName),
  /** The VolumeSnapshotClass for backups, with the deletionPolicy `Retain`. Defaults to the first suitable class. */
  snapshotClass: v.optional(ObjectName),
  ingressClass: ObjectName,
  ingressNamespace: NamespaceName,
  dnsNamespace: NamespaceName,
  controlPlaneNamespace: v.optional(NamespaceName),
  tls: v.picklist(["acme", "elsewhere"], "must be acme or elsewhere"),
  /** The name of an existing ClusterIssuer. If set, Wheelwright creates no issuer and does not need ACME_EMAIL. */
  issuer: v.optional(IssuerName),
  acmeServer: v.pipe(v.string(), v.url("must be a URL")),
});
export type ClusterSettings = v.InferOutput<typeof ClusterSettings>;

/** Returns a negative number if version `a` is older than `b`, zero if both are equal, otherwise a positive number. */
export function compareVersions(a: string, b: string): number {
  const left = a.split(/[.-]/), right = b.split(/[.-]/);
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const order = Number(left[i] ?? 0) - Number(right[i] ?? 0);
    if (order) return order; // NaN, from a non-numeric part, is ignored
  }
  return a.localeCompare(b);
}
