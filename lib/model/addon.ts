/** Declares the name of an add-on: a Moodle plugin that is not part of Moodle. */
import * as v from "valibot";

const MESSAGE = "must be the component of a plugin, such as mod_attendance";
/** The type and the name of a plugin, which Moodle calls its component. The column in Moodle's database has 100 characters. */
export const AddonComponent = v.pipe(
  v.string(MESSAGE),
  v.regex(/^[a-z][a-z0-9]{0,30}_[a-z0-9_]{1,68}$/, MESSAGE),
);

/** A version of an add-on that a site should have, with the file to download. */
export interface WantedAddon {
  readonly component: string;
  readonly version: number;
  readonly source: { readonly url: string; readonly sha256: string };
}

/** An add-on as a site reports it. */
export interface InstalledAddon {
  /** The component, such as `mod_attendance`. */
  readonly component: string;
  /** The version as Moodle's number, such as 2024101100. */
  readonly version: number;
  readonly enabled: boolean;
}
