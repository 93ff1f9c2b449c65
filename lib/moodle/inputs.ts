/**
 * Defines the blueprint inputs: the values from which a spoke's or hub's manifests are rendered. They contain no
 * secrets. Sizes and images are copied, so a changed catalog does not affect existing sites. Unknown fields are
 * ignored, so an older release can read newer rows.
 */
import * as v from "valibot";
import { boundedText, EmailAddress, HostName, Slug } from "#lib/base/schema.ts";
import {
  CatalogEntryName,
  ClusterSettings,
  ImageName,
  NamespaceName,
  SiteSize,
  VersionNumber,
} from "#lib/moodle/sizes.ts";

const LABEL = "must be a label value";
const Label = v.pipe(v.string(LABEL), v.regex(/^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/, LABEL));

// The image passes the site's settings unquoted through the shell and sed. A space or wildcard would break the start.
const WORD = "may contain only letters, digits and . _ @ + = / : -";
/** A value that is safe in an unquoted shell word. */
export const ShellWord = v.pipe(v.string(WORD), v.regex(/^[A-Za-z0-9._@+=/:-]{1,254}$/, WORD));

const HTTPS = "must be an https URL";
export const HttpsUrl = v.pipe(v.string(HTTPS), v.url(HTTPS), v.startsWith("https://", HTTPS), v.maxLength(2000));
const COLOR = "must be a colour such as #aa0044";
const SHA256 = "must be a SHA-256 in hexadecimal";

/** A file on the web with a known hash. */
const WebFile = v.strictObject({ url: HttpsUrl, sha256: v.pipe(v.string(SHA256), v.regex(/^[0-9a-f]{64}$/, SHA256)) });

const DEMO = "must be XS, S or M: the size of the generated course";
/** A course: empty, restored from a Moodle backup, or generated for demonstrations. */
export const SeedCourse = v.pipe(
  v.strictObject({
    shortname: boundedText(1, 100),
    title: v.optional(boundedText(1, 200)),
    backup: v.optional(WebFile),
    demo: v.optional(v.picklist(["XS", "S", "M"], DEMO)),
  }),
  v.check(({ backup, demo }) => !(backup && demo), "must have backup or demo, not both"),
);
export type SeedCourse = v.InferOutput<typeof SeedCourse>;

export const BrandTheme = v.strictObject({
  color: v.optional(v.pipe(v.string(COLOR), v.regex(/^#[0-9a-fA-F]{6}$/, COLOR))),
  scss: v.optional(boundedText(1, 50_000)),
  /** A PNG or JPEG image. */
  logo: v.optional(WebFile),
});
export type BrandTheme = v.InferOutput<typeof BrandTheme>;

const Mail = v.strictObject({
  host: ShellWord,
  port: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(65535)),
  user: v.nullable(ShellWord),
  /** The sender's address without a name. */
  from: ShellWord,
});
type Mail = v.InferOutput<typeof Mail>;

const TURN = "must be 8 to 10 lower-case letters or digits";
/** How a site's volumes were created from snapshots. */
const SiteOrigin = v.object({
  /** The adoption ID. The names of the site's PVCs contain it. */
  turn: v.pipe(v.string(TURN), v.regex(/^[a-z0-9]{8,10}$/, TURN)),
  /** `same`: the original site itself. `new`: a separate site that shares no secret with the original. */
  identity: v.picklist(["same", "new"]),
});
export type SiteOrigin = v.InferOutput<typeof SiteOrigin>;

export const SpokeInputs = v.object({
  federationId: Label,
  spokeId: Label,
  namespace: NamespaceName,
  slug: Slug,
  displayName: boundedText(1, 255),
  host: HostName,
  /** The Secret with the certificate, if the host has changed since creation. */
  certificate: v.optional(Label),
  /** Former hosts that redirect to the current one, with the Secrets of their certificates. */
  formerHosts: v.optional(v.array(v.object({ host: HostName, certificate: Label }))),
  adminEmail: EmailAddress,
  version: VersionNumber,
  images: v.strictObject({ moodle: ImageName, postgres: ImageName, fpmDirectory: v.string() }),
  size: CatalogEntryName,
  /** The resources of the size. The disks have their actual sizes, which never shrink. */
  resources: v.object(SiteSize.entries),
  /** The database disk's size at creation, if it differs from `resources`. The PVC template keeps this value. */
  madeDatabaseDisk: v.optional(SiteSize.entries.disks.entries.database),
  /** The names of the files PVC and of the database's PVC template. Default to `files` and `data`. */
  claims: v.optional(v.object({ files: NamespaceName, data: NamespaceName })),
  /** Absent if the install Job created the site. */
  origin: v.optional(SiteOrigin),
  /** Set only for a sandbox. `madeAfter` is the spoke whose inputs were copied. `web` allows web access. */
  sandbox: v.optional(v.object({ id: Label, madeAfter: v.nullable(Label), web: v.optional(v.literal(true)) })),
  /** Whether outgoing mail is held. A copy sends no mail until an administrator allows it. */
  mailHeld: v.optional(v.boolean()),
  /** Whether the site uses the hub's single sign-on. */
  identity: v.boolean(),
  /** Whether the site uses the hub's shared courses. */
  content: v.boolean(),
  contentMode: v.nullable(boundedText(1, 100)),
  /** The brand's name and its theme; the theme is null if the catalog has none. */
  brand: v.nullable(v.strictObject({ name: boundedText(1, 100), theme: v.nullable(BrandTheme) })),
  /** The seed's name and its courses; the courses are null if the catalog has none. */
  seed: v.nullable(v.strictObject({ name: boundedText(1, 100), courses: v.nullable(v.array(SeedCourse)) })),
  surroundings: v.object(ClusterSettings.entries),
  /** Whether the site's URL uses https, wherever TLS is terminated. */
  https: v.boolean(),
  /** The port of the site's URL. Absent for the scheme's default port. */
  port: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(65535))),
  /** The ClusterIssuer of the site's certificate; null if the site needs no certificate. */
  issuer: v.nullable(Label),
  /** The mail settings at creation. The current configuration replaces them whenever the inputs are read. */
  mail: v.nullable(Mail),
});
export type SpokeInputs = v.InferOutput<typeof SpokeInputs>;

export const HubInputs = v.object({
  federationId: Label,
  namespace: NamespaceName,
  slug: Slug,
  surroundings: v.object(ClusterSettings.entries),
  issuer: v.nullable(Label),
  acmeEmail: v.nullable(EmailAddress),
});
export type HubInputs = v.InferOutput<typeof HubInputs>;
