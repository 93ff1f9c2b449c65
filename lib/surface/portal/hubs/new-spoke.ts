/** Where a spoke is made: the form, by the catalogue, beside what it would come to. */
import { type Markup, markup } from "#lib/surface/http/page.ts";
import { choice, field, formOf, tick } from "#lib/surface/portal/look/forms.ts";
import { linkButton, panel } from "#lib/surface/portal/look/parts.ts";
import type { Offers } from "#lib/surface/portal/look/told.ts";
import type { Me, View } from "#lib/surface/portal/look/view.ts";
import { foreseenPanel, type NewSpokeShown } from "#lib/surface/portal/hubs/foreseen.ts";
import { offered, offerTitle } from "#lib/surface/portal/hubs/offered.ts";
import { sizeChoice, sizeStyle } from "#lib/surface/portal/spokes/sizes.ts";

export function newSpokeView(shown: NewSpokeShown): View {
  const { me, hub, offers, values, tried } = shown, { defaults } = offers;
  const value = (name: string, otherwise = "") => values[name] ?? otherwise;
  return {
    title: "Add a spoke",
    section: "hubs",
    crumbs: [["Hubs", "/hubs"], [hub.name, `/hubs/${hub.id}`]],
    lead: "A spoke is one Moodle site, with a database, an address and backups of its own.",
    style: sizeStyle + STYLE,
    body: markup`<div class="two">${
      panel(
        "The site",
        formOf(
          {
            action: `/hubs/${hub.id}/spokes/new`,
            button: "Make the spoke",
            also: markup`<button class="quiet" name="preview" value="yes">Show what will be made</button>${
              linkButton(["Cancel", `/hubs/${hub.id}`])
            }`,
            previews: "foreseen",
            hidden: { key: crypto.randomUUID() },
            tried,
          },
          field({
            name: "slug",
            label: "Slug",
            value: value("slug"),
            hint: `Lower-case letters, digits and hyphens. It makes the address: slug.${offers.rootDomain}`,
            placeholder: "oak-school",
            required: true,
            most: 63,
            tried,
          }),
          field({
            name: "displayName",
            label: "Name",
            value: value("displayName"),
            hint: "What visitors read. The slug, where you leave it empty.",
            placeholder: "Oak School",
            most: 200,
            tried,
          }),
          sizeChoice({ offers, chosen: value("size", defaults.size), tried }),
          choice({
            name: "lmsVersion",
            label: "Moodle",
            value: value("lmsVersion", defaults.lmsVersion),
            options: offers.versions.map((version) => [version.name, versionText(version)]),
            tried,
          }),
          more({ me, hub, offers, values, tried }),
        ),
        { id: "site" },
      )
    }
${foreseenPanel(shown)}</div>`,
  };
}

/** What most leave as it is. */
const REST = ["domain", "adminEmail", "region", "brand", "seed", "contentMode", "identity", "content"] as const;

function more({ me, hub, offers, values, tried }: Omit<NewSpokeShown, "foreseen" | "cost">): Markup {
  const isOpen = REST.some((name) => tried?.problems[name] !== undefined || said(name, values, me));
  const region = offers.regions.find(({ name }) => name === hub.region);
  const chosen = (name: string) => ({ name, value: null, tried: tried ?? { values, message: "", problems: {} } });
  return markup`<details id="rest" ${
    isOpen ? markup`open` : ""
  }><summary>Address, region, look and content</summary><div class="rest">${[
    field({
      name: "domain",
      label: "Domain",
      value: values.domain,
      hint: "One of your own, such as learn.example.org. It must be shown to be this hub's by a DNS record.",
      placeholder: "learn.example.org",
      most: 253,
      tried,
    }),
    field({
      name: "adminEmail",
      label: "Administrator's address",
      type: "email",
      value: values.adminEmail ?? me.email,
      hint: "Of the account that administers the site itself.",
      most: 254,
      tried,
    }),
    offered(offers, "regions", {
      ...chosen("region"),
      label: "Region",
      nothing: region ? `As the hub: ${offerTitle(region)}` : "As the hub",
    }),
    offered(offers, "brands", { ...chosen("brand"), label: "Brand" }),
    offered(offers, "seeds", { ...chosen("seed"), label: "Seed", hint: "Courses that it begins with." }),
    offered(offers, "contentModes", { ...chosen("contentMode"), label: "Content mode" }),
    tick("identity", "Sign in by the hub's identity provider", values.identity === "on"),
    tick("content", "With the hub's shared courses", values.content === "on"),
  ]}</div></details>`;
}

function said(name: (typeof REST)[number], { [name]: value = "" }: NewSpokeShown["values"], { email }: Me): boolean {
  return value !== "" && value !== email;
}

function versionText({ name, title, preview, default: usual }: Offers["versions"][number]): string {
  return `${title ?? name}${preview ? ", a preview" : usual ? ", recommended" : ""}`;
}

const STYLE = `
.price { font-size: var(--title); font-weight: 650; letter-spacing: -.01em; font-variant-numeric: tabular-nums; }
.objects { display: grid; gap: var(--s1); padding: 0; list-style: none; font-size: var(--small); overflow-wrap: anywhere; }
#foreseen { position: sticky; top: var(--s5); }
#foreseen .facts { grid-template-columns: repeat(auto-fit, minmax(8rem, 1fr)); }
#foreseen[aria-busy=true] { opacity: .65; }
@media (max-width: 64rem) { #foreseen { position: static; } }
`;
