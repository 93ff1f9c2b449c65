/** Where an operator makes a hub. */
import { markup } from "#lib/http/page.ts";
import { postForm, type Submission } from "#lib/portal/components/forms.ts";
import { linkButton, panel } from "#lib/portal/components/parts.ts";
import type { CatalogOffer } from "#lib/portal/components/api-types.ts";
import type { View } from "#lib/portal/components/view.ts";
import { hubFields } from "#lib/portal/hubs/catalog-fields.ts";

export function newHubView(catalog: CatalogOffer, submission?: Submission): View {
  return {
    title: "New hub",
    section: "hubs",
    crumbs: [["Hubs", "/hubs"]],
    lead: "A hub holds the Moodle sites of one organisation, and says who looks after them.",
    body: markup`<div class="two">${
      panel(
        "The hub",
        postForm({
          action: "/hubs/new",
          button: "Make the hub",
          also: linkButton(["Cancel", "/hubs"]),
          submission,
          hidden: { key: crypto.randomUUID() },
        }, ...hubFields({ catalog, slug: "chosen", submission })),
        { id: "new" },
      )
    }
${
      panel(
        "What happens then",
        markup`<ol class="events small"><li>The hub gets a namespace of its own in the cluster; that takes seconds.</li>
<li>You invite those who administer it, on its page Members.</li>
<li>You or they add spokes. Installs can be asked for at once: they wait until the hub is ready.</li></ol>`,
        { id: "then" },
      )
    }</div>`,
  };
}
