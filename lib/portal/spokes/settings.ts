/** What of a spoke can be changed, with what a change would come to while one types. */
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

/** None of these can be taken away. */
export const SPOKE_CHANGEABLE = ["displayName", "adminEmail", "brand", "domain", "mail"] as const;
type Changeable = (typeof SPOKE_CHANGEABLE)[number];
export type SpokeFields = Readonly<Record<Changeable | OriginalField<Changeable>, string>>;

export interface SettingsProps {
  readonly spokePage: SpokePage;
  readonly catalog: CatalogOffer;
  /** What is typed; absent before anything was. */
  readonly form?: SpokeFields | undefined;
  /** Null where nothing is changed, or it is refused. */
  readonly preview: PreviewedAction | null;
  readonly submission?: Submission | undefined;
  /** Whether it was to be saved, and not only shown. */
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
            also:
              markup`<noscript><button class="quiet" name="preview" value="yes">Show what would change</button></noscript>`,
            previews: "asking",
            hidden: originalValues(SPOKE_CHANGEABLE, spoke, form),
          },
          field({
            name: "displayName",
            label: "Name",
            hint: "The full name of the site, as its visitors read it.",
            value: displayName,
            required: true,
            submission,
            maxLength: 200,
          }),
          field({
            name: "adminEmail",
            label: "Administrator's address",
            hint: "The site writes to it.",
            type: "email",
            value: adminEmail,
            required: true,
            submission,
            maxLength: 254,
          }),
          catalogField(catalog, "brands", {
            name: "brand",
            label: "Brand",
            hint: "How the site looks.",
            value: brand,
            submission,
          }),
          field({
            name: "domain",
            label: "Domain",
            hint:
              `Below ${catalog.rootDomain}, or a name of yours that leads here. The former name leads to the new one for 30 days.`,
            value: domain,
            required: true,
            submission,
            maxLength: 253,
          }),
          selectField({
            name: "mail",
            label: "Mail",
            hint: "Whether the site writes to its people. It is started anew when that changes.",
            value: mail,
            options: [["on", "On"], ["held", "Held: it writes to nobody"]],
            submission,
          }),
        ),
        { id: "settings" },
      )
    }<div class="pile">${
      preview
        ? markup`${panel("What it would come to", previewSummary(preview), { id: "foreseen" })}${
          previewPanels(preview)
        }`
        : panel(
          "What it would come to",
          submission
            ? refusalLine(submission)
            : markup`<p class="small soft">Change something, and what that does to the site stands here before you save it.</p>`,
          { id: "foreseen" },
        )
    }</div></div>`,
  };
}
