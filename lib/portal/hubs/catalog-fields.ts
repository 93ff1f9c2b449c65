/** Renders form fields for catalog values: a select if the catalog lists the values, otherwise a text field. */
import type { Markup } from "#lib/http/page.ts";
import { inputField, type RefusedSubmission, selectField } from "#lib/portal/components/forms.ts";
import { humanize } from "#lib/portal/components/parts.ts";
import type { CatalogOffer, Hub, HubRequest } from "#lib/portal/components/api-types.ts";

type CatalogList = "regions" | "tiers" | "modes" | "contentModes" | "brands" | "seeds";

interface CatalogFieldProps {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  /** The current value of the field. Users can change this value, but not clear the field. */
  readonly value?: string | null;
  /** The label of the empty option, which selects no value. */
  readonly nothing?: string;
  readonly submission?: RefusedSubmission | undefined;
}

/** Returns a form field for one list in the catalog, or an empty string if that list has no values. */
export function catalogField(
  catalog: CatalogOffer,
  listed: CatalogList,
  { name, label, hint = "", value = null, nothing = "None", submission }: CatalogFieldProps,
): Markup | string {
  if (catalog.open.includes(listed)) return inputField({ name, label, hint, value, submission, maxLength: 100 });
  const entries = catalog[listed];
  if (entries.length === 0 && value === null) return "";
  const options = entries.map((publicForm) => [publicForm.name, catalogEntryTitle(publicForm)] as const);
  const former = value !== null && !entries.some((publicForm) => publicForm.name === value);
  const first = value === null ? ["", nothing] as const : [value, `${value} (no longer offered)`] as const;
  return selectField({
    name,
    label,
    hint,
    value,
    submission,
    options: value === null || former ? [first, ...options] : options,
  });
}

export function catalogEntryTitle({ name, title }: { readonly name: string; readonly title: string | null }): string {
  return title ?? humanize(name);
}

type Described = Pick<Hub | HubRequest, "slug" | "name" | "region" | "mode" | "tier">;

interface HubFields {
  readonly catalog: CatalogOffer;
  /** The hub's current values or, for a request to create a hub, the requested values. */
  readonly hub?: Described;
  /** Whether the user can choose the slug. The slug of an existing hub is fixed. */
  readonly slug: "chosen" | "fixed";
  readonly submission?: RefusedSubmission | undefined;
}

export function hubFields({ catalog, hub, slug, submission }: HubFields): readonly (Markup | string)[] {
  const { name = "", region = null, mode = null, tier = null } = hub ?? {};
  return [
    inputField({
      name: "name",
      label: "Name",
      value: name,
      hint: slug === "chosen" ? "The name that users see. Defaults to the slug." : "The name that users see.",
      required: slug === "fixed",
      submission,
      maxLength: 200,
    }),
    slug === "fixed" ? "" : inputField({
      name: "slug",
      label: "Slug",
      value: hub?.slug,
      hint: "Lowercase letters, digits and hyphens. Used in addresses and commands. You cannot change the slug later.",
      required: true,
      placeholder: "northern-schools",
      submission,
      maxLength: 63,
    }),
    catalogField(catalog, "regions", {
      name: "region",
      label: "Region",
      hint: "The default region for the hub's spokes.",
      value: region,
      nothing: "Any",
      submission,
    }),
    catalogField(catalog, "tiers", { name: "tier", label: "Tier", value: tier, submission }),
    catalogField(catalog, "modes", { name: "mode", label: "Mode", value: mode, submission }),
  ];
}
