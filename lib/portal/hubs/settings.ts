/** What can be changed of a hub, and how it is removed. */
import { type Markup, markup } from "#lib/http/page.ts";
import { field, formOf, type Tried } from "#lib/portal/components/forms.ts";
import { facts, instant, linkButton, notice, panel, stateBadge } from "#lib/portal/components/parts.ts";
import type { Hub, Offers, Spoke } from "#lib/portal/components/told.ts";
import type { Me, View } from "#lib/portal/components/view.ts";
import { wasOf } from "#lib/portal/page/changed.ts";
import { hubHead } from "#lib/portal/hubs/hub.ts";
import { hubFields } from "#lib/portal/hubs/offered.ts";

export const HUB_CHANGEABLE = ["name", "region", "mode", "tier"] as const;

interface SettingsShown {
  readonly me: Me;
  readonly hub: Hub;
  readonly offers: Offers;
  readonly tried?: Tried | undefined;
}

export function hubSettingsView({ me, hub, offers, tried }: SettingsShown): View {
  const { id, slug, createdAt, updatedAt } = hub;
  return {
    ...hubHead(hub, true, `/hubs/${id}/settings`),
    body: markup`<div class="two"><div class="pile">${
      panel(
        "Settings",
        formOf(
          { action: `/hubs/${id}/settings`, button: "Save", tried, hidden: wasOf(HUB_CHANGEABLE, hub, tried?.values) },
          ...hubFields({ offers, hub, slug: "fixed", tried }),
        ),
        { id: "settings" },
      )
    }
${me.role === "operator" ? removalPanel(hub) : ""}</div>
${
      panel(
        "About",
        facts([
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

interface RemovalShown {
  readonly hub: Hub;
  /** What stands in the way, the newest first; perhaps not all of it. */
  readonly spokes: readonly Spoke[];
  readonly tried?: Tried | undefined;
}

/** The slug is asked for, because it cannot be undone. */
export function hubRemovalView({ hub, spokes, tried }: RemovalShown): View {
  const { id, slug, name } = hub;
  return {
    title: `Remove ${name}`,
    section: "hubs",
    crumbs: [["Hubs", "/hubs"], [name, `/hubs/${id}`], ["Settings", `/hubs/${id}/settings`]],
    body: hub.state === "removing" ? goingPanel(hub, tried) : spokes.length > 0 ? wayPanel(hub, spokes) : panel(
      "This cannot be undone",
      markup`<p>The hub's namespace in the cluster is removed, its admins lose it, and its slug is free for another. What it did stays in the audit log.</p>${
        formOf(
          {
            action: `/hubs/${id}/remove`,
            button: "Remove the hub",
            look: "danger",
            also: linkButton(["Cancel", `/hubs/${id}/settings`]),
            tried,
          },
          field({ name: "slug", label: `Type ${slug} to confirm`, subject: "The slug", required: true, tried }),
        )
      }`,
      { id: "remove" },
    ),
  };
}

function wayPanel({ id, spokeCount }: Hub, spokes: readonly Spoke[]): Markup {
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
function goingPanel({ id, slug, operation }: Hub, tried?: Tried): Markup {
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
          formOf(
            { action: `/hubs/${id}/remove`, button: "Give it up", look: "danger", tried, hidden: { abandon: "yes" } },
            field({ name: "slug", label: `Type ${slug} to confirm`, subject: "The slug", required: true, tried }),
          )
        }`
        : ""
    }`,
    { id: "remove" },
  );
}
