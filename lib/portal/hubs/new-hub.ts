/** Renders the form with which operators create a hub, and the fields that the forms for hubs share. */
import { fieldsWith } from "#lib/model/field.ts";
import { hubFields } from "#lib/model/hub.ts";
import { markup } from "#lib/http/page.ts";
import {
  type FormContent,
  type FormField,
  type RefusedSubmission,
  renderPostForm,
} from "#lib/portal/components/forms.ts";
import { linkButton, panel } from "#lib/portal/components/parts.ts";
import { buildModelField, type FieldTexts, sortFieldNames } from "#lib/portal/components/model-fields.ts";
import { tiersPanel } from "#lib/portal/hubs/tier.ts";
import type { CatalogOffer, Hub, HubRequest } from "#lib/portal/components/api-types.ts";
import type { PageView } from "#lib/portal/components/view.ts";

export const NEW_HUB_FIELDS = fieldsWith(hubFields, "settable");
export const EDITABLE_HUB_FIELDS = fieldsWith(hubFields, "changeable");
type HubFieldName = (typeof EDITABLE_HUB_FIELDS)[number];

/** The texts that the forms show instead of the texts in lib/model/hub.ts. */
const WORDS: Partial<Record<HubFieldName, FieldTexts>> = {
  name: { hint: "The name that users see." },
  region: { hint: "The default region for the hub's spokes.", nothing: "Any" },
  tier: { hint: "" },
  mode: { hint: "identity gives the sites the hub's sign-in, content its courses, both does both." },
};

interface HubFieldsProps {
  readonly catalog: CatalogOffer;
  /** The hub's current values or, for a request to create a hub, the requested values. */
  readonly hub?: Pick<Hub | HubRequest, "slug" | HubFieldName>;
  /** Whether the user can choose the slug. The slug of an existing hub is fixed. */
  readonly slug: "chosen" | "fixed";
  /** The fields that the user may not change. */
  readonly fixed?: readonly HubFieldName[];
}

export function buildHubFields({ catalog, hub, slug, fixed = [] }: HubFieldsProps): readonly FormContent[] {
  const words = slug === "fixed"
    ? WORDS
    : { ...WORDS, name: { hint: "The name that users see. Defaults to the slug." } };
  const fields = EDITABLE_HUB_FIELDS.filter((field) => !fixed.includes(field));
  const [name, ...others] = sortFieldNames(fields, ["name", "region", "tier", "mode"]).map((field) =>
    buildModelField(field, hubFields[field], {
      catalog,
      value: hub?.[field],
      required: slug === "fixed",
      words: words[field],
    })
  );
  const slugField: FormField = {
    name: "slug",
    label: "Slug",
    value: hub?.slug,
    hint: "Lowercase letters, digits and hyphens. Used in addresses and commands. You cannot change the slug later.",
    required: true,
    placeholder: "northern-schools",
    maxLength: 63,
  };
  return [name!, slug === "fixed" ? "" : slugField, ...others];
}

export function newHubView(catalog: CatalogOffer, submission?: RefusedSubmission): PageView {
  return {
    title: "New hub",
    section: "hubs",
    crumbs: [["Hubs", "/hubs"]],
    lead: "A hub groups the Moodle sites of one organisation and has its own admins.",
    body: markup`<div class="two-columns">${
      panel(
        "Details",
        renderPostForm({
          action: "/hubs/new",
          button: "Create hub",
          also: linkButton(["Cancel", "/hubs"]),
          submission,
          hidden: { key: crypto.randomUUID() },
        }, ...buildHubFields({ catalog, slug: "chosen" })),
        { id: "new" },
      )
    }
<div class="column">${
      panel(
        "What happens next",
        markup`<ol class="events small"><li>Wheelwright creates a namespace for the hub. This takes a few seconds.</li>
<li>You invite the hub's admins on its Members page.</li>
<li>You or the admins add spokes. Installs wait until the hub is ready.</li></ol>`,
        { id: "then" },
      )
    }
${tiersPanel(catalog)}</div></div>`,
  };
}
