/** Renders the confirmation page and the results page for an action on several spokes. */
import { type Markup, markup } from "#lib/http/page.ts";
import * as ui from "#lib/portal/components/parts.ts";
import { renderPostForm } from "#lib/portal/components/forms.ts";
import type { BulkActionResult, Hub, PreviewedAction, Spoke } from "#lib/portal/components/api-types.ts";
import type { PageView } from "#lib/portal/components/view.ts";

/** A selected spoke. `preview` is a preview, an error message if the API refused it, or null if none was requested. */
export interface SelectedSpoke {
  readonly spoke: Spoke;
  readonly preview: PreviewedAction | string | null;
}

interface BulkProps {
  readonly hub: Hub;
  readonly action: string;
  readonly selected: readonly SelectedSpoke[];
}

export function bulkConfirmationView({ hub, action, selected }: BulkProps): PageView {
  const refused = selected.filter(({ preview }) => typeof preview === "string").length;
  const able = selected.length - refused, word = ui.humanize(action);
  return {
    ...bulkHead(hub, `${word}: ${countSpokes(selected.length)}`),
    body: selected.length === 0 || able === 0
      ? nothingToDo(hub, selected)
      : markup`${
        refused > 0
          ? ui.callout("warn", `${countSpokes(refused)} cannot run this action now. The other spokes can.`)
          : ""
      }${
        ui.panel(
          "Selected spokes",
          spokeList(selected.map(({ spoke, preview }) => [spoke, previewCell(preview)])),
          {
            id: "chosen",
          },
        )
      }
${
        renderPostForm({
          action: `/hubs/${hub.id}/actions`,
          button: `${word}: ${countSpokes(able)}`,
          also: ui.linkButton(["Cancel", `/hubs/${hub.id}`]),
          hidden: { action, confirmed: "yes" },
        }, ...ui.hiddenInputs(Object.fromEntries(selected.map(({ spoke }) => [`spoke:${spoke.id}`, "on"]))))
      }`,
  };
}

function nothingToDo({ id }: Hub, selected: readonly SelectedSpoke[]): Markup {
  const back = ui.linkButton(["Back to the hub", `/hubs/${id}`], "main");
  return selected.length === 0
    ? ui.emptyState(
      "No spokes selected",
      "Select spokes in the hub's list, then choose an action.",
      back,
    )
    : markup`${
      ui.panel(
        "None of the selected spokes can run this action now",
        spokeList(selected.map((each) => [each.spoke, previewCell(each.preview)])),
        {
          id: "chosen",
        },
      )
    }<p>${back}</p>`;
}

export function bulkResultsView(
  { hub, action, selected, answers }: BulkProps & { readonly answers: readonly BulkActionResult[] },
): PageView {
  const spokes = new Map(selected.map(({ spoke }) => [spoke.id, spoke]));
  const accepted = answers.filter((answer) => answer.accepted).length, refused = answers.length - accepted;
  return {
    ...bulkHead(hub, `${ui.humanize(action)}: ${accepted} of ${answers.length} accepted`),
    lead: refused === 0 ? "" : "Spokes for which the action was refused are unchanged.",
    body: markup`${
      ui.panel(
        "Results",
        spokeList(answers.map(({ id, spoke, accepted, error }) => [
          spoke ?? spokes.get(id)!,
          accepted
            ? markup`${ui.badge("good", "done", "Accepted")} <span class="small soft">Queued or running.</span>`
            : markup`${ui.badge("bad", "cross", "Refused")} <span class="small">${error?.message}.</span>`,
        ])),
        { id: "answers" },
      )
    }<p>${ui.linkButton(["Go to the hub to see the progress", `/hubs/${hub.id}`], "main")}</p>`,
  };
}

function bulkHead({ id, name }: Hub, title: string): Pick<PageView, "title" | "section" | "crumbs"> {
  return { title, section: "hubs", crumbs: [["Hubs", "/hubs"], [name, `/hubs/${id}`]] };
}

function countSpokes(count: number): string {
  return count === 1 ? "1 spoke" : `${count} spokes`;
}

function spokeList(rows: readonly (readonly [Spoke, Markup | string])[]): Markup {
  return markup`<ul class="list plain">${
    rows.map(([{ id, displayName, domain, state, health }, text]) =>
      markup`<li id="${id}"><span class="name"><a class="cover" href="/spokes/${id}">${displayName}</a><span class="tiny soft">${domain}</span></span>
<span class="marks">${text}</span>${ui.stateBadge(state, health)}</li>`
    )
  }</ul>`;
}

function previewCell(preview: SelectedSpoke["preview"]): Markup | string {
  if (preview === null) return "";
  if (typeof preview === "string") {
    return markup`${ui.badge("warn", "warning", "Not possible")} <span class="small">${preview}.</span>`;
  }
  const { state, becomes, downtime, notes } = preview;
  return markup`${downtime ? ui.badge("warn", "pause", "Downtime") : ""} <span class="small soft">${
    becomes === state ? "" : `Becomes ${becomes}. `
  }${notes.map((note) => `${note}. `)}</span>`;
}
