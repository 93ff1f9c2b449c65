/** Computes what a site shares with its hub: the hub's policy, with the values that the site overrides. Pure. */
import { isDeepStrictEqual } from "node:util";
import {
  type BrandTheme,
  type HubPolicy,
  listPolicyFields,
  POLICY_SECTIONS,
  type PolicyField,
  type PolicySection,
  type PolicyValues,
  type SpokePolicy,
} from "#lib/model/policy.ts";
import type { SharedInputs } from "#lib/moodle/inputs.ts";

type ThemeFinder = (brand: string) => BrandTheme | null;

/** The values of a spoke on which its shared settings depend. */
export interface SharingSpoke {
  readonly brand: string | null;
  readonly policy: SpokePolicy | null;
}

/**
 * Returns what the site should have of its hub's policy. `current` is what it has. A section from which the spoke is
 * excluded stays as it is.
 */
export function computeSharedInputs(
  hub: HubPolicy | null,
  spoke: SharingSpoke,
  current: SharedInputs | undefined,
  themeOf: ThemeFinder,
): SharedInputs | undefined {
  const excluded = spoke.policy?.excluded ?? [], { settings, brand } = hub ?? {};
  const shared: SharedInputs = {
    ...(excluded.includes("settings") || !settings
      ? current?.settings && { settings: current.settings }
      : { settings: { version: settings.version, values: mergePolicyValues("settings", hub, spoke) } }),
    ...(excluded.includes("brand") || !brand
      ? current?.brand && { brand: current.brand }
      : { brand: { version: brand.version, theme: computeTheme(hub, spoke, themeOf) } }),
  };
  return shared.settings || shared.brand ? shared : undefined;
}

/** Returns the values that apply to the spoke: the hub's, and those of the spoke that the hub allows. */
export function mergePolicyValues<S extends PolicySection>(
  section: S,
  hub: HubPolicy | null,
  spoke: SharingSpoke,
): PolicyValues<S> {
  return { ...hub?.[section]?.values, ...listOverrides(section, hub, spoke) } as PolicyValues<S>;
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

/** Returns the sections whose values differ. Versions do not matter, nor does what was skipped. */
export function listChangedSections(
  before: SharedInputs | undefined,
  after: SharedInputs | undefined,
): readonly PolicySection[] {
  const changesSettings = !isDeepStrictEqual(before?.settings?.values ?? {}, after?.settings?.values ?? {});
  const changesBrand = !isDeepStrictEqual(before?.brand?.theme ?? null, after?.brand?.theme ?? null);
  return [...(changesSettings ? ["settings" as const] : []), ...(changesBrand ? ["brand" as const] : [])];
}

/** Returns the sections in which the site has an older version than its hub, except those from which it is excluded. */
export function listOutdatedSections(
  hub: HubPolicy | null,
  spoke: SpokePolicy | null,
  current: SharedInputs | undefined,
): readonly PolicySection[] {
  return POLICY_SECTIONS.filter((section) => {
    const newest = hub?.[section];
    return newest !== undefined && !spoke?.excluded?.includes(section) &&
      current?.[section]?.version !== newest.version;
  });
}

/** The beginnings of the lines with which seed.php reports parts of a section that it left out. */
const SKIPPED_PARTS = { settings: "the setting ", brand: "the logo" } as const;

/** Returns the shared values with the parts that seed.php could not set on the site. */
export function addSkippedParts(shared: SharedInputs, skipped: readonly string[]): SharedInputs {
  const of = (section: PolicySection) => skipped.filter((line) => line.startsWith(SKIPPED_PARTS[section]));
  const { settings, brand } = shared;
  return {
    ...(settings && { settings: { ...settings, ...(of("settings").length > 0 && { skipped: of("settings") }) } }),
    ...(brand && { brand: { ...brand, ...(of("brand").length > 0 && { skipped: of("brand") }) } }),
  };
}
