/** Computes what a site shares with its hub: the hub's policy, with the values that the site overrides. Pure. */
import { isDeepStrictEqual } from "node:util";
import { type FindAddon, forgetAddons, planAddons, withAddonsOf } from "#lib/moodle/addons.ts";
import {
  type BrandTheme,
  DEFAULT_OVERRIDABLE,
  type HubPolicy,
  listPolicyFields,
  POLICY_SECTIONS,
  type PolicyField,
  type PolicySection,
  type PolicyValues,
  type SpokePolicy,
} from "#lib/model/policy.ts";
import { parseCourseRelease, readContentMode } from "#lib/model/course.ts";
import { sharesCourses, sharesSignIn } from "#lib/model/mode.ts";
import type { SharedInputs, SpokeInputs } from "#lib/moodle/inputs.ts";

type ThemeFinder = (brand: string) => BrandTheme | null;
interface CatalogFinders {
  readonly themeOf: ThemeFinder;
  readonly findAddon: FindAddon;
}

/** The values of a hub on which the shared settings of its spokes depend. */
export interface SharingHub {
  readonly policy: HubPolicy | null;
  readonly mode: string | null;
}

/** The values of a spoke on which its shared settings depend. */
export interface SharingSpoke {
  /** Whether the site uses the hub's sign-in. */
  readonly identity: boolean;
  /** Whether the site gets the hub's courses, and how. */
  readonly content: boolean;
  readonly contentMode: string | null;
  readonly brand: string | null;
  readonly policy: SpokePolicy | null;
}

/**
 * Returns what the site should have of its hub's policy. `current` is what it has. A section from which the spoke is
 * excluded stays as it is.
 */
export function computeSharedInputs(
  { policy: hub, mode }: SharingHub,
  spoke: SharingSpoke,
  current: SharedInputs | undefined,
  { themeOf, findAddon }: CatalogFinders,
): SharedInputs | undefined {
  const excluded = spoke.policy?.excluded ?? [], { settings, brand, signIn, courses, addons } = hub ?? {};
  const shared: SharedInputs = {
    ...(excluded.includes("settings") || !settings
      ? current?.settings && { settings: current.settings }
      : { settings: { version: settings.version, values: mergePolicyValues("settings", hub, spoke) } }),
    ...(excluded.includes("brand") || !brand
      ? current?.brand && { brand: current.brand }
      : { brand: { version: brand.version, theme: computeTheme(hub, spoke, themeOf) } }),
    ...(excluded.includes("addons") || !addons
      ? current?.addons && { addons: current.addons }
      : { addons: { version: addons.version, ...planAddons(listComponents(hub, spoke), current?.addons, findAddon) } }),
    ...(excluded.includes("signIn") || !signIn ? current?.signIn && { signIn: current.signIn } : {
      signIn: { version: signIn.version, values: isSignInOn({ policy: hub, mode }, spoke) ? signIn.values : null },
    }),
    ...(excluded.includes("courses") || !courses ? current?.courses && { courses: current.courses } : {
      courses: { version: courses.version, values: computeCourses({ policy: hub, mode }, spoke, current) },
    }),
  };
  return POLICY_SECTIONS.some((section) => shared[section]) ? shared : undefined;
}

/** Whether the site should have the hub's sign-in. */
export function isSignInOn({ policy, mode }: SharingHub, { identity }: Pick<SharingSpoke, "identity">): boolean {
  return identity && sharesSignIn(mode) && policy?.signIn?.values.issuer !== undefined;
}

/** Whether the site should have courses of the hub. */
export function isContentOn(
  { policy, mode }: SharingHub,
  { content }: Pick<SharingSpoke, "content">,
): boolean {
  return content && sharesCourses(mode) && policy?.courses !== undefined;
}

/**
 * Returns the courses that the site should have; null if the hub gives it none. A subscribed site follows the hub. A
 * site that pulls has what its admins took, as long as the hub offers the course. A mirror keeps what it got first.
 */
