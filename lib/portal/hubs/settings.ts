/** What can be changed of a hub, and how it is removed. */
import { type Markup, markup } from "#lib/http/page.ts";
import { field, postForm, type Submission } from "#lib/portal/components/forms.ts";
import { definitionList, instant, linkButton, notice, panel, stateBadge } from "#lib/portal/components/parts.ts";
import type { CatalogOffer, Hub, Spoke } from "#lib/portal/components/api-types.ts";
import type { CurrentUser, View } from "#lib/portal/components/view.ts";
import { originalValues } from "#lib/portal/page/form-changes.ts";
import { hubHead } from "#lib/portal/hubs/hub.ts";
import { hubFields } from "#lib/portal/hubs/catalog-fields.ts";

export const HUB_CHANGEABLE = ["name", "region", "mode", "tier"] as const;

interface SettingsProps {
  readonly me: CurrentUser;
  readonly hub: Hub;
  readonly catalog: CatalogOffer;
  readonly submission?: Submission | undefined;
}

export function hubSettingsView({ me, hub, catalog, submission }: SettingsProps): View {
  const { id, slug, createdAt, updatedAt } = hub;
  return {
    ...hubHead(hub, true, `/hubs/${id}/settings`),
    body: markup`<div class="two"><div class="pile">${
      panel(
        "Settings",
        postForm(
          {
            action: `/hubs/${id}/settings`,
            button: "Save",
            submission,
            hidden: originalValues(HUB_CHANGEABLE, hub, submission?.values),
          },
          ...hubFields({ catalog, hub, slug: "fixed", submission }),
        ),
        { id: "settings" },
      )
    }
${me.role === "operator" ? removalPanel(hub) : ""}</div>
${
      panel(
        "About",
        definitionList([
          ["Slug", markup`<code>${slug}</code>`],
          ["Id", markup`<code>${id}</code>`],
          ["Made", instant(createdAt)],
          ["Changed", instant(updatedAt)],
        ]),
        { id: "about" },
      )
    }</div>`,
  };
}

function removalPanel({ id, spokeCount }: Hub): Markup {
  const text = spokeCount === 0
    ? "Nothing lives in it. Its namespace, and who administers it, go with it."
    : `It can be removed once ${spokeCount === 1 ? "the spoke" : `all ${spokeCount} spokes`} in it are gone.`;
  return panel(
    "Remove this hub",
    markup`<p class="small">${text}</p><p><a class="button danger" href="/hubs/${id}/remove">Remove the hub …</a></p>`,
    { id: "removal" },
  );
}

interface RemovalProps {
  readonly hub: Hub;
  /** What stands in the way, the newest first; perhaps not all of it. */
  readonly spokes: readonly Spoke[];
  readonly submission?: Submission | undefined;
}

/** The slug is asked for, because it cannot be undone. */
export function hubRemovalView({ hub, spokes, submission }: RemovalProps): View {
  const { id, slug, name } = hub;
  return {
    title: `Remove ${name}`,
    section: "hubs",
    crumbs: [["Hubs", "/hubs"], [name, `/hubs/${id}`], ["Settings", `/hubs/${id}/settings`]],
    body: hub.state === "removing"
      ? removalProgressPanel(hub, submission)
      : spokes.length > 0
      ? remainingSpokesPanel(hub, spokes)
      : panel(
        "This cannot be undone",
        markup`<p>The hub's namespace in the cluster is removed, its admins lose it, and its slug is free for another. What it did stays in the audit log.</p>${
          postForm(
            {
              action: `/hubs/${id}/remove`,
              button: "Remove the hub",
              variant: "danger",
              also: linkButton(["Cancel", `/hubs/${id}/settings`]),
              submission,
            },
            field({ name: "slug", label: `Type ${slug} to confirm`, subject: "The slug", required: true, submission }),
          )
        }`,
        { id: "remove" },
      ),
  };
}

function remainingSpokesPanel({ id, spokeCount }: Hub, spokes: readonly Spoke[]): Markup {
  const more = spokeCount - spokes.length;
  return panel(
    spokeCount === 1 ? "One spoke stands in the way" : `${spokeCount} spokes stand in the way`,
    markup`<p>Destroy them first, and come back when nothing is left of them.</p>
<ul class="list plain">${
      spokes.map((spoke) =>
        markup`<li id="${spoke.id}"><span class="name"><a class="cover" href="/spokes/${spoke.id}">${spoke.displayName}</a></span><span class="small soft">${spoke.domain}</span>${
          stateBadge(spoke.state, spoke.health)
        }</li>`
      )
    }</ul>
${more > 0 ? markup`<p class="small soft">And ${more} more.</p>` : ""}
<p>${linkButton(["To the hub", `/hubs/${id}`])}</p>`,
    { id: "remove" },
  );
}

/** One whose removal fails again and again can be given up: the row goes, whatever the cluster still holds. */
function removalProgressPanel({ id, slug, operation }: Hub, submission?: Submission): Markup {
  const error = operation?.error ?? null;
  return panel(
    "It is being removed",
    markup`${
      error
        ? notice(
          "bad",
          markup`<p><b>${error.message}.</b> It is tried again and again.</p>${
            error.hint ? markup`<p>${error.hint}</p>` : ""
          }`,
        )
        : markup`<p>Nothing more is to be done. <a href="/hubs/${id}">Look how far it is</a>.</p>`
    }${
      error
        ? markup`<h3>Give it up</h3>
<p class="small">Where its cluster is gone for good, the hub can be taken off the books. What still stands in the cluster is nobody's from then on.</p>${
          postForm(
            {
              action: `/hubs/${id}/remove`,
              button: "Give it up",
              variant: "danger",
              submission,
              hidden: { abandon: "yes" },
            },
            field({ name: "slug", label: `Type ${slug} to confirm`, subject: "The slug", required: true, submission }),
          )
        }`
        : ""
    }`,
    { id: "remove" },
  );
}
