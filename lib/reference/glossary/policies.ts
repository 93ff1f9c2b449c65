/** Describes the API fields of what a hub shares with its spokes. */
import { POLICY_SECTIONS } from "#lib/model/policy.ts";
import { COURSE_FIELD_ENTRIES } from "#lib/reference/glossary/courses.ts";
import { EXAMPLE_IDS, type GlossaryEntriesByField } from "#lib/reference/glossary/entry.ts";

const AUTHOR = "ada@school.example", CHANGED_AT = "2026-11-21T12:00:00.000Z";

const SETTINGS: GlossaryEntriesByField = {
  language: ["The default language", "de"],
  timeZone: ["The default time zone", "Europe/Berlin"],
  guestAccess: ["Whether the login page lets guests in", false],
  forcedLogin: ["Whether visitors must sign in to see the front page", true],
  uploadLimit: ["The maximum size of an uploaded file, in MiB", 50],
  supportName: ["The name of the support contact", "Help desk"],
  supportEmail: ["The email address of the support contact", "help@school.example"],
  supportPage: ["The address of the support page", "https://school.example/help"],
};
const BRAND: GlossaryEntriesByField = {
  preset: ["The name of a brand in the catalog", "ocean"],
  color: ["The colour of links and buttons", "#aa0044"],
  logo: ["The logo, a PNG or JPEG file on the web", null],
  scss: ["Additional styles for Moodle's theme", null],
};

const SIGN_IN: GlossaryEntriesByField = {
  issuer: [
    "The issuer of the OpenID Connect provider",
    "https://login.school.example",
  ],
  clientId: ["The client ID at the provider", "moodle"],
  clientSecret: [
    "The client secret; in answers its name in the hub's Kubernetes Secret",
    "client-secret-1763726400000-9f2c4e1b7a6d5c3e8f0a1b2c3d4e5f60",
  ],
  registrationToken: [
    "The initial access token with which each site registers its own client; in answers its name, like clientSecret",
    null,
  ],
  scopes: ["The scopes to request; openid profile email if not set", "openid profile email"],
  label: ["The text of the button on the login page", "School account"],
  loginPage: [
    "Whether login pages lead straight to the provider, except /login/index.php?loginredirect=0",
    "button",
  ],
  domains: ["The email domains that may sign in; all if not set", ["school.example"]],
  confirmation: ["Whether people confirm by email before they join an existing account", false],
};

const RELEASE = "crs_06fj2d1m7q4w9z2xbc8v5n3t1y@2";
const COURSES: GlossaryEntriesByField = { releases: ["The courses, each as its ID, @ and a version", [RELEASE]] };
const ADDONS: GlossaryEntriesByField = {
  components: ["Add-ons of the catalog", [
    "mod_attendance",
  ]],
};

const EXAMPLE_SETTINGS = { language: "de", timeZone: "Europe/Berlin" };

