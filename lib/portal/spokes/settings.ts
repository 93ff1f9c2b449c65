/** Renders a form for a spoke's settings, next to a preview of the effects of a change. */
import { markup } from "#lib/http/page.ts";
import { fieldsWith } from "#lib/model/field.ts";
import { readContentMode } from "#lib/model/course.ts";
import { spokeFields } from "#lib/model/spoke.ts";
import { type FormContent, type RefusedSubmission, renderPostForm } from "#lib/portal/components/forms.ts";
import { buildModelField, sortFieldNames } from "#lib/portal/components/model-fields.ts";
import { panel } from "#lib/portal/components/parts.ts";
import type { CatalogOffer, PreviewedAction } from "#lib/portal/components/api-types.ts";
import type { PageView } from "#lib/portal/components/view.ts";
import { type OriginalField, originalValues } from "#lib/portal/page/form-changes.ts";
import { renderRefusal } from "#lib/portal/hubs/new-spoke-preview.ts";
import { previewPanels, previewSummary } from "#lib/portal/spokes/action.ts";
import { contentModeField, switchField } from "#lib/portal/spokes/course-settings.ts";
import { spokeHeader, type SpokePageData } from "#lib/portal/spokes/spoke-page.ts";

/** The settings in the form. Users can change each setting, but not leave it empty. */
export const EDITABLE_SPOKE_FIELDS = sortFieldNames(
  fieldsWith(spokeFields, "changeable"),
  ["displayName", "adminEmail", "brand", "domain", "mail", "identity", "content", "contentMode"],
);
type Changeable = (typeof EDITABLE_SPOKE_FIELDS)[number];
export type SpokeFields = Readonly<Record<Changeable | OriginalField<Changeable>, string>>;

/** Returns the spoke's values as texts, as the form has them. */
export function toFormValues(
  spoke: Readonly<Record<Changeable, string | boolean | null>>,
): Readonly<Record<Changeable, string | null>> {
  const values = EDITABLE_SPOKE_FIELDS.map((name) => {
    const value = name === "contentMode" ? readContentMode(spoke.contentMode as string | null) : spoke[name];
    return [name, typeof value === "boolean" ? String(value) : value] as const;
  });
  return Object.fromEntries(values) as Record<Changeable, string | null>;
}

/** Returns the API request for the changed fields of the form. */
export function buildSettingsRequest({ identity, content, ...changes }: Partial<Record<Changeable, string>>): object {
  return {
    ...changes,
    ...(identity !== undefined && { identity: identity === "true" }),
    ...(content !== undefined && { content: content === "true" }),
  };
}

export interface SettingsProps {
  readonly spokePage: SpokePageData;
  readonly catalog: CatalogOffer;
  /** The values of the form; absent until the user submits the form. */
  readonly form?: SpokeFields | undefined;
  /** The preview of the changes; null if nothing would change or the API refused the changes. */
  readonly preview: PreviewedAction | null;
  readonly submission?: RefusedSubmission | undefined;
  /** Whether the user saved the form instead of only previewing the changes. */
  readonly isSave: boolean;
}

export function settingsView({ spokePage, catalog, form, preview, submission, isSave }: SettingsProps): PageView {
  const { spoke } = spokePage;
  return {
    ...spokeHeader(spokePage, "/settings"),
    body: markup`<div class="with-preview" id="with-preview">${
      panel(
        "Settings",
        renderPostForm(
          {
            action: `/spokes/${spoke.id}/settings`,
            button: "Save",
            submission,
            hideRefusal: !isSave,
            also: markup`<noscript><button class="quiet" name="preview" value="yes">Preview</button></noscript>`,
            previews: "with-preview",
            hidden: originalValues(EDITABLE_SPOKE_FIELDS, toFormValues(spoke), form),
          },
          ...EDITABLE_SPOKE_FIELDS.map((name) => settingField(name, { spokePage, catalog, form })),
        ),
        { id: "settings" },
      )
    }<div class="column">${
      preview
        ? markup`${panel("Preview", previewSummary(preview), { id: "preview" })}${previewPanels(preview)}`
        : panel(
          "Preview",
          submission
            ? renderRefusal(submission)
            : markup`<p class="small soft">Change a field to preview its effect before you save.</p>`,
          { id: "preview" },
        )
    }</div></div>`,
  };
}

function settingField(
  name: Changeable,
  { spokePage: { spoke, canManageHub }, catalog, form }: Pick<SettingsProps, "spokePage" | "catalog" | "form">,
): FormContent {
  const value = (form ?? toFormValues(spoke))[name];
  if (name === "identity") return switchField(name, value);
  if (name === "content") return canManageHub ? switchField(name, value) : "";
  if (name === "contentMode") return canManageHub ? contentModeField(catalog, value) : "";
  return buildModelField(name, spokeFields[name], {
    catalog,
    value,
    required: true,
    words: name === "domain" ? { hint: domainHint(catalog) } : undefined,
  });
}

function domainHint({ rootDomain }: CatalogOffer): string {
  return `A name under ${rootDomain}, or your own domain that points here. The old name redirects for 30 days.`;
}
