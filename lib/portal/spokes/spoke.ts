/** Renders an overview of a spoke: its current operation, health, recent operations and details. */
import { type Markup, markup } from "#lib/http/page.ts";
import { icon } from "#lib/portal/components/icons.ts";
import * as ui from "#lib/portal/components/parts.ts";
import {
  failureReport,
  operationNotes,
  operationSummary,
  progressBar,
  stepList,
} from "#lib/portal/components/progress.ts";
import type { PageView } from "#lib/portal/components/view.ts";
import { availabilityPanel } from "#lib/portal/components/availability.ts";
import type { Operation, OperationDetails, Spoke, SpokeAvailabilityMonths } from "#lib/portal/components/api-types.ts";
import { aboutPanel } from "#lib/portal/spokes/about.ts";
import { healthPanel } from "#lib/portal/spokes/health.ts";
import { recentOperationsPanel } from "#lib/portal/spokes/operations.ts";
import { type SharedByHub, sharedPanel } from "#lib/portal/spokes/policy.ts";
import { siteReportPanels, type SiteReports } from "#lib/portal/spokes/site-reports.ts";
import { allowedActions, spokeHeader, type SpokePageData } from "#lib/portal/spokes/spoke-page.ts";

export interface SpokePageProps {
  readonly spokePage: SpokePageData;
  /** The spoke's recent operations, newest first. */
  readonly operations: readonly Operation[];
  /** The newest operation with its steps; null if the spoke has no operations. */
  readonly latest: OperationDetails | null;
  readonly availability: SpokeAvailabilityMonths;
  readonly reports: SiteReports;
  readonly shared: SharedByHub;
  readonly now: Date;
}

export function spokeView(
  { spokePage, operations, latest, availability, reports, shared, now }: SpokePageProps,
): PageView {
  const { spoke } = spokePage, { id, domain, url, state } = spoke;
  const reachable = spoke.readyAt !== null && state !== "removed";
  const address = reachable ? markup`<a href="${url}">${domain} ${icon("open")}</a>` : domain;
  return {
    ...spokeHeader(spokePage, ""),
    lead: markup`${address}${spoke.maintenance ? markup` ${ui.badge("warn", "warning", "Maintenance mode")}` : ""}`,
    actions: actionMenu(spokePage),
    body: markup`<div class="two-columns" id="spoke" data-live><div class="column">
${state === "removed" ? removedNotice(spoke) : ""}
<div id="mail" data-live>${spoke.mail === "held" && state === "active" ? mailNotice(spoke) : ""}</div>
${operationPanel(spoke, latest, now)}
${WITHOUT_HEALTH.includes(state) ? "" : healthPanel(spokePage, availability)}
${sharedPanel(shared, spokePage)}
${availabilityPanel(availability)}
${reachable ? siteReportPanels(reports) : ""}
${recentOperationsPanel(id, operations)}
</div>
${aboutPanel(spoke)}</div>`,
  };
}

/** Spoke states for which the page shows no health panel, because the operation's panel explains these states. */
const WITHOUT_HEALTH: readonly Spoke["state"][] = ["provisioning", "failed", "removing", "removed"];

function actionMenu(spokePage: SpokePageData): Markup {
  const { spoke: { id, federationId, state, maintenance, readyAt }, canManageHub } = spokePage;
  const removable = canManageHub && state !== "removed" && state !== "removing";
  const isPublisher = canManageHub && state === "active";
  const items = [
    ...allowedActions(spokePage).map((name) =>
      markup`<li><a href="/spokes/${id}/actions/${name}">${ui.humanize(name)} …</a></li>`
    ),
    ...(isPublisher
      ? [markup`<li><a href="/hubs/${federationId}/courses/publish?from=${id}">Publish a course …</a></li>`]
      : []),
    ...(removable && readyAt !== null
      ? [markup`<li><a href="/hubs/${federationId}/spokes/new?copyOf=${id}">Copy …</a></li>`]
      : []),
    ...(removable ? [markup`<li class="danger"><a href="/spokes/${id}/destroy">Destroy …</a></li>`] : []),
  ];
  return markup`${
    state === "active" && !maintenance
      ? ui.linkButton(["Sign in to the site", `/spokes/${id}/sign-in-link`], "main")
      : ""
  }${state === "suspended" ? ui.linkButton(["Resume …", `/spokes/${id}/actions/resume`], "main") : ""}${
    state === "removing" && canManageHub ? ui.linkButton(["Removal details", `/spokes/${id}/destroy`]) : ""
  }${
    items.length === 0
      ? ""
      : markup`<details class="menu" id="actions"><summary class="button quiet">Actions</summary><ul>${items}</ul></details>`
  }`;
}

/** Returns a panel for the spoke's running or failed operation; empty if no operation is running or has failed. */
function operationPanel({ id, state }: Spoke, latest: OperationDetails | null, now: Date): Markup {
  const failed = latest?.state === "failed" && state === "failed";
  if (!latest || (latest.finishedAt !== null && !failed)) return markup`<div id="operation" data-live></div>`;
  const atStep = latest.steps.some(({ name }) => name === latest.error?.step);
  return ui.panel(
    ui.humanize(latest.kind),
    markup`${failed ? "" : progressBar(latest)}
${operationSummary(latest, now)}
${atStep ? "" : failureReport(latest)}
${stepList(latest, now)}
${operationNotes(latest)}`,
    {
      id: "operation",
      live: true,
      actions: markup`${ui.stateBadge(latest.state)}${
        failed ? ui.renderPostButton(`/spokes/${id}/retry`, "Try again", { variant: "main" }) : ""
      }`,
    },
  );
}

function removedNotice({ id, updatedAt }: Spoke): Markup {
  return ui.callout(
    "info",
    markup`<p><b>Removed on ${
      ui.renderTime(updatedAt)
    }.</b> Its details stay available here. <a href="/spokes/${id}/backups">Its final backup</a> is kept if one was taken.</p>`,
  );
}

/** Explains why a copied site sends no email at first: its users belong to the original site. */
function mailNotice({ id }: Spoke): Markup {
  return ui.callout(
    "info",
    markup`<p><b>This copy sends no mail.</b> Turn mail on when the site may send mail to its users.</p>
<p>${ui.renderPostButton(`/spokes/${id}/settings`, "Turn mail on", { fields: { mail: "on" } })}</p>`,
  );
}
