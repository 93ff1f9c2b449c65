/** Computes the placeholder values for a site's seed (initial content) from the spoke's inputs and hub's settings. */
import * as v from "valibot";
import { type KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { BrandTheme, listPolicyFields, type PolicyValues } from "#lib/model/policy.ts";
import { SeedCourse, type SpokeInputs } from "#lib/moodle/inputs.ts";
import {
  buildSignOnValues,
  type HubIdentity,
  listSignOnNotes,
  readClientSecrets,
  readIdentity,
} from "#lib/moodle/sign-on.ts";
import { findMailSettings, type SEED_PLACEHOLDERS } from "#lib/moodle/values.ts";

/** The settings that a hub's namespace contains for its spokes. A missing or incomplete setting is null. */
export interface HubSettings {
  readonly identity: HubIdentity | null;
  /** The client secrets and registration tokens that versions of the hub's policy name, by name. */
  readonly clientSecrets: Readonly<Record<string, string>>;
  readonly courses: readonly SeedCourse[] | null;
  /** Whether the hub's policy lists courses, which the site gets after its installation. */
  readonly hasPublishedCourses?: boolean;
  readonly brand: BrandTheme | null;
  /** A sentence for each setting that cannot be used. */
  readonly problems: readonly string[];
}

/** The settings for a hub whose namespace contains no configuration. */
export const NO_HUB_SETTINGS: HubSettings = {
  identity: null,
  clientSecrets: {},
  courses: null,
  brand: null,
  problems: [],
};

export type SeedPart = "title" | "administrator" | "brand" | "settings" | "keys" | "sign-on" | "courses";
const SITE_DETAIL_SEED_PARTS: readonly SeedPart[] = ["title", "administrator", "brand", "settings"];

/** Returns the parts to set again in a site whose data is older than its settings. */
export function listSiteDetailSeedParts({ shared }: Pick<SpokeInputs, "shared">): readonly SeedPart[] {
  return [...SITE_DETAIL_SEED_PARTS, ...(shared?.signIn ? ["sign-on" as const] : [])];
}

/** The objects in a hub's namespace that must be passed to `readHubSettings`. */
export const HUB_SETTINGS_OBJECTS = [
  { apiVersion: "v1", kind: "ConfigMap", name: "identity" },
  { apiVersion: "v1", kind: "Secret", name: "identity" },
  { apiVersion: "v1", kind: "ConfigMap", name: "content" },
  { apiVersion: "v1", kind: "ConfigMap", name: "brand" },
] as const;

export function readHubSettings(objects: readonly (KubeObject | null)[]): HubSettings {
  const problems: string[] = [];
  const room = (kind: string, name: string): Record<string, string> => {
    const match = objects.find((object) => object?.kind === kind && object.metadata.name === name);
    const data = Object.entries<string>(match?.["data"] ?? {});
    return Object.fromEntries(kind === "Secret" ? data.map(([key, value]) => [key, fromBase64(value)]) : data);
  };
  const secret = room("Secret", "identity");
  return {
    identity: readIdentity(room("ConfigMap", "identity"), secret, problems),
    clientSecrets: readClientSecrets(secret),
    courses: readCourses(room("ConfigMap", "content")["courses"], problems),
    brand: readBrand(room("ConfigMap", "brand"), problems),
    problems,
  };
}

export const NO_MAIL_RELAY_NOTE = "The site sends no email, because no mail relay is configured";

/** Returns a sentence for each setting that was skipped, and for each reason why the site sends no email. */
export function listSeedNotes(inputs: SpokeInputs, hub: HubSettings): string[] {
  const brand = inputs.brand;
  return [
    ...hub.problems,
    ...listSignOnNotes(inputs, hub),
    ...(inputs.content && !hub.courses && !hub.hasPublishedCourses
      ? ["Shared content was skipped, because the hub has no shared content"]
      : []),
    ...(brand && !findBrandTheme(inputs, hub)
      ? [`The brand ${brand.name} was skipped, because it is not configured`]
      : []),
    ...(inputs.seed && !inputs.seed.courses
      ? [`The seed ${inputs.seed.name} was skipped, because it is not configured`]
      : []),
    ...(inputs.mail ? [] : [NO_MAIL_RELAY_NOTE]),
    ...(inputs.mailHeld ? ["The site sends no email until an administrator allows it"] : []),
  ];
}

/** The settings of the spoke that is being copied, named as in its database row. */
interface OriginalSettings {
  readonly brand: string | null;
  readonly seed: string | null;
  readonly identity: boolean;
  readonly content: boolean;
  readonly federationId: string;
}

/** Returns what to set in a copied spoke: inputs, and parts of the seed (initial content). It keeps the rest. */
export function computeCopiedSpokeChanges(
  inputs: SpokeInputs,
  original: OriginalSettings,
): { readonly inputs: SpokeInputs; readonly parts: readonly SeedPart[] } {
  const { brand, seed } = inputs, isElsewhere = inputs.federationId !== original.federationId;
  const isRebranded = brand !== null && (isElsewhere || brand.name !== original.brand);
  const changed = {
    ...inputs,
    brand: isRebranded ? brand : null,
    seed: seed?.name === original.seed ? null : seed,
    identity: inputs.identity && (isElsewhere || !original.identity),
    content: inputs.content && (isElsewhere || !original.content),
  };
  return {
    inputs: changed,
    parts: [
      ...["title", "administrator"] as const,
      ...(isRebranded ? ["brand" as const] : []),
      "keys",
      ...(changed.identity || inputs.shared?.signIn ? ["sign-on" as const] : []),
      "courses",
    ],
  };
}

/** Returns the theme that the hub's policy or the spoke's brand sets; null if neither sets a theme. */
export function findBrandTheme({ brand, shared }: SpokeInputs, hub: HubSettings): BrandTheme | null {
  return shared?.brand?.theme ?? (brand ? brand.theme ?? hub.brand : null);
}

/** Returns the placeholder values for the seed (initial content). `changes` lists the parts to set; null sets all. */
export function buildSeedValues(
  inputs: SpokeInputs,
  hub: HubSettings,
  changes: readonly SeedPart[] | null,
): Record<(typeof SEED_PLACEHOLDERS)[number], string | null> {
  const theme = findBrandTheme(inputs, hub);
  const courses = [...(inputs.seed?.courses ?? []), ...(inputs.content ? hub.courses ?? [] : [])];
  return {
    SEED_SCRIPT: null, // blueprint.ts adds these four files
    COURSES_SCRIPT: null,
    SIGN_ON_SCRIPT: null,
    CLIENT_SCRIPT: null,
    CHANGES: changes && (changes.join(" ") || "nothing"), // an empty value would mean all parts
    TITLE: inputs.displayName,
    ADMIN_EMAIL: inputs.adminEmail,
    MAIL: findMailSettings(inputs) ? "on" : "off",
    BRAND_COLOR: theme?.color ?? null,
    BRAND_SCSS: theme?.scss ?? null,
    BRAND_LOGO: theme?.logo ? JSON.stringify(theme.logo) : null,
    SETTINGS: inputs.shared?.settings ? JSON.stringify(listSettingValues(inputs.shared.settings.values)) : null,
    COURSES: courses.length > 0 ? JSON.stringify(courses) : null,
    ...buildSignOnValues(inputs, hub, changes),
  };
}

/** Returns all settings that a hub can share. Null returns a setting to the value that it had before. */
function listSettingValues(values: PolicyValues<"settings">): Readonly<Record<string, unknown>> {
  return Object.fromEntries(listPolicyFields("settings").map((field) => [field, values[field] ?? null]));
}

function readCourses(settings: string | undefined, problems: string[]): readonly SeedCourse[] | null {
  if (settings === undefined) return null;
  const result = v.safeParse(v.pipe(v.string(), v.parseJson(), v.array(SeedCourse)), settings);
  if (result.success) return result.output;
  const issue = result.issues[0];
  problems.push(`The hub's shared content cannot be used: courses ${v.getDotPath(issue) ?? ""} ${issue.message}`);
  return null;
}

function readBrand(room: Record<string, string>, problems: string[]): BrandTheme | null {
  if (Object.keys(room).length === 0) return null;
  const { logo, ...plain } = room;
  const result = v.safeParse(v.object(BrandTheme.entries), { ...plain, ...(logo && { logo: readJson(logo) }) });
  if (result.success) return result.output;
  const issue = result.issues[0];
  problems.push(`The hub's brand cannot be used: ${v.getDotPath(issue) ?? ""} ${issue.message}`);
  return null;
}

function readJson(settings: string): unknown {
  try {
    return JSON.parse(settings);
  } catch {
    return settings; // the schema rejects a string
  }
}

function fromBase64(encoded: string): string {
  return new TextDecoder().decode(Uint8Array.from(atob(encoded), (letter) => letter.charCodeAt(0)));
}