function computeCourses(
  hub: SharingHub,
  spoke: SharingSpoke,
  current: SharedInputs | undefined,
): PolicyValues<"courses"> | null {
  if (!isContentOn(hub, spoke)) return null;
  const offered = hub.policy!.courses!.values.releases ?? [], mode = readContentMode(spoke.contentMode);
  if (mode === "mirror") return current?.courses?.values ?? { releases: offered };
  if (mode === "subscribe") return { releases: offered };
  const courses = offered.map((release) => parseCourseRelease(release).course);
  const taken = spoke.policy?.overrides?.courses?.values.releases ?? [];
  return { releases: taken.filter((release) => courses.includes(parseCourseRelease(release).course)) };
}

/** Returns the values that apply to the spoke: the hub's, and those of the spoke that the hub allows. */
export function mergePolicyValues<S extends PolicySection>(
  section: S,
  hub: HubPolicy | null,
  spoke: SharingSpoke,
): PolicyValues<S> {
  const values = { ...hub?.[section]?.values, ...listOverrides(section, hub, spoke) } as PolicyValues<S>;
  const components = section === "addons" ? listComponents(hub, spoke) : [];
  return components.length === 0 ? values : { ...values, components };
}

/** Returns the hub's add-ons and those that the spoke adds, sorted. */
export function listComponents(hub: HubPolicy | null, spoke: SharingSpoke): readonly string[] {
  const own = listOverrides("addons", hub, spoke).components ?? [];
  return [...new Set([...hub?.addons?.values.components ?? [], ...own])].sort();
}

/**
 * Returns the fields that the spoke may override. The hub does not decide this for courses: a spoke with the content mode
 * `pull` takes them itself.
 */
export function listOverridableFields<S extends PolicySection>(
  section: S,
  hub: HubPolicy | null,
  { contentMode }: Pick<SharingSpoke, "contentMode">,
): readonly PolicyField<S>[] {
  if (section === "courses") return readContentMode(contentMode) === "pull" ? listPolicyFields(section) : [];
  return (hub?.[section]?.overridable ?? DEFAULT_OVERRIDABLE[section]) as readonly PolicyField<S>[];
}

/** Returns the spoke's own values that the hub allows. The spoke's field `brand` overrides the hub's preset. */
export function listOverrides<S extends PolicySection>(
  section: S,
  hub: HubPolicy | null,
  { brand, policy }: SharingSpoke,
): PolicyValues<S> {
  const own = policy?.overrides?.[section]?.values ?? {}, allowed = hub?.[section]?.overridable ?? [];
  const values: Readonly<Record<string, unknown>> = section === "brand" && brand !== null
    ? { ...own, preset: brand }
    : own;
  const names = listPolicyFields(section).filter((name) =>
    values[name] !== undefined && (allowed as readonly PolicyField<S>[]).includes(name)
  );
  return Object.fromEntries(names.map((name) => [name, values[name]])) as PolicyValues<S>;
}

/** Returns the theme; null if neither the hub nor the spoke sets anything. A spoke's preset replaces the hub's brand. */
function computeTheme(hub: HubPolicy | null, spoke: SharingSpoke, themeOf: ThemeFinder): BrandTheme | null {
  const own = listOverrides("brand", hub, spoke);
  const { preset, ...values } = own.preset === undefined ? mergePolicyValues("brand", hub, spoke) : own;
  const theme = { ...(preset !== undefined && themeOf(preset)), ...values };
  return Object.keys(theme).length === 0 ? null : theme as BrandTheme;
}

