/** Renders a hub's settings page and the page for removing the hub. */
import { type Markup, markup } from "#lib/http/page.ts";
import { type RefusedSubmission, renderPostForm } from "#lib/portal/components/forms.ts";
import { callout, definitionList, linkButton, panel, renderTime, stateBadge } from "#lib/portal/components/parts.ts";
import type { CatalogOffer, Hub, PreviewedHub, Spoke } from "#lib/portal/components/api-types.ts";
import type { CurrentUser, PageView } from "#lib/portal/components/view.ts";
import { originalValues } from "#lib/portal/page/form-changes.ts";
import { hubHeader } from "#lib/portal/hubs/hub.ts";
import { tierPreviewPanel, tiersPanel } from "#lib/portal/hubs/tier.ts";
import { buildHubFields, EDITABLE_HUB_FIELDS } from "#lib/portal/hubs/new-hub.ts";

interface SettingsProps {
  readonly me: CurrentUser;
  readonly hub: Hub;
  readonly catalog: CatalogOffer;
  /** The values of the form that is previewed. */
  readonly form?: Readonly<Record<string, string>> | undefined;
  readonly preview?: PreviewedHub | undefined;
  readonly submission?: RefusedSubmission | undefined;
}

export function hubSettingsView({ me, hub, catalog, form = {}, preview, submission }: SettingsProps): PageView {
  const { id, slug, createdAt, updatedAt } = hub;
  return {
    ...hubHeader(hub, true, `/hubs/${id}/settings`),
    body: markup`${
      preview ? tierPreviewPanel(me, id, preview, form) : ""
    }<div class="two-columns"><div class="column">${
      panel(
        "Settings",
        renderPostForm(
          {
            action: `/hubs/${id}/settings`,
            button: "Save",
            submission,
            hidden: originalValues(EDITABLE_HUB_FIELDS, hub, submission?.values),
          },
          ...hubFields(me, hub, form, catalog),
        ),
        { id: "settings" },
      )
    }
${tiersPanel(catalog)}
${me.role === "operator" ? removalPanel(hub) : ""}</div>
${
      panel(
        "About",
        definitionList([
          ["Slug", markup`<code>${slug}</code>`],
          ["ID", markup`<code>${id}</code>`],
          ["Created", renderTime(createdAt)],
          ["Updated", renderTime(updatedAt)],
        ]),
        { id: "about" },
      )
    }</div>`,
  };
}

/** Leaves out what only operators may change: a restricted tier. */
function hubFields(me: CurrentUser, hub: Hub, form: Readonly<Record<string, string>>, catalog: CatalogOffer) {
  const values = { ...hub, ...form };
  if (me.role === "operator") return buildHubFields({ catalog, hub: values, slug: "fixed" });
  const tiers = catalog.tiers.filter(({ restricted }) => !restricted);
  const isFixed = catalog.tiers.some(({ name, restricted }) => restricted && name === hub.tier);
  return buildHubFields({
    catalog: { ...catalog, tiers },
    hub: values,
    slug: "fixed",
    ...(isFixed && { fixed: ["tier"] }),
  });
}

function removalPanel({ id, spokeCount }: Hub): Markup {
  const text = spokeCount === 0
    ? "This hub has no spokes. Removing the hub also removes its namespace and memberships."
    : `Destroy ${spokeCount === 1 ? "the hub's spoke" : `the hub's ${spokeCount} spokes`} first.`;
  return panel(
    "Remove this hub",
    markup`<p class="small">${text}</p><p><a class="button danger" href="/hubs/${id}/remove">Remove hub …</a></p>`,
    { id: "removal" },
  );
}

interface RemovalProps {
  readonly hub: Hub;
  /** The hub's remaining spokes, newest first, up to a limit. */
  readonly spokes: readonly Spoke[];
  readonly submission?: RefusedSubmission | undefined;
}

/** Returns the page for removing a hub. The user types the hub's slug to confirm the removal. */
export function hubRemovalView({ hub, spokes, submission }: RemovalProps): PageView {
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
        markup`<p>The hub's namespace in the cluster is removed, and its admins lose access. Another hub can then use its slug. Its audit events are kept.</p>${
          renderPostForm(
            {
              action: `/hubs/${id}/remove`,
              button: "Remove hub",
              variant: "danger",
              also: linkButton(["Cancel", `/hubs/${id}/settings`]),
              submission,
            },
            { name: "slug", label: `Type ${slug} to confirm`, subject: "The slug", required: true },
          )
        }`,
        { id: "remove" },
      ),
  };
}

function remainingSpokesPanel({ id, spokeCount }: Hub, spokes: readonly Spoke[]): Markup {
  const more = spokeCount - spokes.length;
  return panel(
    spokeCount === 1 ? "This hub still has one spoke" : `This hub still has ${spokeCount} spokes`,
    markup`<p>Destroy these spokes first. You can remove the hub once they are removed.</p>
<ul class="list plain">${
      spokes.map((spoke) =>
        markup`<li id="${spoke.id}"><span class="name"><a class="cover" href="/spokes/${spoke.id}">${spoke.displayName}</a></span><span class="small soft">${spoke.domain}</span>${
          stateBadge(spoke.state, spoke.health)
        }</li>`
      )
    }</ul>
${more > 0 ? markup`<p class="small soft">And ${more} more.</p>` : ""}
<p>${linkButton(["Go to the hub", `/hubs/${id}`])}</p>`,
    { id: "remove" },
  );
}

/** Renders the progress of a hub's removal. Users can abandon a failing removal, which leaves objects behind. */
function removalProgressPanel({ id, slug, operation }: Hub, submission?: RefusedSubmission): Markup {
  const error = operation?.error ?? null;
  return panel(
    "Removal in progress",
    markup`${
      error
        ? callout(
          "bad",
          markup`<p><b>${error.message}.</b> Wheelwright keeps retrying.</p>${
            error.hint ? markup`<p>${error.hint}</p>` : ""
          }`,
        )
        : markup`<p>No action is needed. <a href="/hubs/${id}">Show the progress</a>.</p>`
    }${
      error
        ? markup`<h3>Abandon the removal</h3>
<p class="small">If the hub's cluster no longer exists, you can mark the hub as removed. Objects in the
cluster are not deleted.</p>${
          renderPostForm(
            {
              action: `/hubs/${id}/remove`,
              button: "Abandon",
              variant: "danger",
              submission,
              hidden: { abandon: "yes" },
            },
            { name: "slug", label: `Type ${slug} to confirm`, subject: "The slug", required: true },
          )
        }`
        : ""
    }`,
    { id: "remove" },
  );
}
