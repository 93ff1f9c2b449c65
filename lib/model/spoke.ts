/** Declares a spoke's fields. To add a field, declare it here and add a column in the folder `sql`. */
import * as v from "valibot";
import { boundedText, EmailAddress, Flag, HostName, Slug } from "#lib/base/schema.ts";
import { type Fields, setting, system, type ValuesOf } from "#lib/model/field.ts";
import { SpokePolicySchema } from "#lib/model/stored-policy.ts";
import { HEALTH_STATES, SPOKE_STATES } from "#lib/model/states.ts";

const VERSION_MESSAGE = "must be a version such as 4.5.12";
export const MoodleVersion = v.pipe(
  v.string(VERSION_MESSAGE),
  v.regex(/^\d{1,4}(?:\.\d{1,4}){0,3}(?:-[a-z0-9]{1,20})?$/, VERSION_MESSAGE),
);

const text = v.string(), name = boundedText(1, 100);

/** A spoke's fields, in the order of the API reference. Times and JSON columns are declared where they are used. */
export const spokeFields = {
  id: system(text, {
    label: "ID",
    hint: "The ID of the spoke",
    example: "spk_06fj2c6b1hz4e8s7y2p5t9w3ka",
    kept: true,
  }),
  federationId: system(text, {
    label: "Hub",
    hint: "The ID of the spoke's hub",
    example: "fed_06fj2c4v7tq0w1x9n3m8k5r2dg",
    kept: true,
  }),
  slug: setting(Slug, {
    settable: "required",
    label: "Slug",
    hint: "A short name for addresses and commands, of lowercase letters, digits and hyphens",
    example: "ash",
    kept: true,
  }),
  displayName: setting(boundedText(1, 200), {
    changeable: true,
    label: "Name",
    hint: "The full name of the site, shown to visitors",
    example: "Ash school",
    kept: true,
  }),
  domain: setting(HostName, {
    changeable: true,
    label: "Domain",
    hint: "The host name of the site",
    example: "ash.school.example",
    kept: true,
  }),
  size: setting(name, {
    catalogued: "sizes",
    label: "Size",
    hint: "CPU, memory and storage of the site",
    example: "medium",
    kept: true,
  }),
  lmsVersion: setting(MoodleVersion, {
    catalogued: "versions",
    label: "Moodle",
    hint: "The Moodle version of the site",
    example: "4.5.12",
    kept: true,
  }),
  adminEmail: setting(EmailAddress, {
    changeable: true,
    label: "Administrator",
    hint: "Email address of the site's admin account, which receives the site's notifications",
    example: "ada@school.example",
    kept: true,
  }),
  region: setting(name, {
    nullable: true,
    catalogued: "regions",
    label: "Region",
    hint: "The region in which the site runs",
    example: "eu-west",
    kept: true,
  }),
  brand: setting(name, {
    nullable: true,
    changeable: true,
    catalogued: "brands",
    label: "Brand",
    hint: "Logo and colours of the site",
    example: "ocean",
    kept: true,
  }),
  seed: setting(name, {
    nullable: true,
    catalogued: "seeds",
    label: "Seed",
    hint: "The courses that a new site contains",
    example: "demo",
    kept: true,
  }),
  identity: setting(Flag, {
    changeable: true,
    label: "Hub sign-in",
    hint: "Whether users sign in with the hub's identity provider",
    example: false,
    kept: true,
  }),
  content: setting(Flag, {
    changeable: true,
    label: "Shared courses",
    hint: "Whether the site includes the hub's shared courses",
    example: true,
    kept: true,
  }),
  contentMode: setting(name, {
    nullable: true,
    changeable: true,
    catalogued: "contentModes",
    label: "Content mode",
    hint: "How the site gets new versions of the hub's courses: subscribe, pull or mirror",
    example: "subscribe",
    kept: true,
  }),
  mail: setting(v.picklist(["on", "held"], "must be on or held"), {
    settable: false,
    changeable: true,
    label: "Email",
    hint: "Whether the site sends email. A copy starts with held, and a change restarts the site",
    example: "on",
    kept: true,
  }),
  policy: system(SpokePolicySchema, {
    nullable: true,
    shown: false,
    label: "Own values",
    hint: "The values with which the site departs from what its hub shares; null if it has none",
    example: null,
    kept: true,
  }),
  state: system(v.picklist(SPOKE_STATES), {
    label: "State",
    hint: "The state of the spoke",
    example: "active",
    kept: true,
  }),
  stateReason: system(text, {
    nullable: true,
    label: "Reason",
    hint: "Why the spoke is in this state; null if there is nothing to explain",
    example: null,
    kept: true,
  }),
  health: system(v.picklist(HEALTH_STATES), {
    label: "Health",
    hint: "Whether the site works: healthy, degraded after three failed checks in a row, or unknown",
    example: "healthy",
    kept: false,
  }),
  storagePercent: system(v.pipe(v.number(), v.integer()), {
    nullable: true,
    label: "Storage used",
    hint: "How full the disk of the files or of the database is, in percent, whichever is higher; null while unknown",
    example: null,
    kept: false,
  }),
  maintenance: system(v.boolean(), {
    label: "Maintenance mode",
    hint: "Whether a user has put the site in maintenance mode",
    example: false,
    kept: true,
  }),
  imageDigest: system(text, {
    nullable: true,
    label: "Image",
    hint: "Digest of the Moodle image that the site runs; null until a pod reports it",
    example: "docker.io/erseco/alpine-moodle@sha256:9f2c4e1b7a6d5c3e8f0a1b2c3d4e5f60718293a4b5c6d7e8f901a2b3c4d5e6f7",
    kept: true,
  }),
  namespace: system(text, {
    label: "Namespace",
    hint: "The Kubernetes namespace of the site",
    example: "spoke-main-ash-s7y2p5t9w3ka",
    kept: true,
  }),
  copyOf: system(text, {
    nullable: true,
    shown: false,
    label: "Copy of",
    hint: "The ID of the spoke that this spoke was copied from; null if it is not a copy",
    example: null,
    kept: true,
  }),
  fromBackup: system(text, {
    nullable: true,
    shown: false,
    label: "Created from",
    hint: "The ID of the backup that the site was created from; null if it was installed",
    example: null,
    kept: true,
  }),
  siteIdentifier: system(text, {
    nullable: true,
    shown: false,
    label: "Site identifier",
    hint: "Moodle's own identifier of the site; null until the site is installed",
    example: null,
    kept: true,
  }),
  blueprintRevision: system(text, {
    shown: false,
    label: "Blueprint revision",
    hint: "The revision of the blueprint (manifests) that the site was rendered from",
    example: null,
    kept: true,
  }),
  createdBy: system(text, {
    shown: false,
    label: "Created by",
    hint: "The ID of the user who created the spoke",
    example: null,
    kept: true,
  }),
} as const satisfies Fields;

/** The columns of a spoke's database row that `spokeFields` declares. */
export type SpokeColumns = ValuesOf<typeof spokeFields>;
