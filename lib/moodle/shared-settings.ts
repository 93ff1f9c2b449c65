/** Names the settings of Moodle that a hub can share. seed.php sets them, and usage.php compares them. */
import type { PolicyField } from "#lib/model/policy.ts";

/** The names of the settings in Moodle's table mdl_config. */
export const MOODLE_SETTINGS: Readonly<Record<PolicyField<"settings">, string>> = {
  language: "lang",
  timeZone: "timezone",
  guestAccess: "guestloginbutton",
  forcedLogin: "forcelogin",
  supportName: "supportname",
  supportEmail: "supportemail",
  supportPage: "supportpage",
};

/** Returns the fields of a policy for these settings. Leaves out settings that no policy has. */
export function toPolicyFields(settings: readonly string[]): readonly PolicyField<"settings">[] {
  const fields = Object.keys(MOODLE_SETTINGS) as PolicyField<"settings">[];
  return fields.filter((field) => settings.includes(MOODLE_SETTINGS[field]));
}
