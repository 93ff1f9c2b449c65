/** Renders the list of a spoke's operations, and the page for a single operation. */
import type { ListPage } from "#lib/drivers/db/pages.ts";
import { type Markup, markup } from "#lib/http/page.ts";
import * as ui from "#lib/portal/components/parts.ts";
import {
  failureReport,
  isUnfinishedOperation,
  operationNotes,
  operationSummary,
  progressBar,
  stepList,
} from "#lib/portal/components/progress.ts";
import type { Operation, OperationDetails } from "#lib/portal/components/api-types.ts";
import type { PageView } from "#lib/portal/components/view.ts";
import { spokeHeader, type SpokePageData, subpageHeader } from "#lib/portal/spokes/spoke-page.ts";

export function recentOperationsPanel(id: string, operations: readonly Operation[]): Markup {
  return ui.panel("Operations", operationList(id, operations), {
    id: "history",
    live: true,
    actions: operations.length === 0 ? "" : ui.linkButton(["All operations", `/spokes/${id}/operations`]),
  });
}

export function operationsView(spokePage: SpokePageData, { items, next }: ListPage<Operation>): PageView {
  const { spoke: { id } } = spokePage;
  return {
    ...spokeHeader(spokePage, "/operations"),
    body: markup`<div id="history" data-live>${operationList(id, items)}</div>
${ui.nextPageLink(`/spokes/${id}/operations`, next)}`,
  };
}

function operationList(id: string, operations: readonly Operation[]): Markup {
  if (operations.length === 0) return ui.emptyState("No operations yet", "Operations on this spoke appear here.");
  return markup`<ul class="list history">${
    operations.map((operation) => {
      const { kind, state, createdAt, error, label } = operation;
      return markup`<li id="${operation.id}"><span class="name"><a class="cover" href="/spokes/${id}/operations/${operation.id}">${
        ui.humanize(kind)
      }</a><span class="tiny soft">${ui.renderTime(createdAt)}</span></span>${markup`<span class="small soft">${
        isUnfinishedOperation(operation) ? label : error?.message ?? ""
      }</span>`}${ui.stateBadge(state)}</li>`;
    })
  }</ul>`;
}

export interface OperationProps {
  readonly spokePage: SpokePageData;
  readonly operation: OperationDetails;
  readonly now: Date;
}

export function operationView({ spokePage, operation, now }: OperationProps): PageView {
  const { spoke: { id, state } } = spokePage;
  const { kind, error, steps, waitingFor } = operation,
    { canManageHub } = spokePage,
    section = subpageHeader(spokePage);
  const report = error && !steps.some(({ name }) => name === error.step) ? failureReport(operation) : "";
  return {
    ...section,
    crumbs: [...section.crumbs ?? [], ["Operations", `/spokes/${id}/operations`]],
    title: ui.humanize(kind),
    badge: ui.stateBadge(operation.state),
    follow: spokePage.follow,
    actions: operation.state === "failed" && state === "failed"
      ? markup`<form class="inline" method="post" action="/spokes/${id}/retry"><button class="main">Try again</button></form>`
      : kind === "publish-course" && canManageHub
      ? ui.linkButton(["Courses of the hub", `/hubs/${spokePage.spoke.federationId}/policy#courses`])
      : "",
    body: markup`<section class="panel" id="operation" data-live aria-labelledby="operation-title">
<h2 id="operation-title">Steps</h2>
${isUnfinishedOperation(operation) ? progressBar(operation) : ""}
${operationSummary(operation, now)}
${
      waitingFor?.spokeId
        ? markup`<p class="small">Waiting for <a href="/spokes/${waitingFor.spokeId}/operations/${waitingFor.id}">${
          ui.humanize(waitingFor.kind)
        }</a> to finish.</p>`
        : ""
    }
${report}
${stepList(operation, now)}
${operationNotes(operation)}
<p class="tiny soft">Operation <code>${operation.id}</code></p>
</section>`,
  };
}
