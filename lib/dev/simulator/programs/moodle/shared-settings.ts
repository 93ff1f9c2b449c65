/** Simulates the part of seed.php that sets what a hub shares, and returns a setting to its former value afterwards. */
import { MOODLE_SETTINGS, toMoodleText } from "#lib/moodle/shared-settings.ts";
import type { SiteDatabase } from "#lib/dev/simulator/programs/moodle/site.ts";

type Config = NonNullable<SiteDatabase["config"]>;

/** A language without a pack, so that its installation fails. */
const MISSING_LANGUAGE = "xx";

/** Returns the rows of mdl_config that change. An empty text stands for a setting without a former value. */
export function changeSharedSettings(before: SiteDatabase["config"], json: string): Config {
  const settings: Readonly<Record<string, string | boolean | number | null>> = JSON.parse(json),
    changed: Record<string, string> = {};
  for (const [name, key] of Object.entries(MOODLE_SETTINGS)) {
    const value = settings[name] ?? null, former = before?.[`former_${key}`], shared = before?.[`shared_${key}`];
    if (value === null) {
      if (shared && before?.[key] === shared) changed[key] = former ?? "";
      if (shared) changed[`shared_${key}`] = "";
    } else if (value !== MISSING_LANGUAGE) {
      const text = toMoodleText(value);
      if (!shared) changed[`former_${key}`] = before?.[key] ?? "";
      Object.assign(changed, { [key]: text, [`shared_${key}`]: text });
    }
  }
  return changed;
}

/** Returns the settings whose value differs from what the hub shares. */
export function listChangedSettings(config: SiteDatabase["config"] = {}): string[] {
  return Object.values(MOODLE_SETTINGS).filter((key) =>
    config[`shared_${key}`] && config[key] !== config[`shared_${key}`]
  );
}

/** Returns the lines that the script prints. */
export function listSharedSettingLines(json: string): string[] {
  const { language }: { readonly language: string | null } = JSON.parse(json);
  return [
    ...(language === MISSING_LANGUAGE
      ? [`left out: the setting language: the site cannot install the language pack ${language}`]
      : []),
    "shared settings set",
  ];
}
