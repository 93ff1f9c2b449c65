/** Fields whose values the catalogue may list: a list to choose from, or a field for any text where it lists nothing. */
import type { Markup } from "#lib/http/page.ts";
import { choice, field, type Tried } from "#lib/portal/components/forms.ts";
import { titled } from "#lib/portal/components/parts.ts";
import type { Hub, HubRequest, Offers } from "#lib/portal/components/told.ts";

type Listed = "regions" | "tiers" | "modes" | "contentModes" | "brands" | "seeds";

interface OfferedField {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  /** What it is now; it can be kept, but not taken back. */
  readonly value?: string | null;
  /** What choosing nothing means. */
  readonly nothing?: string;
  readonly tried?: Tried | undefined;
}

/** Nothing where the catalogue leaves no choice. */
export function offered(
  offers: Offers,
  listed: Listed,
  { name, label, hint = "", value = null, nothing = "None", tried }: OfferedField,
): Markup | string {
  if (offers.open.includes(listed)) return field({ name, label, hint, value, tried, most: 100 });
  const entries = offers[listed];
  if (entries.length === 0 && value === null) return "";
  const options = entries.map((entry) => [entry.name, offerTitle(entry)] as const);
  const former = value !== null && !entries.some((entry) => entry.name === value);
  const first = value === null ? ["", nothing] as const : [value, `${value} (not offered any more)`] as const;
  return choice({ name, label, hint, value, tried, options: value === null || former ? [first, ...options] : options });
}

export function offerTitle({ name, title }: { readonly name: string; readonly title: string | null }): string {
  return title ?? titled(name);
}

type Described = Pick<Hub | HubRequest, "slug" | "name" | "region" | "mode" | "tier">;

interface HubFields {
  readonly offers: Offers;
  /** The hub as it is, or as it was asked for. */
  readonly hub?: Described;
  /** Whether its slug can be chosen: it is for good once the hub is made. */
  readonly slug: "chosen" | "fixed";
  readonly tried?: Tried | undefined;
}

/** What is said of a hub. */
export function hubFields({ offers, hub, slug, tried }: HubFields): readonly (Markup | string)[] {
  const { name = "", region = null, mode = null, tier = null } = hub ?? {};
  return [
    field({
      name: "name",
      label: "Name",
      value: name,
      hint: slug === "chosen" ? "What people read. The slug, where you leave it empty." : "What people read.",
      required: slug === "fixed",
      tried,
      most: 200,
    }),
    slug === "fixed" ? "" : field({
      name: "slug",
      label: "Slug",
      value: hub?.slug,
      hint: "Lower-case letters, digits and hyphens. It stands in addresses and commands, and stays for good.",
      required: true,
      placeholder: "northern-schools",
      tried,
      most: 63,
    }),
    offered(offers, "regions", {
      name: "region",
      label: "Region",
      hint: "Where its spokes run, unless one says otherwise.",
      value: region,
      nothing: "Anywhere",
      tried,
    }),
    offered(offers, "tiers", { name: "tier", label: "Tier", value: tier, tried }),
    offered(offers, "modes", { name: "mode", label: "Mode", value: mode, tried }),
  ];
}
