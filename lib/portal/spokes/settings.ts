/** Renders the settings of a spoke, with a preview of their changes. */
import { markup } from "#lib/http/page.ts";
import { field, postForm, selectField, type Submission } from "#lib/portal/components/forms.ts";
import { panel } from "#lib/portal/components/parts.ts";
import type { CatalogOffer, PreviewedAction } from "#lib/portal/components/api-types.ts";
import type { View } from "#lib/portal/components/view.ts";
import { type OriginalField, originalValues } from "#lib/portal/page/form-changes.ts";
import { refusalLine } from "#lib/portal/hubs/new-spoke-preview.ts";
import { catalogField } from "#lib/portal/hubs/catalog-fields.ts";
import { previewPanels, previewStyle, previewSummary } from "#lib/portal/spokes/action-preview.ts";
import { spokeHead, type SpokePage } from "#lib/portal/spokes/spoke-page.ts";

/** Settings that the form changes. None of them can be emptied. */
export const SPOKE_CHANGEABLE = ["displayName", "adminEmail", "brand", "domain", "mail"] as const;
type Changeable = (typeof SPOKE_CHANGEABLE)[number];
export type SpokeFields = Readonly<Record<Changeable | OriginalField<Changeable>, string>>;

export interface SettingsProps {
  readonly spokePage: SpokePage;
  readonly catalog: CatalogOffer;
  /** The values of the form; absent at first. */
  readonly form?: SpokeFields | undefined;
  /** The preview; null if nothing changed, or if it was refused. */
  readonly preview: PreviewedAction | null;
  readonly submission?: Submission | undefined;
  /** Whether the form was saved, rather than previewed. */
  readonly isSave: boolean;
}

export function settingsView({ spokePage, catalog, form, preview, submission, isSave }: SettingsProps): View {
  const { spoke } = spokePage, { displayName, adminEmail, brand, domain, mail } = form ?? spoke;
  return {
    ...spokeHead(spokePage, "/settings"),
    style: previewStyle,
    body: markup`<div class="asking" id="asking">${
      panel(
        "Settings",
        postForm(
          {
            action: `/spokes/${spoke.id}/settings`,
            button: "Save",
            submission,
            hideRefusal: !isSave,
            also: markup`<noscript><button class="quiet" name="preview" value="yes">Preview</button></noscript>`,
            previews: "asking",
            hidden: originalValues(SPOKE_CHANGEABLE, spoke, form),
          },
          field({
            name: "displayName",
            label: "Name",
            hint: "The full name of the site, shown to visitors.",
            value: displayName,
            required: true,
            submission,
            maxLength: 200,
          }),
          field({
            name: "adminEmail",
            label: "Administrator's address",
            hint: "The site sends its notifications to this address.",
            type: "email",
            value: adminEmail,
            required: true,
            submission,
            maxLength: 254,
          }),
          catalogField(catalog, "brands", {
            name: "brand",
            label: "Brand",
            hint: "Logo and colours of the site.",
            value: brand,
            submission,
          }),
          field({
            name: "domain",
            label: "Domain",
            hint:
              `A name under ${catalog.rootDomain}, or your own domain that points here. The old name redirects for 30 days.`,
            value: domain,
            required: true,
            submission,
            maxLength: 253,
          }),
          selectField({
            name: "mail",
            label: "Mail",
            hint: "Whether the site sends mail. Changing this restarts the site.",
            value: mail,
            options: [["on", "On"], ["held", "Held: no mail is sent"]],
            submission,
          }),
        ),
        { id: "settings" },
      )
    }<div class="pile">${
      preview
        ? markup`${panel("Preview", previewSummary(preview), { id: "foreseen" })}${previewPanels(preview)}`
        : panel(
          "Preview",
          submission
            ? refusalLine(submission)
            : markup`<p class="small soft">Change a field to preview the effect. Nothing is saved yet.</p>`,
          { id: "foreseen" },
        )
    }</div></div>`,
  };
}
