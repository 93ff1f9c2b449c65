/**
 * What a spoke or a hub is made from: plain data, stored with it, and all that rendering knows of it.
 *
 * Sizes, images and surroundings are stored as they were resolved, so that a catalogue that changes later changes
 * nothing that is there already. No secret is among them. What a later release adds to them is passed over, so that the
 * one before can still read its rows.
 */
import * as v from "valibot";
import { Email, HostName, Slug, text } from "#lib/base/schema.ts";
import { Image, Name, NamespaceName, Size, Surroundings, Version } from "#lib/moodle/sizes.ts";

const LABEL = "must be a label value";
const Label = v.pipe(v.string(LABEL), v.regex(/^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/, LABEL));

// The image passes these through shell and sed without quotes: a blank or a wildcard would break the site's start.
const WORD = "must be made of letters, digits and . _ @ + = / : - alone";
/** A word that survives an unquoted shell. */
export const Word = v.pipe(v.string(WORD), v.regex(/^[A-Za-z0-9._@+=/:-]{1,254}$/, WORD));

const HTTPS = "must be an https URL";
export const HttpsUrl = v.pipe(v.string(HTTPS), v.url(HTTPS), v.startsWith("https://", HTTPS), v.maxLength(2000));
const COLOR = "must be a colour such as #aa0044";
const SHA256 = "must be a SHA-256 in hexadecimal";

/** A file on the web whose content is known. */
const WebFile = v.strictObject({ url: HttpsUrl, sha256: v.pipe(v.string(SHA256), v.regex(/^[0-9a-f]{64}$/, SHA256)) });

const DEMO = "must be XS, S or M: a made-up course of that size";
/** A course: empty, restored from a Moodle backup, or made up, for demonstrations. */
export const Course = v.pipe(
  v.strictObject({
    shortname: text(1, 100),
    title: v.optional(text(1, 200)),
    backup: v.optional(WebFile),
    demo: v.optional(v.picklist(["XS", "S", "M"], DEMO)),
  }),
  v.check(({ backup, demo }) => !(backup && demo), "must have backup or demo, not both"),
);
export type Course = v.InferOutput<typeof Course>;

export const Brand = v.strictObject({
  color: v.optional(v.pipe(v.string(COLOR), v.regex(/^#[0-9a-fA-F]{6}$/, COLOR))),
  scss: v.optional(text(1, 50_000)),
  /** A PNG or JPEG picture. */
  logo: v.optional(WebFile),
});
export type Brand = v.InferOutput<typeof Brand>;

const Mail = v.strictObject({
  host: Word,
  port: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(65535)),
  user: v.nullable(Word),
  /** The bare address that mail comes from. */
  from: Word,
});
type Mail = v.InferOutput<typeof Mail>;

const TURN = "must be 8 to 10 lower-case letters or digits";
/** Where a site's data is from when its install Job did not make it: volumes made from snapshots. */
const SiteOrigin = v.object({
  /** Tells this adoption of data, and the claims made for it, from every other. */
  turn: v.pipe(v.string(TURN), v.regex(/^[a-z0-9]{8,10}$/, TURN)),
  /**
   * `same`: it is the very site that was there. `new`: it is a site of its own, and shares no secret with the one that its
   * data is from.
   */
  identity: v.picklist(["same", "new"]),
});
export type SiteOrigin = v.InferOutput<typeof SiteOrigin>;

export const SpokeInputs = v.object({
  federationId: Label,
  spokeId: Label,
  namespace: NamespaceName,
  slug: Slug,
  displayName: text(1, 255),
  host: HostName,
  /** The Secret of its certificate, where the host is not the one that it was made with. */
  certificate: v.optional(Label),
  /** Hosts that it had before and that lead to the present one, with the Secrets of their certificates. */
  formerHosts: v.optional(v.array(v.object({ host: HostName, certificate: Label }))),
  adminEmail: Email,
  version: Version,
  images: v.strictObject({ moodle: Image, postgres: Image, fpmDirectory: v.string() }),
  size: Name,
  /** Of the disks, what there is: they grow with the size, and never shrink with it. */
  resources: v.object(Size.entries),
  /**
   * The database's disk as it was made, where it has grown since: the template of a StatefulSet's claims is for good, and
   * says so ever after. Absent where it is still the one of `resources`.
   */
  madeDatabaseDisk: v.optional(Size.entries.disks.entries.database),
  /**
   * The claim of its files, and the template of its database's, where they are not called `files` and `data`: those of a site
   * that was restored in its place stand beside the former ones.
   */
  claims: v.optional(v.object({ files: NamespaceName, data: NamespaceName })),
  /** Absent where the install Job made the site. */
  origin: v.optional(SiteOrigin),
  /**
   * Of a site that belongs to no spoke: what tells it from every other, the spoke that it is made after, if any, and whether
   * it may load from the web what an installation needs.
   */
  sandbox: v.optional(v.object({ id: Label, madeAfter: v.nullable(Label), web: v.optional(v.literal(true)) })),
  /** Of a copy: it sends no mail, whatever relay there is, until an administrator says that it may. */
  mailHeld: v.optional(v.boolean()),
  /** Whether the site takes the hub's single sign-on. */
  identity: v.boolean(),
  /** Whether it takes the hub's shared courses. */
  content: v.boolean(),
  contentMode: v.nullable(text(1, 100)),
  /** Name and, when the catalogue knows it, content of the brand. */
  brand: v.nullable(v.strictObject({ name: text(1, 100), theme: v.nullable(Brand) })),
  /** Name and, when the catalogue knows it, courses of the seed. */
  seed: v.nullable(v.strictObject({ name: text(1, 100), courses: v.nullable(v.array(Course)) })),
  surroundings: v.object(Surroundings.entries),
  /** Whether the site's address is https, wherever TLS ends. */
  https: v.boolean(),
  /** The port of the site's address, where it is not the default one of its scheme. */
  port: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(65535))),
  /** The ClusterIssuer that its certificate comes from, if it needs one. */
  issuer: v.nullable(Label),
  /** Of the day when it was made; the configuration says what holds now. */
  mail: v.nullable(Mail),
});
export type SpokeInputs = v.InferOutput<typeof SpokeInputs>;

export const HubInputs = v.object({
  federationId: Label,
  namespace: NamespaceName,
  slug: Slug,
  surroundings: v.object(Surroundings.entries),
  issuer: v.nullable(Label),
  acmeEmail: v.nullable(Email),
});
export type HubInputs = v.InferOutput<typeof HubInputs>;
