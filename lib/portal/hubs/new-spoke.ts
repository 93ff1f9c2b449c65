/** Renders the form for creating a spoke, next to a preview of the new spoke. */
import { type Markup, markup } from "#lib/http/page.ts";
import { checkboxField, inputField, postForm, selectField } from "#lib/portal/components/forms.ts";
import { linkButton, panel } from "#lib/portal/components/parts.ts";
import type { CatalogOffer } from "#lib/portal/components/api-types.ts";
import type { PageView } from "#lib/portal/components/view.ts";
import { backupSelect, copySpokePanel } from "#lib/portal/hubs/copy-spoke.ts";
import { type NewSpokeProps, spokePreviewPanel } from "#lib/portal/hubs/new-spoke-preview.ts";
import { catalogEntryTitle, catalogField } from "#lib/portal/hubs/catalog-fields.ts";
import { sizeField, sizeStyle } from "#lib/portal/spokes/sizes.ts";

export function newSpokeView(props: NewSpokeProps): PageView {
  const { hub, catalog, values, submission, source } = props, { defaults } = catalog;
  const value = (name: string, otherwise = "") => values[name] ?? otherwise;
  return {
    title: source ? "Copy a spoke" : "Add a spoke",
    section: "hubs",
    crumbs: [["Hubs", "/hubs"], [hub.name, `/hubs/${hub.id}`]],
    lead: source
      ? markup`Creates a separate site with the courses and users of <a href="/spokes/${source.spoke.id}">${source.spoke.displayName}</a>. Sessions, tokens and keys are not copied.`
      : "A spoke is one Moodle site with its own database, address and backups.",
    style: sizeStyle + STYLE,
    body: markup`<div class="two-columns"><div class="column">${
      panel(
        "Site",
        postForm(
          {
            action: `/hubs/${hub.id}/spokes/new`,
            button: "Create spoke",
            also: markup`<button class="quiet" name="preview" value="yes">Preview</button>${
              linkButton(["Cancel", `/hubs/${hub.id}`])
            }`,
            previews: "preview",
            hidden: { key: crypto.randomUUID(), ...(source && { copyOf: source.spoke.id }) },
            submission,
          },
          inputField({
            name: "slug",
            label: "Slug",
            value: value("slug"),
            hint: `Lowercase letters, digits and hyphens. The slug is part of the address: slug.${catalog.rootDomain}`,
            placeholder: "oak-school",
            required: true,
            maxLength: 63,
            submission,
          }),
          inputField({
            name: "displayName",
            label: "Name",
            value: value("displayName"),
            hint: `Shown to visitors. Defaults to ${source ? `“Copy of ${source.spoke.displayName}”` : "the slug"}.`,
            placeholder: "Oak School",
            maxLength: 200,
            submission,
          }),
          sizeField({ catalog, chosen: value("size", source?.spoke.size ?? defaults.size), submission }),
          source ? backupSelect(source, value("copyBackup"), submission) : selectField({
            name: "lmsVersion",
            label: "Moodle",
            value: value("lmsVersion", defaults.lmsVersion),
            options: catalog.versions.map((version) => [version.name, versionText(version)]),
            submission,
          }),
          optionalFields(props),
        ),
        { id: "site" },
      )
    }${source ? "" : copySpokePanel(hub, props.copyable)}</div>
${spokePreviewPanel(props)}</div>`,
  };
}

/** Form fields that most users leave unchanged. */
const OPTIONAL_FIELDS = [
  "domain",
  "adminEmail",
  "region",
  "brand",
  "seed",
  "contentMode",
  "identity",
  "content",
] as const;

function optionalFields({ me, hub, catalog, values, submission, source }: NewSpokeProps): Markup {
  const { adminEmail, identity, content } = source?.spoke ?? { adminEmail: me.email, identity: false, content: false };
  const isOpen = OPTIONAL_FIELDS.some((name) =>
    submission?.problems[name] !== undefined || isChanged(name, values, adminEmail)
  );
  const region = catalog.regions.find(({ name }) => name === hub.region), isBegun = values.slug !== undefined;
  const chosen = (name: string) => ({
    name,
    value: null,
    submission: submission ?? { values, message: "", problems: {} },
  });
  const nothing = source ? "Same as the original" : "None";
  return markup`<details id="rest" ${isOpen ? markup`open` : ""}><summary>Address, ${
    source ? "" : "region, "
  }brand and content</summary><div class="rest">${[
    inputField({
      name: "domain",
      label: "Domain",
      value: values.domain,
      hint: "Your own domain, such as learn.example.org. A DNS record must prove that this hub may use the domain.",
      placeholder: "learn.example.org",
      maxLength: 253,
      submission,
    }),
    inputField({
      name: "adminEmail",
      label: "Administrator's address",
      type: "email",
      value: values.adminEmail ?? adminEmail,
      hint: "The email address of the site's admin account.",
      maxLength: 254,
      submission,
    }),
    source ? "" : catalogField(catalog, "regions", {
      ...chosen("region"),
      label: "Region",
      nothing: region ? `Same as the hub: ${catalogEntryTitle(region)}` : "Same as the hub",
    }),
    catalogField(catalog, "brands", { ...chosen("brand"), label: "Brand", nothing }),
    catalogField(catalog, "seeds", {
      ...chosen("seed"),
      label: "Seed",
      hint: source ? "Courses to add to the copy." : "Courses that the site starts with.",
      nothing,
    }),
    catalogField(catalog, "contentModes", { ...chosen("contentMode"), label: "Content mode", nothing }),
    checkboxField(
      "identity",
      "Sign in with the hub's identity provider",
      isBegun ? values.identity === "on" : identity,
    ),
    checkboxField("content", "Include the hub's shared courses", isBegun ? values.content === "on" : content),
  ]}</div></details>`;
}

function isChanged(
  name: (typeof OPTIONAL_FIELDS)[number],
  { [name]: value = "" }: NewSpokeProps["values"],
  usual: string,
): boolean {
  return value !== "" && value !== usual;
}

function versionText({ name, title, preview, default: usual }: CatalogOffer["versions"][number]): string {
  return `${title ?? name}${preview ? " (preview)" : usual ? " (recommended)" : ""}`;
}

const STYLE = `
.price { font-size: var(--title); font-weight: 650; letter-spacing: -.01em; font-variant-numeric: tabular-nums; }
.objects { display: grid; gap: var(--s1); padding: 0; list-style: none; font-size: var(--small); overflow-wrap: anywhere; }
#preview { position: sticky; top: var(--s5); }
#preview .facts { grid-template-columns: repeat(auto-fit, minmax(8rem, 1fr)); }
#preview[aria-busy=true] { opacity: .65; }
@media (max-width: 64rem) { #preview { position: static; } }
`;
