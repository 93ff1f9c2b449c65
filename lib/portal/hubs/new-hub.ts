/** Renders the form with which operators create a hub. */
import { markup } from "#lib/http/page.ts";
import { type RefusedSubmission, renderPostForm } from "#lib/portal/components/forms.ts";
import { linkButton, panel } from "#lib/portal/components/parts.ts";
import type { CatalogOffer } from "#lib/portal/components/api-types.ts";
import type { PageView } from "#lib/portal/components/view.ts";
import { hubFields } from "#lib/portal/hubs/catalog-fields.ts";

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
        }, ...hubFields({ catalog, slug: "chosen", submission })),
        { id: "new" },
      )
    }
${
      panel(
        "What happens next",
        markup`<ol class="events small"><li>Wheelwright creates a namespace for the hub. This takes a few seconds.</li>
<li>You invite the hub's admins on its Members page.</li>
<li>You or the admins add spokes. Installs wait until the hub is ready.</li></ol>`,
        { id: "then" },
      )
    }</div>`,
  };
}
