/** The words of the page that shows and changes what a hub shares with its spokes. */
import type { AnyPolicyField, PolicySection } from "#lib/model/policy.ts";
import type { CatalogOffer, HubPolicyView } from "#lib/portal/components/api-types.ts";

/** The words for each field: its label, and a hint. */
export const FIELD_WORDS: Readonly<Record<AnyPolicyField, readonly [label: string, hint?: string]>> = {
  language: ["Language", "The code of a Moodle language pack, such as de. Sites install the pack themselves."],
  timeZone: ["Time zone", "For example Europe/Berlin."],
  guestAccess: ["Guest access", "Whether the login page has a button for guests."],
  forcedLogin: ["Sign-in required", "Whether visitors must sign in before they see the front page."],
  uploadLimit: ["Upload limit", "The maximum size of a file, in MiB: 1 to 100."],
  supportName: ["Support contact"],
  supportEmail: ["Support email"],
  supportPage: ["Support page", "An address that begins with https://."],
  preset: ["Brand from the catalog"],
  color: ["Colour", "For example #aa0044."],
  logo: ["Logo", "The address of a PNG or JPEG file, then # and the file's SHA-256."],
  issuer: [
    "Address of the provider",
    "The issuer, such as https://login.school.example. Sites read the rest from there.",
  ],
  clientId: ["Client ID", "The provider shows it when you register the sites."],
  clientSecret: ["Client secret", "Stored in the cluster only, and never shown."],
  registrationToken: [
    "Registration token",
    "If the provider registers clients (RFC 7591): each site then has its own, and the hub's client is not used.",
  ],
  scopes: ["Scopes", "If empty: openid profile email."],
  label: ["Text of the button", "Shown on the login page of each site."],
  loginPage: [
    "Login page",
    "If it leads to the provider, local administrators sign in at the site's /login/index.php?loginredirect=0.",
  ],
  domains: ["Email domains", "Who may sign in, such as school.example, *.school.example. If empty: everybody."],
  confirmation: ["Confirm by email", "Whether people confirm before they join an account that the site already has."],
  releases: ["Courses"],
  components: ["Add-ons", "Separated by commas, such as mod_attendance."],
  scss: ["Styles (SCSS)", "Added to Moodle's theme on each site."],
};

export const SECTION_TITLES: Readonly<Record<PolicySection, string>> = {
  settings: "Settings",
  brand: "Brand",
  signIn: "Sign-in",
  courses: "Courses",
  addons: "Add-ons",
};

/** Describes how far the last change is, if its rollout gives no reason for its state. */
export const ROLLOUT_WORDS = {
  running: "The last change is on its way to the sites",
  paused: "The last change is paused",
  completed: "The last change has reached the sites",
  aborted: "The last change was aborted",
} as const satisfies Record<NonNullable<HubPolicyView["rollout"]>["state"], string>;

/** Describes what each site gets of the change. */
export const EFFECT_WORDS = {
  changes: "Changes now",
  later: "Changes later",
  overridden: "Keeps its own values",
  excluded: "Excluded",
};

/** Returns the hint of the field for add-ons: their names in the catalog. */
export function describeAddonChoice(catalog: CatalogOffer | undefined): string {
  const components = [...new Set((catalog?.addons ?? []).map(({ component }) => component))];
  return components.length === 0
    ? "The catalog of this service lists no add-ons."
    : `Separated by commas. The catalog lists ${components.slice(0, 30).join(", ")}.`;
}
