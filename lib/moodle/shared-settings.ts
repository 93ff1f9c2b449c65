/** Names the settings of Moodle that a hub can share. seed.php sets them, and usage.php compares them. */
import type { PolicyField } from "#lib/model/policy.ts";

/** The names of the settings in Moodle's table mdl_config. */
export const MOODLE_SETTINGS: Readonly<Record<PolicyField<"settings">, string>> = {
  language: "lang",
  timeZone: "timezone",
  guestAccess: "guestloginbutton",
  forcedLogin: "forcelogin",
  uploadLimit: "maxbytes",
  supportName: "supportname",
  supportEmail: "supportemail",
  supportPage: "supportpage",
};

/** Returns the value as text, as Moodle stores it. The upload limit is in MiB here, and in bytes there. */
export function toMoodleText(value: string | boolean | number): string {
  if (typeof value === "number") return String(value * 2 ** 20);
  return typeof value === "boolean" ? String(Number(value)) : value;
}

/** Returns the fields of a policy for these settings. Leaves out settings that no policy has. */
export function toPolicyFields(settings: readonly string[]): readonly PolicyField<"settings">[] {
  const fields = Object.keys(MOODLE_SETTINGS) as PolicyField<"settings">[];
  return fields.filter((field) => settings.includes(MOODLE_SETTINGS[field]));
}