export const POLICY_FIELD_ENTRIES: GlossaryEntriesByField = {
  ...describeValues("settings", SETTINGS),
  ...describeValues("brand", BRAND),
  ...describeValues("signIn", SIGN_IN),
  ...describeValues("courses", COURSES),
  ...COURSE_FIELD_ENTRIES,
  ...describeValues("addons", ADDONS),
  "logo.url": ["The address of the file", "https://school.example/logo.png"],
  "logo.sha256": ["The SHA-256 hash of the file", "9f2c4e1b7a6d5c3e8f0a1b2c3d4e5f60718293a4b5c6d7e8f901a2b3c4d5e6f7"],
  "Policy.settings | SpokePolicy.settings": "The sites' language, time zone, access and support contact",
  "Policy.brand | SpokePolicy.brand": "The sites' colour, logo and styles",
  "Policy.signIn | SpokePolicy.signIn": "The identity provider with which people sign in",
  "Policy.courses | SpokePolicy.courses": "The courses that the sites get",
  "Policy.addons | SpokePolicy.addons": "The add-ons that Wheelwright installs on the sites",
  "Policy.redirectUris": [
    "The addresses to register at the identity provider, one for each spoke; none if sites register themselves",
    ["https://ash.school.example/admin/oauth2callback.php"],
  ],
  "Policy.spokes": "The number of spokes in each state, by section",
  "Policy.rollout": "The newest rollout that brings this to the spokes; null if none was necessary",
  "rollout.id": ["The rollout's ID", "rol_06fj2d0k3v8n5t1y7q4w9z2xbm"],
  "rollout.state": ["The rollout's state", "completed"],
  "rollout.reason": ["Why the rollout was paused or aborted", null],
  [each("version", ["addons"])]: [
    "The version. If nothing was ever shared: 0 in a hub, null in a spoke",
    3,
  ],
  [each("values")]: "The values; null if left to the sites",
  [`${each("overridable")} | PolicyVersion.overridable`]: [
    "The fields that spokes may override",
    ["language"],
  ],
  [`${each("changedAt")} | PolicyVersion.changedAt`]: [
    "When the version was made",
    CHANGED_AT,
  ],
  [`${each("changedBy")} | PolicyVersion.changedBy`]: [
    "The user who made the version",
    AUTHOR,
  ],
  [POLICY_SECTIONS.map((section) => `spokes.${section}`).join(" | ")]:
    "The number of spokes in each state of the section",
  "SectionCounts.in_sync": ["Spokes that have the newest version", 18],
  "SectionCounts.behind": ["Spokes that have an older version, or none", 1],
  "SectionCounts.differs": [
    "Spokes with values of their own, or that could not set a value",
    1,
  ],
  "SectionCounts.excluded": ["Spokes that an admin of the hub has excluded", 0],
  "PolicyPatch.": ["", { settings: EXAMPLE_SETTINGS, ifVersion: { settings: 3 } }],
  "PolicyPatch.settings | SpokePolicyPatch.settings": [
    "The settings to change. Null removes a value",
    EXAMPLE_SETTINGS,
  ],
  "PolicyPatch.brand | SpokePolicyPatch.brand": ["The parts of the brand to change. Null removes a value", {
    color: "#aa0044",
  }],
  "PolicyPatch.signIn": ["The parts of the sign-in to change. Null removes a value", {
    issuer: "https://login.school.example",
  }],
  "PolicyPatch.courses": ["The courses that the sites get, in these versions", { releases: [RELEASE] }],
  "SpokePolicyPatch.courses": ["The versions that a site with the content mode pull takes", { releases: [RELEASE] }],
  "PolicyPatch.addons | SpokePolicyPatch.addons": ["The add-ons", {
    components: ["mod_attendance"],
  }],
  "PolicyPatch.overridable": ["The fields that spokes may override, by section", { settings: ["language"] }],
  "overridable.settings": ["The names of settings", ["language"]],
  "overridable.brand": ["The names of parts of the brand", ["preset"]],
  "overridable.addons": ["The name of the list", ["components"]],
  "PolicyPatch.ifVersion": [
    "The versions that the change is based on. If a section has another version by now, nothing changes",
    { settings: 3 },
  ],
  [POLICY_SECTIONS.map((section) => `ifVersion.${section}`).join(" | ")]: ["The version of the section", 3],
  "PolicyRollback.section | PolicyVersion.section": ["The section of the policy", "settings"],
  "PolicyRollback.version": ["The version whose values become the newest version", 2],
  "PolicyVersion.version": ["The version's number", 2],
  "PolicyVersion.values": ["The values of this version", EXAMPLE_SETTINGS],
  "PolicyPreview.changes": "The values that the change replaces",
  "changes.section": ["The section of the policy", "settings"],
  "PolicyPreview.downtime": ["Whether sites become unavailable, for about a minute", false],
  "PolicyPreview.counts": "The number of spokes, by what they get of the change",
  "PolicyPreview.spokes": "The first 50 spokes by slug",
  "PolicyPreview.more": ["The number of spokes that are not listed", 0],
  "PolicyPreview.notes": ["What else to know, one sentence each", ["Nothing changes"]],
  "counts.changes": ["Spokes that get the change now", 18],
  "counts.later": ["Spokes that are not running, and get the change as soon as they are active", 1],
  "counts.overridden": ["Spokes that keep their own values", 1],
  "counts.excluded": ["Spokes that an admin of the hub has excluded", 0],
  "spokes.effect": ["What the spoke gets of the change", "changes"],
  "SignInCheck.issuer": ["The issuer that was checked", "https://login.school.example"],
  "SignInCheck.problem": ["Why the site cannot use the provider; null if it can", null],
  "SignInCheck.spokeId": [
    "The spoke whose site has read the provider's discovery document and keys",
    EXAMPLE_IDS.spoke,
  ],
  "SignInCheckRequest.": ["", { issuer: "https://login.school.example" }],
  "SignInCheckRequest.issuer": ["The issuer to check; the hub's own if absent", "https://login.school.example"],
  "SignInCheckRequest.registers": [
    "Whether the provider must register clients; by default, if the hub has a registration token",
    true,
  ],
  "SpokePolicy.spokeId": ["The spoke's ID", EXAMPLE_IDS.spoke],
  [each("state")]: ["Whether the site has what the hub shares", "in_sync"],
  [each("reasons")]: ["Why the site is not in sync, one sentence each", []],
  [each("hubVersion")]: [
    "The hub's newest version, or 0",
    3,
  ],
  [each("overrides")]: "The site's own values, while allowed",
  [each("overriddenAt")]: ["When these last changed", null],
  [each("overriddenBy")]: [
    "The user who last changed these",
    null,
  ],
  "SpokePolicyPatch.": ["", { settings: { language: "fr" } }],
  "SpokePolicy.excluded": ["The sections from which an admin of the hub has excluded the spoke", []],
  "SpokePolicyPatch.excluded": ["The sections from which the spoke is excluded. Only hub admins can set them", []],
};

/** Returns the entries of a section's values, of the changes to them, and of a spoke's own values. */
function describeValues(section: string, entries: GlossaryEntriesByField): GlossaryEntriesByField {
  const owners = ["values", "overrides", section];
  return Object.fromEntries(
    Object.entries(entries).map(([name, entry]) => [owners.map((owner) => `${owner}.${name}`).join(" | "), entry]),
  );
}

/** Returns the names of a field that each section has. The section `addons` shares some names with lists of add-ons. */
function each(field: string, except: readonly string[] = []): string {
  return POLICY_SECTIONS.filter((section) => !except.includes(section)).map((section) => `${section}.${field}`).join(
    " | ",
  );
}
