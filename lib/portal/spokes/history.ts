/** What was done to a spoke: as a list, and one operation whole. */
import type { ListPage } from "#lib/drivers/db/pages.ts";
import { type Markup, markup } from "#lib/http/page.ts";
import {
  empty,
  instant,
  linkButton,
  older,
  panel,
  stateBadge,
  titled,
  withQuery,
} from "#lib/portal/components/parts.ts";
import {
  failureReport,
  isLive,
  noteList,
  operationLine,
  progressOf,
  stepList,
} from "#lib/portal/components/progress.ts";
import type { Operation, WholeOperation } from "#lib/portal/components/told.ts";
import type { View } from "#lib/portal/components/view.ts";
import { belowSpoke, type SpokePlace } from "#lib/portal/spokes/place.ts";
import { spokeStyle } from "#lib/portal/spokes/style.ts";

/** The newest of them, beside other things. */
export function historyPanel(id: string, operations: readonly Operation[]): Markup {
  return panel("Operations", listOf(id, operations), {
    id: "history",
    live: true,
    deeds: operations.length === 0 ? "" : linkButton(["All of them", `/spokes/${id}/operations`]),
  });
}

export function historyView(place: SpokePlace, { items, next }: ListPage<Operation>): View {
  const { spoke: { id }, follow } = place;
  return {
    ...belowSpoke(place),
    title: "Operations",
    lead: "All that was asked of this spoke, the newest first.",
    follow,
    style: spokeStyle,
    body: markup`<div id="history" data-live>${listOf(id, items)}</div>
${older(next && withQuery(`/spokes/${id}/operations`, { before: next }))}`,
  };
}

function listOf(id: string, operations: readonly Operation[]): Markup {
  if (operations.length === 0) return empty("Nothing was done yet", "What is asked of this spoke stands here.");
  return markup`<ul class="list history">${
    operations.map((operation) => {
      const { kind, state, createdAt, error, label } = operation;
      return markup`<li id="${operation.id}"><span class="name"><a class="cover" href="/spokes/${id}/operations/${operation.id}">${
        titled(kind)
      }</a><span class="tiny soft">${instant(createdAt)}</span></span>${markup`<span class="small soft">${
        isLive(operation) ? label : error?.message ?? ""
      }</span>`}${stateBadge(state)}</li>`;
    })
  }</ul>`;
}

export interface OperationShown {
  readonly place: SpokePlace;
  readonly operation: WholeOperation;
  readonly now: Date;
}

export function operationView({ place, operation, now }: OperationShown): View {
  const { spoke: { id, state } } = place;
  const { kind, error, steps, waitingFor } = operation, section = belowSpoke(place);
  const report = error && !steps.some(({ name }) => name === error.step) ? failureReport(operation) : "";
  return {
    ...section,
    crumbs: [...section.crumbs ?? [], ["Operations", `/spokes/${id}/operations`]],
    title: titled(kind),
    badge: stateBadge(operation.state),
    follow: place.follow,
    style: spokeStyle,
    deeds: operation.state === "failed" && state === "failed"
      ? markup`<form class="inline" method="post" action="/spokes/${id}/retry"><button class="main">Try again</button></form>`
      : "",
    body: markup`<section class="panel" id="operation" data-live aria-labelledby="operation-title">
<h2 id="operation-title">Steps</h2>
${isLive(operation) ? progressOf(operation) : ""}
${operationLine(operation, now)}
${
      waitingFor?.spokeId
        ? markup`<p class="small">It waits for <a href="/spokes/${waitingFor.spokeId}/operations/${waitingFor.id}">${
          titled(waitingFor.kind)
        }</a>, which goes first.</p>`
        : ""
    }
${report}
${stepList(operation, now)}
${noteList(operation)}
<p class="tiny soft">Operation <code>${operation.id}</code></p>
</section>`,
  };
}