/** Returns the sections whose values differ. Versions do not matter, nor do skipped settings and logos. */
export function listChangedSections(
  before: SharedInputs | undefined,
  after: SharedInputs | undefined,
): readonly PolicySection[] {
  const changesSettings = !isDeepStrictEqual(before?.settings?.values ?? {}, after?.settings?.values ?? {});
  const changesBrand = !isDeepStrictEqual(before?.brand?.theme ?? null, after?.brand?.theme ?? null);
  // A site whose provider did not answer tries again, also to delete the site's client.
  const changesSignIn = !isDeepStrictEqual(before?.signIn?.values ?? null, after?.signIn?.values ?? null) ||
    (before?.signIn?.skipped !== undefined && after?.signIn !== undefined);
  const releases = (shared: SharedInputs | undefined) => [...shared?.courses?.values?.releases ?? []].sort();
  // A course that could not be brought is tried again.
  const changesCourses = !isDeepStrictEqual(releases(before), releases(after)) ||
    (before?.courses?.skipped !== undefined && !!after?.courses?.values);
  return [
    ...(changesSettings ? ["settings" as const] : []),
    ...(changesBrand ? ["brand" as const] : []),
    ...(changesSignIn ? ["signIn" as const] : []),
    ...(changesCourses ? ["courses" as const] : []),
    ...(isDeepStrictEqual(before?.addons?.list ?? [], after?.addons?.list ?? []) ? [] : ["addons" as const]),
  ];
}

/**
 * Returns the sections in which the site has an older version than its hub, except those from which it is excluded, and
 * the sign-in and the courses if the site has them and should not, or the reverse.
 */
export function listOutdatedSections(
  hub: SharingHub,
  spoke: SharingSpoke,
  current: SharedInputs | undefined,
): readonly PolicySection[] {
  return POLICY_SECTIONS.filter((section) => {
    const newest = hub.policy?.[section];
    if (newest === undefined || spoke.policy?.excluded?.includes(section)) return false;
    if (section !== "signIn" && section !== "courses") return current?.[section]?.version !== newest.version;
    const has = !!current?.[section]?.values, isOn = isSectionOn(section, hub, spoke);
    return has !== isOn || (isOn && current?.[section]?.version !== newest.version);
  });
}

/** Whether the site should have a section that depends on the hub's mode and on the spoke. */
export function isSectionOn(section: "signIn" | "courses", hub: SharingHub, spoke: SharingSpoke): boolean {
  return section === "signIn" ? isSignInOn(hub, spoke) : isContentOn(hub, spoke);
}

const REDELIVERY = "the courses are brought again, because the site's data was replaced";

/**
 * Returns what a site has of its hub after its data was replaced, or was installed: the courses must be brought by the
 * next `configure`. `before` is what the site had, if anything.
 */
export function withCoursesToBring<S extends SharedInputs | undefined>(shared: S, before: SharedInputs | undefined): S {
  if (shared === undefined) return shared;
  const { courses, ...rest } = shared, had = before?.courses;
  return {
    ...rest,
    ...(had?.values
      ? { courses: { ...had, version: 0, skipped: [REDELIVERY] } }
      : courses?.values === null && { courses }),
  } as S;
}

/** The beginnings of the lines with which seed.php reports parts of a section that it left out. */
const SKIPPED_PARTS = {
  settings: "the setting ",
  brand: "the logo",
  signIn: "single sign-on",
  courses: "the course ",
} as const;

/** Returns the shared values with the parts that seed.php could not set on the site. */
export function addSkippedParts(shared: SharedInputs, skipped: readonly string[]): SharedInputs {
  const of = (section: keyof typeof SKIPPED_PARTS) => skipped.filter((line) => line.startsWith(SKIPPED_PARTS[section]));
  const { settings, brand, signIn, courses, addons } = shared;
  return {
    ...(addons && { addons }),
    ...(settings && { settings: { ...settings, ...(of("settings").length > 0 && { skipped: of("settings") }) } }),
    ...(brand && { brand: { ...brand, ...(of("brand").length > 0 && { skipped: of("brand") }) } }),
    ...(signIn && { signIn: { ...signIn, ...(of("signIn").length > 0 && { skipped: of("signIn") }) } }),
    ...(courses && { courses: { ...courses, ...(of("courses").length > 0 && { skipped: of("courses") }) } }),
  };
}

/** Returns the shared values of a new site: its volumes contain no add-ons, or those of a backup. */
export function withInstalledAddons(
  newest: SharedInputs | undefined,
  inputs: Pick<SpokeInputs, "shared">,
): SharedInputs | undefined {
  return withAddonsOf(newest, forgetAddons(inputs).shared);
}
