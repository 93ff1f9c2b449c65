/**
 * Declares what a hub shares with its spokes: the sections of its policy, their fields, and the versions of a section.
 * The current versions are a column of the hub's row, so that the hub's record in the cluster contains them.
 */
import * as v from "valibot";
import { boundedList, boundedText, EmailAddress, Flag, withAnyField } from "#lib/base/schema.ts";
import { isTimeZone } from "#lib/base/time.ts";
import { CourseReleases } from "#lib/model/course.ts";
import { AddonComponent } from "#lib/model/addon.ts";

const HTTPS = "must be an https URL";
export const HttpsUrl = v.pipe(v.string(HTTPS), v.url(HTTPS), v.startsWith("https://", HTTPS), v.maxLength(2000));
const COLOR = "must be a colour such as #aa0044", SHA256 = "must be a SHA-256 in hexadecimal";
const LANGUAGE = "must be the code of a Moodle language pack, such as de or pt_br";
const TIME_ZONE = "must be a time zone such as Europe/Berlin";
/** The maximum length of a hub's SCSS. It is stored again with each spoke, so it is shorter than a catalog brand's. */
export const MAX_SCSS = 20_000;

/** A file to download from the web, with its expected SHA-256 hash. */
export const WebFile = v.strictObject({
  url: HttpsUrl,
  sha256: v.pipe(v.string(SHA256), v.regex(/^[0-9a-f]{64}$/, SHA256)),
});

