/** Renders the form for creating a spoke, next to a preview of the new spoke. */
import { type Markup, markup } from "#lib/http/page.ts";
import { fieldsWith, type FieldWith, type ValuesOf } from "#lib/model/field.ts";
import { spokeFields } from "#lib/model/spoke.ts";
import { renderFormFields, renderPostForm } from "#lib/portal/components/forms.ts";
import {
  buildModelField,
  catalogEntryTitle,
  type FieldTexts,
  sortFieldNames,
} from "#lib/portal/components/model-fields.ts";
import { linkButton, panel } from "#lib/portal/components/parts.ts";
import type { CatalogOffer } from "#lib/portal/components/api-types.ts";
import type { PageView } from "#lib/portal/components/view.ts";
import {
  backupSelect,
  copySpokePanel,
  type NewSpokeProps,
  spokePreviewPanel,
} from "#lib/portal/hubs/new-spoke-preview.ts";
import { newContentModeField } from "#lib/portal/spokes/course-settings.ts";
import { limitSizes, sizeField } from "#lib/portal/spokes/sizes.ts";

type SettableName = FieldWith<typeof spokeFields, "settable">;
type FlagName = {
  [N in SettableName]: ValuesOf<typeof spokeFields>[N] extends boolean ? N : never;
}[SettableName];
export const SETTABLE_FIELDS: readonly SettableName[] = fieldsWith(spokeFields, "settable");

export function newSpokeView(props: NewSpokeProps): PageView {
  const { hub, values, submission, source } = props,
    catalog = limitSizes(props.catalog, hub.tier),
    { defaults } = catalog;
  const value = (name: string, otherwise = "") => values[name] ?? otherwise;
  return {
    title: source ? "Copy a spoke" : "Add a spoke",
    section: "hubs",
    crumbs: [["Hubs", "/hubs"], [hub.name, `/hubs/${hub.id}`]],
    lead: source
      ? markup`Creates a separate site with the courses and users of <a href="/spokes/${source.spoke.id}">${source.spoke.displayName}</a>. Sessions, tokens and keys are not copied.`
      : "A spoke is one Moodle site with its own database, address and backups.",
    body: markup`<div class="two-columns"><div class="column">${
      panel(
        "Site",
        renderPostForm(
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
          {
            name: "slug",
            label: "Slug",
            value: value("slug"),
            hint: `Lowercase letters, digits and hyphens. The slug is part of the address: slug.${catalog.rootDomain}`,
            placeholder: "oak-school",
            required: true,
            maxLength: 63,
          },
          {
            name: "displayName",
            label: "Name",
            value: value("displayName"),
            hint: `Shown to visitors. Defaults to ${source ? `“Copy of ${source.spoke.displayName}”` : "the slug"}.`,
            placeholder: "Oak School",
            maxLength: 200,
          },
          sizeField({ catalog, chosen: value("size", source?.spoke.size ?? defaults.size), submission }),
          source ? backupSelect(source, value("copyBackup")) : {
            name: "lmsVersion",
            label: "Moodle",
            value: value("lmsVersion", defaults.lmsVersion),
            options: catalog.versions.map((version) => [version.name, versionText(version)]),
          },
          optionalFields(props),
        ),
        { id: "site" },
      )
    }${source ? "" : copySpokePanel(hub, props.copyable)}</div>
${spokePreviewPanel(props)}</div>`,
  };
}

/** Returns the form's values with a boolean for every checkbox. Browsers send no value for an unticked checkbox. */
export function convertCheckboxes<T extends { readonly [N in SettableName]?: string | undefined }>(values: T) {
  const flags = SETTABLE_FIELDS.filter((name) => spokeFields[name].schema.type === "boolean") as FlagName[];
  const ticked = Object.fromEntries(flags.map((name) => [name, values[name] === "on"])) as Record<FlagName, boolean>;
  return { ...values, ...ticked };
}

/** The fields at the top of the form. The form renders each of these differently. */
const FIRST_FIELDS: readonly SettableName[] = ["slug", "displayName", "size", "lmsVersion"];
/** The order of the optional fields, which most users leave unchanged. */
const OPTIONAL_ORDER = ["domain", "adminEmail", "region", "brand", "seed", "contentMode", "identity", "content"];

function optionalFields(props: NewSpokeProps): Markup {
  const { me, catalog, values, submission, source } = props, adminEmail = source?.spoke.adminEmail ?? me.email;
  const names = sortFieldNames(SETTABLE_FIELDS, OPTIONAL_ORDER).filter((name) =>
    !FIRST_FIELDS.includes(name) && !(source && name === "region")
  );
  const isOpen = names.some((name) => submission?.problems[name] !== undefined || isChanged(name, values, adminEmail));
  const words = fieldWords(props);
  return markup`<details id="rest" ${isOpen ? markup`open` : ""}><summary>Address, ${
    source ? "" : "region, "
  }brand and content</summary><div class="rest">${
    renderFormFields(
      names.map((name) =>
        name === "contentMode"
          ? newContentModeField(catalog, source ? "Same as the original" : null)
          : buildModelField(name, spokeFields[name], { catalog, value: valueOf(name, props), words: words[name] })
      ),
      submission ?? { values, message: "", problems: {} },
    )
  }</div></details>`;
}

/** Returns the value that the user entered before, or the value with which the form starts. */
function valueOf(name: SettableName, { me, values, source }: NewSpokeProps): string | boolean | null | undefined {
  const { schema, catalogued } = spokeFields[name];
  if (schema.type === "boolean") {
    return values.slug === undefined ? source?.spoke[name] === true : values[name] === "on";
  }
  if (name === "adminEmail") return values.adminEmail ?? source?.spoke.adminEmail ?? me.email;
  return catalogued ? null : values[name]; // a select starts at its empty option; `submission` restores a selection
}

/** Returns the labels and hints that this form shows instead of those in the field declarations (lib/model). */
function fieldWords({ hub, catalog, source }: NewSpokeProps): Partial<Record<SettableName, FieldTexts>> {
  const region = catalog.regions.find(({ name }) => name === hub.region);
  const nothing = source ? "Same as the original" : "None";
  return {
    domain: {
      hint: "Your own domain, such as learn.example.org. A DNS record must prove that this hub may use the domain.",
      placeholder: "learn.example.org",
    },
    region: { nothing: region ? `Same as the hub: ${catalogEntryTitle(region)}` : "Same as the hub" },
    brand: { nothing },
    seed: { nothing, ...(source && { hint: "Courses to add to the copy." }) },
    identity: { label: "Sign in with the hub's identity provider", hint: "" },
    content: { label: "Include the hub's shared courses", hint: "" },
  };
}

function isChanged(name: SettableName, { [name]: value = "" }: NewSpokeProps["values"], usual: string): boolean {
  return value !== "" && value !== usual;
}

function versionText({ name, title, preview, default: usual }: CatalogOffer["versions"][number]): string {
  return `${title ?? name}${preview ? " (preview)" : usual ? " (recommended)" : ""}`;
}
