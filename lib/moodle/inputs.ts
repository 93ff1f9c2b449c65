/**
 * Defines the blueprint inputs: the values, without secrets, from which a spoke's or hub's manifests are rendered.
 * Sizes and images are copied from the catalog, so a changed catalog does not affect existing sites. Unknown fields are
 * ignored, so an older release can read rows that a newer release wrote.
 */
import * as v from "valibot";
import { boundedText, EmailAddress, HostName, Slug } from "#lib/base/schema.ts";
import { AddonComponent } from "#lib/model/addon.ts";
import { BrandTheme, createPolicyValuesSchema, WebFile } from "#lib/model/policy.ts";
import { MoodleVersion } from "#lib/model/spoke.ts";
import { CatalogEntryName, ClusterSettings, ImageName, NamespaceName, SiteSize } from "#lib/moodle/sizes.ts";
import { TierInputs } from "#lib/moodle/tier-inputs.ts";

const LABEL = "must be a label value";
const Label = v.pipe(v.string(LABEL), v.regex(/^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/, LABEL));

// The Moodle image passes these settings unquoted to a shell and sed, so a space or wildcard would stop the container.
const WORD = "may contain only letters, digits and . _ @ + = / : -";
/** Text that is safe to use as an unquoted word in a shell command. */
export const ShellWord = v.pipe(v.string(WORD), v.regex(/^[A-Za-z0-9._@+=/:-]{1,254}$/, WORD));

const DEMO = "must be XS, S or M: the size of the generated course";
/** A course in a new site: empty, restored from a Moodle backup, or generated as a demonstration. */
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

const Mail = v.strictObject({
  host: ShellWord,
  port: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(65535)),
  user: v.nullable(ShellWord),
  /** The sender's email address, without a display name. */
  from: ShellWord,
});
type Mail = v.InferOutput<typeof Mail>;

const ADOPTION_ID = "must be 8 to 10 lower-case letters or digits";
/** The origin of a site whose volumes were created from snapshots. */
const SiteOrigin = v.object({
  /** The last characters of the ID of the operation that created the volumes, which make volume names unique. */
  adoptionId: v.pipe(v.string(ADOPTION_ID), v.regex(/^[a-z0-9]{8,10}$/, ADOPTION_ID)),
  /** Whether the site is the original site after a restore (`same`), or a separate site with other secrets (`new`). */
  identity: v.picklist(["same", "new"]),
});
export type SiteOrigin = v.InferOutput<typeof SiteOrigin>;

/** The images that a site runs. */
export const SiteImages = v.strictObject({ moodle: ImageName, postgres: ImageName, fpmDirectory: v.string() });

const SharedVersion = {
  version: v.pipe(v.number(), v.integer()),
  /** Why the site lacks some of the values, one sentence each. */
  skipped: v.optional(v.array(v.string())),
};

/** The sections of the hub's policy as one site has them, with the site's own values. */
export const SharedInputs = v.object({
  settings: v.optional(v.object({ ...SharedVersion, values: createPolicyValuesSchema("settings") })),
  /** The theme is null if the hub shares no brand; the site then has its own. */
  brand: v.optional(v.object({ ...SharedVersion, theme: v.nullable(BrandTheme) })),
  /** The values are null if the site must not have the hub's sign-in. */
  signIn: v.optional(v.object({ ...SharedVersion, values: v.nullable(createPolicyValuesSchema("signIn")) })),
  /** The values are null if the site must not have the hub's courses. Courses that it got stay, closed for new people. */
  courses: v.optional(v.object({ ...SharedVersion, values: v.nullable(createPolicyValuesSchema("courses")) })),
  /** The add-ons that Wheelwright has installed. The version is 0 if the site may have lost some. */
  addons: v.optional(v.object({
    ...SharedVersion,
    list: v.array(v.object({ component: AddonComponent, version: v.number(), source: WebFile })),
  })),
});
export type SharedInputs = v.InferOutput<typeof SharedInputs>;

export const SpokeInputs = v.object({
  federationId: Label,
  spokeId: Label,
  namespace: NamespaceName,
  slug: Slug,
  displayName: boundedText(1, 255),
  host: HostName,
  /** The name of the Secret with the TLS certificate. Set only if the host has changed since the site's creation. */
  certificate: v.optional(Label),
  /** Former hosts that redirect to the current host, each with the name of its certificate's Secret. */
  formerHosts: v.optional(v.array(v.object({ host: HostName, certificate: Label }))),
  adminEmail: EmailAddress,
  version: MoodleVersion,
  images: SiteImages,
  size: CatalogEntryName,
  /** The CPU, memory and storage that the size defines, but with actual disk sizes, because disks never shrink. */
  resources: v.object(SiteSize.entries),
  /** The original size of the database disk, if the size has changed. The PVC template keeps this size. */
  madeDatabaseDisk: v.optional(SiteSize.entries.disks.entries.database),
  /** The names of the PVC for files (default: `files`) and of the PVC template for the database (default: `data`). */
  claims: v.optional(v.object({ files: NamespaceName, data: NamespaceName })),
  /** The origin of a site that was created from snapshots. Absent if the install Job installed the site. */
  origin: v.optional(SiteOrigin),
  /** Set only for a sandbox (temporary site). `madeAfter` is the ID of the original spoke. `web` allows HTTPS. */
  sandbox: v.optional(v.object({ id: Label, madeAfter: v.nullable(Label), web: v.optional(v.literal(true)) })),
  /** Whether outgoing email is held back. A copied site sends no email until an administrator allows it. */
  mailHeld: v.optional(v.boolean()),
  /** Whether the site uses the hub's single sign-on. */
  identity: v.boolean(),
  /** Whether the site uses the hub's shared courses. */
  content: v.boolean(),
  contentMode: v.nullable(boundedText(1, 100)),
  /** The name and theme of the brand. The theme is null if the catalog does not define a theme for the brand. */
  brand: v.nullable(v.strictObject({ name: boundedText(1, 100), theme: v.nullable(BrandTheme) })),
  /** The name and courses of the seed (initial content). The courses are null if the catalog does not define them. */
  seed: v.nullable(v.strictObject({ name: boundedText(1, 100), courses: v.nullable(v.array(SeedCourse)) })),
  /** The sections of the hub's policy that the site has. Absent if the hub has never shared anything with the site. */
  shared: v.optional(SharedInputs),
  /** The values that the hub's tier sets on the site. Absent if the hub has no tier, or the tier sets nothing. */
  tier: v.optional(TierInputs),
  surroundings: v.object(ClusterSettings.entries),
  /** Whether the site's URL uses https, no matter where TLS is terminated. */
  https: v.boolean(),
  /** The port in the site's URL. Absent if the URL uses the scheme's default port. */
  port: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(65535))),
  /** The ClusterIssuer that issues the site's certificate; null if the site needs no certificate. */
  issuer: v.nullable(Label),
  /** Whether administrators may upload add-ons in the browser. The catalog's current setting replaces this on each read. */
  webInstaller: v.optional(v.boolean()),
  /** The mail server settings when the site was created. The current settings replace these on each read. */
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
