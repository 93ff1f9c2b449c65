/** Renders requests to create hubs: the list, the form, and the page on which operators approve or reject a request. */
import type { ListPage } from "#lib/drivers/db/pages.ts";
import { type Markup, markup } from "#lib/http/page.ts";
import {
  filterOptions,
  type RefusedSubmission,
  renderFormField,
  renderFormFields,
  renderPostForm,
} from "#lib/portal/components/forms.ts";
import * as ui from "#lib/portal/components/parts.ts";
import type { CatalogOffer, HubRequest, RestoreRequestItem } from "#lib/portal/components/api-types.ts";
import type { CurrentUser, PageView } from "#lib/portal/components/view.ts";
import { buildHubFields } from "#lib/portal/hubs/new-hub.ts";
import type { IconName } from "#lib/portal/components/icons.ts";
import { HUB_REQUEST_STATES } from "#lib/model/hub.ts";

export function newRequestView(catalog: CatalogOffer, submission?: RefusedSubmission): PageView {
  return {
    title: "Request a hub",
    section: "requests",
    crumbs: [["Requests", "/requests"]],
    lead: "A hub groups the Moodle sites of one organisation. An operator will decide, and you will get an email.",
    body: ui.panel(
      "Details",
      renderPostForm(
        {
          action: "/requests/new",
          button: "Send request",
          also: ui.linkButton(["Cancel", "/requests"]),
          submission,
          hidden: { key: crypto.randomUUID() },
        },
        ...buildHubFields({ catalog, slug: "chosen" }),
        {
          name: "reason",
          label: "Reason",
          type: "textarea",
          hint: "Tell operators who you are and how many sites you plan.",
          maxLength: 2000,
        },
      ),
      { id: "new" },
    ),
  };
}

interface RequestProps {
  readonly me: CurrentUser;
  readonly request: HubRequest;
  readonly catalog: CatalogOffer;
  /** The input and the error message, if the API refused the operator's approval or rejection. */
  readonly submission?: RefusedSubmission | undefined;
  readonly refusedDecision?: "approve" | "reject";
}

export function requestView({ me, request, catalog, submission, refusedDecision }: RequestProps): PageView {
  const { id, name, state } = request, open = state === "pending", canDecide = open && me.role === "operator";
  const submissionFor = (decision: "approve" | "reject") => decision === refusedDecision ? submission : undefined;
  return {
    title: name,
    section: "requests",
    crumbs: [["Requests", "/requests"]],
    badge: requestBadge(state),
    actions: open && request.requestedBy.email === me.email
      ? ui.renderPostButton(`/requests/${id}/withdraw`, "Withdraw", { about: name })
      : "",
    ...(open && { poll: 15 }),
    body: canDecide
      ? markup`<div class="two-columns"><div class="column">${requestDetailsPanel(request)}${
        approvePanel(request, catalog, submissionFor("approve"))
      }</div>${rejectPanel(request, submissionFor("reject"))}</div>`
      : markup`${submission ? ui.callout("bad", `${submission.message}.`) : ""}${requestDetailsPanel(request)}`,
  };
}

function requestDetailsPanel(request: HubRequest): Markup {
  const { slug, region, mode, tier, reason, requestedBy, createdAt, state, decidedBy, decidedAt, federationId } =
    request;
  return ui.panel(
    "Request",
    markup`${
      ui.definitionList([
        ["Slug", markup`<code>${slug}</code>`],
        region === null ? null : ["Region", region],
        tier === null ? null : ["Tier", tier],
        mode === null ? null : ["Mode", mode],
        ["Requested by", requestedBy.email],
        ["Requested", ui.renderTime(createdAt)],
        decidedBy === null ? null : [`${state === "withdrawn" ? "Withdrawn" : "Decided"} by`, decidedBy.email],
        decidedAt === null ? null : [state === "withdrawn" ? "Withdrawn" : "Decided", ui.renderTime(decidedAt)],
      ])
    }${reason === null ? "" : markup`<h3>Reason</h3><p class="user-text">${reason}</p>`}${
      request.rejectReason === null
        ? ""
        : markup`<h3>Reason for the rejection</h3><p class="user-text">${request.rejectReason}</p>`
    }${
      federationId === null ? "" : markup`<p>${ui.linkButton(["Go to the hub", `/hubs/${federationId}`], "main")}</p>`
    }`,
    { id: "request", live: true },
  );
}