const ThemeColor = v.pipe(v.string(COLOR), v.regex(/^#[0-9a-fA-F]{6}$/, COLOR));

export const BrandTheme = v.strictObject({
  color: v.optional(ThemeColor),
  scss: v.optional(boundedText(1, 50_000)),
  /** The brand's logo, a PNG or JPEG file. */
  logo: v.optional(WebFile),
});
export type BrandTheme = v.InferOutput<typeof BrandTheme>;

const UPLOAD_LIMIT = "must be a whole number of MiB from 1 to 100";
/** The ingress, the web server and PHP of a site accept at most 100 MiB (settings.yaml, ingress.yaml). */
const UploadLimit = v.pipe(
  v.number(UPLOAD_LIMIT),
  v.integer(UPLOAD_LIMIT),
  v.minValue(1, UPLOAD_LIMIT),
  v.maxValue(100, UPLOAD_LIMIT),
);

const DOMAIN = "must be domains such as school.example or *.school.example, 50 at most";
const EmailDomain = v.pipe(
  v.string(DOMAIN),
  v.maxLength(253, DOMAIN),
  v.regex(/^(?:\*\.)?[a-z0-9-]+(?:\.[a-z0-9-]+)+$/, DOMAIN),
);

/** The fields of each section, in the order of the API reference and of the portal. */
export const POLICY_FIELDS = {
  settings: {
    language: v.pipe(v.string(LANGUAGE), v.regex(/^[a-z]{2,3}(?:_[a-z0-9]{1,12}){0,3}$/, LANGUAGE)),
    timeZone: v.pipe(v.string(TIME_ZONE), v.maxLength(64, TIME_ZONE), v.check(isTimeZone, TIME_ZONE)),
    guestAccess: Flag,
    forcedLogin: Flag,
    /** The maximum size of an uploaded file, in MiB. */
    uploadLimit: UploadLimit,
    supportName: boundedText(1, 100),
    supportEmail: EmailAddress,
    supportPage: HttpsUrl,
  },
  brand: {
    preset: boundedText(1, 100),
    color: ThemeColor,
    logo: WebFile,
    scss: boundedText(1, MAX_SCSS),
  },
  /** The hub's OpenID Connect provider. */
  signIn: {
    issuer: HttpsUrl,
    clientId: boundedText(1, 1000),
    /** In a request a secret; in a version the name of its entry in the hub's Kubernetes Secret `identity`. */
    clientSecret: boundedText(1, 1000),
    registrationToken: boundedText(1, 4000),
    scopes: boundedText(1, 1000),
    /** The text of the button on the login page. */
    label: boundedText(1, 200),
    loginPage: v.picklist(["button", "redirect"], "must be button or redirect"),
    /** The domains of the email addresses that may sign in; all if absent. */
    domains: boundedList(EmailDomain, 1, 50, DOMAIN),
    /** Whether a person confirms by email before an existing account is joined. */
    confirmation: Flag,
  },
  /** The courses that spokes get, each in one version. */
  courses: {
    releases: CourseReleases,
  },
  addons: {
    /** The add-ons of the catalog that the sites have. A spoke's own value adds to the hub's. */
    components: boundedList(AddonComponent, 1, 50, "must be 1 to 50 components"),
  },
} as const;

export type PolicySection = keyof typeof POLICY_FIELDS;
export const POLICY_SECTIONS = Object.keys(POLICY_FIELDS) as readonly PolicySection[];

type Fields<S extends PolicySection> = (typeof POLICY_FIELDS)[S];
export type PolicyField<S extends PolicySection> = keyof Fields<S> & string;

type ValueOf<T> = T extends v.GenericSchema ? v.InferOutput<T> : never;

/** The values of a section. A field that is absent is left to the spokes. */
export type PolicyValues<S extends PolicySection> = {
  readonly [F in keyof Fields<S>]?: ValueOf<Fields<S>[F]> | undefined;
};
/** The values of a section in a request. Null removes a value. */
export type PolicyValueChanges<S extends PolicySection> = {
  readonly [F in keyof Fields<S>]?: ValueOf<Fields<S>[F]> | null | undefined;
};

/** A version of a section: its values, the fields that spokes may override, and who changed it. */
export interface PolicyVersion<S extends PolicySection = PolicySection> {
  readonly version: number;
  readonly values: PolicyValues<S>;
  readonly overridable: readonly PolicyField<S>[];
  readonly changedAt: string;
  /** The email address of the user who made this version. */
  readonly changedBy: string;
}

export type AnyPolicyField = { [S in PolicySection]: PolicyField<S> }[PolicySection];
export type AnyPolicyVersion = { [S in PolicySection]: PolicyVersion<S> }[PolicySection];

/** The newest version of each section. A section that was never set is absent. */
export type HubPolicy = { readonly [S in PolicySection]?: PolicyVersion<S> | undefined };

/** A spoke's own values for a section. They apply while the hub allows a spoke to override these fields. */
export interface PolicyOverrides<S extends PolicySection = PolicySection> {
  readonly values: PolicyValues<S>;
  readonly changedAt: string;
  readonly changedBy: string;
}

/** How a spoke departs from its hub's policy. */
export interface SpokePolicy {
  readonly overrides?: { readonly [S in PolicySection]?: PolicyOverrides<S> | undefined } | undefined;
  /** The sections from which an admin of the hub has excluded the spoke. Its site keeps what it has. */
  readonly excluded?: readonly PolicySection[] | undefined;
}

/** The sections with values that a hub may let its spokes override. */
export const OVERRIDABLE_SECTIONS = ["settings", "brand", "addons"] as const satisfies readonly PolicySection[];

/** The fields that a spoke may override by default. A spoke has always been able to choose a brand of the catalog. */
export const DEFAULT_OVERRIDABLE: { readonly [S in PolicySection]: readonly PolicyField<S>[] } = {
  settings: [],
  brand: ["preset"],
  signIn: [],
  courses: [],
  addons: [],
};

/** The schema of a section's values in a request: each field may be absent, and null removes it. */
export function createPolicyChangeSchema<S extends PolicySection>(
  section: S,
  omitted: readonly PolicyField<S>[] = [],
): v.GenericSchema<unknown, PolicyValueChanges<S>> {
  return withAnyField(mapPolicyFields(section, (schema) => v.optional(v.nullable(schema)), omitted)) as v.GenericSchema<
    unknown,
    PolicyValueChanges<S>
  >;
}

/** The schema of a section's stored values. */
export function createPolicyValuesSchema<S extends PolicySection>(
  section: S,
): v.GenericSchema<unknown, PolicyValues<S>> {
  return v.object(mapPolicyFields(section, (schema) => v.optional(schema), [])) as v.GenericSchema<
    unknown,
    PolicyValues<S>
  >;
}

/** The schema of a section's values in an answer: a field that is not set is null. */
export function createPolicyViewSchema<S extends PolicySection>(section: S) {
  return v.object(mapPolicyFields(section, (schema) => v.nullable(withoutChecks(schema)), []));
}

/** The schema of names of a section's fields. */
export function createPolicyFieldListSchema<S extends PolicySection>(section: S) {
  const fields = listPolicyFields(section), message = `must be names among ${fields.join(", ")}`;
  return boundedList(v.picklist(fields, message), 0, fields.length, message);
}

export function listPolicyFields<S extends PolicySection>(section: S): readonly PolicyField<S>[] {
  return Object.keys(POLICY_FIELDS[section]) as PolicyField<S>[];
}

/** Returns the section's values after a change. Null removes a value, and undefined leaves it. */
export function mergePolicyChanges<S extends PolicySection>(
  section: S,
  before: PolicyValues<S> | undefined,
  changes: PolicyValueChanges<S> | undefined,
): PolicyValues<S> {
  const values = listPolicyFields(section).map((field) => {
    const changed = changes?.[field];
    return [field, changed === undefined ? before?.[field] : changed] as const;
  });
  return Object.fromEntries(values.filter(([, value]) => value != null)) as PolicyValues<S>;
}

function mapPolicyFields(
  section: PolicySection,
  map: (schema: v.GenericSchema) => v.GenericSchema,
  omitted: readonly string[],
): Record<string, v.GenericSchema> {
  const fields = Object.entries<v.GenericSchema>(POLICY_FIELDS[section]).filter(([name]) => !omitted.includes(name));
  return Object.fromEntries(fields.map(([name, schema]) => [name, map(schema)]));
}

/** Returns a schema for values that were checked when they were stored. */
function withoutChecks(schema: v.GenericSchema): v.GenericSchema {
  return schema.type === "string" ? v.string() : schema;
}
