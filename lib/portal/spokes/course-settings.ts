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

const CONTENT_MODE_FIELD = {
  name: "contentMode",
  label: "New versions of courses",
  hint: "How the site gets new versions of the hub's courses.",
} as const;

/** Returns the choice of a content mode, among those that the catalog offers; empty if there is no choice. */
export function contentModeField(catalog: CatalogOffer, value: string | null): FormContent {
  const current = readContentMode(value), offered = listOfferedModes(catalog);
  const modes = CONTENT_MODES.filter((mode) => mode === current || offered.includes(mode));
  if (modes.length < 2) return "";
  return { ...CONTENT_MODE_FIELD, value: current, options: modes.map((mode) => [mode, MODE_WORDS[mode]]) };
}

/**
 * Returns the choice for a new site. `copied` is the label of the option that leaves the mode of the original. Empty if
 * the catalog offers no mode that means something.
 */
export function newContentModeField(catalog: CatalogOffer, copied: string | null): FormContent {
  const offered = listOfferedModes(catalog).filter((mode) => mode !== "subscribe" || copied !== null);
  if (offered.length === 0) return "";
  const options = offered.map((mode) => [mode, MODE_WORDS[mode]] as const);
  return { ...CONTENT_MODE_FIELD, options: [["", copied ?? MODE_WORDS.subscribe], ...options] };
}

function listOfferedModes({ open, contentModes }: CatalogOffer): readonly ContentMode[] {
  return CONTENT_MODES.filter((mode) =>
    open.includes("contentModes") || contentModes.some(({ name }) => name === mode)
  );
}

/** Returns the choice whether the site uses the hub's courses or, likewise, the hub's sign-in. */
export function switchField(name: "identity" | "content", value: string | null): FormContent {
  const { label, hint } = spokeFields[name];
  return { name, label, hint: `${hint}.`, value, options: [["true", "Yes"], ["false", "No"]] };
}
