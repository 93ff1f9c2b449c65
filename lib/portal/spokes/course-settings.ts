/** Renders the settings of a spoke that decide how its site gets the hub's courses. */
import { CONTENT_MODES, type ContentMode, readContentMode } from "#lib/model/course.ts";
import { spokeFields } from "#lib/model/spoke.ts";
import type { CatalogOffer } from "#lib/portal/components/api-types.ts";
import type { FormContent } from "#lib/portal/components/forms.ts";

const MODE_WORDS: Readonly<Record<ContentMode, string>> = {
  subscribe: "Gets each new version",
  pull: "Admins of the site take versions",
  mirror: "Keeps the first version",
};

/** Describes a content mode. A mode that means nothing works like `subscribe`. */
export function describeContentMode(mode: string | null): string {
  return MODE_WORDS[readContentMode(mode)];
}

/** Returns the choice of a content mode, among those that the catalog offers; empty if there is no choice. */
export function contentModeField({ open, contentModes }: CatalogOffer, value: string | null): FormContent {
  const current = readContentMode(value);
  const offered = CONTENT_MODES.filter((mode) =>
    mode === current || open.includes("contentModes") || contentModes.some(({ name }) => name === mode)
  );
  if (offered.length < 2) return "";
  return {
    name: "contentMode",
    label: "New versions of courses",
    hint: "How the site gets new versions of the hub's courses.",
    value: current,
    options: offered.map((mode) => [mode, MODE_WORDS[mode]]),
  };
}

/** Returns the choice whether the site uses the hub's courses or, likewise, the hub's sign-in. */
export function switchField(name: "identity" | "content", value: string | null): FormContent {
  const { label, hint } = spokeFields[name];
  return { name, label, hint: `${hint}.`, value, options: [["true", "Yes"], ["false", "No"]] };
}
