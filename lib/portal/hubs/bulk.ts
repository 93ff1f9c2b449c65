/** Many spokes at once: what is about to be asked of which, and what each answered. */
import { type Markup, markup } from "#lib/http/page.ts";
import { badge, empty, hidden, linkButton, notice, panel, stateBadge, titled } from "#lib/portal/components/parts.ts";
import { formOf } from "#lib/portal/components/forms.ts";
import type { Answered, Foreseen, Hub, Spoke } from "#lib/portal/components/told.ts";
import type { View } from "#lib/portal/components/view.ts";

/** A chosen spoke, and what the action would come to: null where that was not asked, a sentence where it is refused. */
export interface Chosen {
  readonly spoke: Spoke;
  readonly foreseen: Foreseen | string | null;
}

interface BulkShown {
  readonly hub: Hub;
  readonly action: string;
  readonly chosen: readonly Chosen[];
}

export function confirmBulkView({ hub, action, chosen }: BulkShown): View {
  const refused = chosen.filter(({ foreseen }) => typeof foreseen === "string").length;
  const able = chosen.length - refused, word = titled(action);
  return {
    ...bulkHead(hub, `${word}: ${countOf(chosen.length)}`),
    body: chosen.length === 0 || able === 0
      ? nothingToDo(hub, chosen)
      : markup`${
        refused > 0 ? notice("warn", `${countOf(refused)} of these cannot do that as things are; the others can.`) : ""
      }${
        panel("Is this what you mean?", listOf(chosen.map(({ spoke, foreseen }) => [spoke, foresight(foreseen)])), {
          id: "chosen",
        })
      }
${
        formOf({
          action: `/hubs/${hub.id}/actions`,
          button: `${word}: ${countOf(able)}`,
          also: linkButton(["Cancel", `/hubs/${hub.id}`]),
          hidden: { action, confirmed: "yes" },
        }, hidden(Object.fromEntries(chosen.map(({ spoke }) => [`spoke:${spoke.id}`, "on"]))))
      }`,
  };
}

function nothingToDo({ id }: Hub, chosen: readonly Chosen[]): Markup {
  const back = linkButton(["Back to the hub", `/hubs/${id}`], "main");
  return chosen.length === 0
    ? empty("No spoke is chosen", "Tick the spokes that it is about in the hub's list, then choose what to do.", back)
    : markup`${
      panel("None of these can do that now", listOf(chosen.map((each) => [each.spoke, foresight(each.foreseen)])), {
        id: "chosen",
      })
    }<p>${back}</p>`;
}

/** What each of them said to it. */
export function bulkOutcomeView(
  { hub, action, chosen, answers }: BulkShown & { readonly answers: readonly Answered[] },
): View {
  const spokes = new Map(chosen.map(({ spoke }) => [spoke.id, spoke]));
  const accepted = answers.filter((answer) => answer.accepted).length, refused = answers.length - accepted;
  return {
    ...bulkHead(hub, `${titled(action)}: ${accepted} of ${answers.length} accepted`),
    lead: refused === 0 ? "" : "Of those that refused nothing was changed.",
    body: markup`${
      panel(
        "What each answered",
        listOf(answers.map(({ id, spoke, accepted, error }) => [
          spoke ?? spokes.get(id)!,
          accepted
            ? markup`${badge("good", "done", "Accepted")} <span class="small soft">It is queued or under way.</span>`
            : markup`${badge("bad", "cross", "Refused")} <span class="small">${error?.message}.</span>`,
        ])),
        { id: "answers" },
      )
    }<p>${linkButton(["Back to the hub, where the progress is shown", `/hubs/${hub.id}`], "main")}</p>`,
  };
}

function bulkHead({ id, name }: Hub, title: string): Pick<View, "title" | "section" | "crumbs"> {
  return { title, section: "hubs", crumbs: [["Hubs", "/hubs"], [name, `/hubs/${id}`]] };
}

function countOf(count: number): string {
  return count === 1 ? "1 spoke" : `${count} spokes`;
}

function listOf(rows: readonly (readonly [Spoke, Markup | string])[]): Markup {
  return markup`<ul class="list plain">${
    rows.map(([{ id, displayName, domain, state, health }, text]) =>
      markup`<li id="${id}"><span class="name"><a class="cover" href="/spokes/${id}">${displayName}</a><span class="tiny soft">${domain}</span></span>
<span class="marks">${text}</span>${stateBadge(state, health)}</li>`
    )
  }</ul>`;
}

function foresight(foreseen: Chosen["foreseen"]): Markup | string {
  if (foreseen === null) return "";
  if (typeof foreseen === "string") {
    return markup`${badge("warn", "warning", "Cannot")} <span class="small">${foreseen}.</span>`;
  }
  const { state, becomes, downtime, notes } = foreseen;
  return markup`${downtime ? badge("warn", "pause", "The site is away") : ""} <span class="small soft">${
    becomes === state ? "" : `Becomes ${becomes}. `
  }${notes.map((note) => `${note}. `)}</span>`;
}