function approvePanel(request: HubRequest, catalog: CatalogOffer, submission: RefusedSubmission | undefined): Markup {
  return ui.panel(
    "Approve",
    renderPostForm(
      {
        action: `/requests/${request.id}/approve`,
        button: "Approve and create hub",
        submission,
        hidden: { key: crypto.randomUUID() },
      },
      markup`<details id="otherwise" ${
        submission ? markup`open` : ""
      }><summary>Change the details</summary><div class="rest">${
        renderFormFields(buildHubFields({ catalog, hub: request, slug: "chosen" }), submission)
      }</div></details>`,
    ),
    { id: "approve", lead: `${request.requestedBy.email} becomes the hub's admin.` },
  );
}

function rejectPanel({ id, requestedBy }: HubRequest, submission: RefusedSubmission | undefined): Markup {
  return ui.panel(
    "Reject",
    renderPostForm(
      {
        action: `/requests/${id}/reject`,
        button: "Reject",
        variant: "danger",
        submission,
        hidden: { key: crypto.randomUUID() },
      },
      {
        name: "reason",
        label: "Reason",
        type: "textarea",
        hint: `Sent to ${requestedBy.email} by email and shown on this page.`,
        required: true,
        maxLength: 2000,
      },
    ),
    { id: "reject" },
  );
}

export const REQUESTS_PER_PAGE = 25;

interface RequestsProps {
  readonly me: CurrentUser;
  readonly requests: ListPage<HubRequest>;
  /** Restore requests that are still open; empty unless the user is an operator. */
  readonly restores: readonly RestoreRequestItem[];
  readonly query: { readonly state?: string | undefined };
}

export function requestsView({ me, requests, restores, query }: RequestsProps): PageView {
  return {
    title: "Hub requests",
    section: "requests",
    lead: me.role === "operator"
      ? "Approve or reject each request. The requester gets an email and, if approved, becomes the hub's admin."
      : "An operator approves or rejects your request. If it is approved, you become the hub's admin.",
    actions: markup`<a class="button main" href="/requests/new" data-create>Request a hub</a>`,
    poll: 15,
    body: markup`<div id="restores" data-live>${
      restoreRequestsPanel(restores)
    }</div><form class="filters" action="/requests">${
      renderFormField({ name: "state", label: "State", value: query.state, options: filterOptions(HUB_REQUEST_STATES) })
    }<button class="quiet">Filter</button></form>
<div id="requests" data-live>${
      requests.items.length > 0
        ? markup`<ul class="list plain">${requests.items.map((request) => requestRow(request, me))}</ul>`
        : query.state === undefined
        ? noRequests(me)
        : ui.emptyState(
          "No matching requests",
          "Change the filter or show all requests.",
          ui.linkButton(["All requests", "/requests"]),
        )
    }</div>
${ui.nextPageLink("/requests", requests.next, query)}`,
  };
}

function restoreRequestsPanel(restores: readonly RestoreRequestItem[]): Markup | string {
  if (restores.length === 0) return "";
  return ui.panel(
    "Restore requests",
    markup`<ul class="list plain">${
      restores.map(({ id, spokeId, backupId, reason, requestedBy, createdAt }) =>
        markup`<li id="${id}"><span class="name"><a class="cover" href="/spokes/${spokeId}/backups#${id}">${requestedBy.email}</a><span class="tiny soft">${backupId}</span></span>
<span class="small soft">${shorten(reason)}</span><span class="tiny soft">${ui.renderTime(createdAt)}</span></li>`
      )
    }</ul>`,
    { id: "open-restores" },
  );
}

function noRequests({ role }: CurrentUser): Markup {
  return role === "operator"
    ? ui.emptyState("No hub requests yet", "New requests appear here, and you will get an email about each request.")
    : ui.emptyState(
      "No hub requests yet",
      "A hub groups the Moodle sites of one organisation.",
      ui.linkButton(["Request a hub", "/requests/new"], "main"),
    );
}

function requestRow(
  { id, name, slug, reason, state, requestedBy, createdAt }: HubRequest,
  { role }: CurrentUser,
): Markup {
  return markup`<li id="${id}"><span class="name"><a class="cover" href="/requests/${id}">${name}</a><span class="tiny soft">${slug}</span></span>
<span class="small soft">${role === "operator" ? `${requestedBy.email} · ` : ""}${ui.renderTime(createdAt)}${
    reason === null ? "" : markup`<br>${shorten(reason)}`
  }</span>${requestBadge(state)}</li>`;
}

function shorten(text: string): string {
  return text.length > 120 ? `${text.slice(0, 119)}…` : text;
}

const STATES: Readonly<Record<HubRequest["state"], readonly [ui.BadgeTone, IconName]>> = {
  pending: ["warn", "wait"],
  approved: ["good", "done"],
  rejected: ["bad", "cross"],
  withdrawn: ["still", "minus"],
};

export function requestBadge(state: HubRequest["state"]): Markup {
  return ui.badge(...STATES[state], ui.humanize(state));
}
