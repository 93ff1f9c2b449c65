/** Renders the form to request a hub, and the page for a request, on which operators approve or reject it. */
import { type Markup, markup } from "#lib/http/page.ts";
import { type RefusedSubmission, renderFormFields, renderPostForm } from "#lib/portal/components/forms.ts";
import {
  callout,
  definitionList,
  linkButton,
  panel,
  renderPostButton,
  renderTime,
} from "#lib/portal/components/parts.ts";
import type { CatalogOffer, HubRequest } from "#lib/portal/components/api-types.ts";
import type { CurrentUser, PageView } from "#lib/portal/components/view.ts";
import { buildHubFields } from "#lib/portal/hubs/new-hub.ts";
import { requestBadge } from "#lib/portal/requests/list.ts";

export function newRequestView(catalog: CatalogOffer, submission?: RefusedSubmission): PageView {
  return {
    title: "Request a hub",
    section: "requests",
    crumbs: [["Requests", "/requests"]],
    lead: "A hub groups the Moodle sites of one organisation. An operator will decide, and you will get an email.",
    body: panel(
      "Details",
      renderPostForm(
        {
          action: "/requests/new",
          button: "Send request",
          also: linkButton(["Cancel", "/requests"]),
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
      ? renderPostButton(`/requests/${id}/withdraw`, "Withdraw", { about: name })
      : "",
    ...(open && { poll: 15 }),
    body: canDecide
      ? markup`<div class="two-columns"><div class="column">${requestDetailsPanel(request)}${
        approvePanel(request, catalog, submissionFor("approve"))
      }</div>${rejectPanel(request, submissionFor("reject"))}</div>`
      : markup`${submission ? callout("bad", `${submission.message}.`) : ""}${requestDetailsPanel(request)}`,
    style: ".user-text { white-space: pre-line; overflow-wrap: anywhere; }",
  };
}

function requestDetailsPanel(request: HubRequest): Markup {
  const { slug, region, mode, tier, reason, requestedBy, createdAt, state, decidedBy, decidedAt, federationId } =
    request;
  return panel(
    "Request",
    markup`${
      definitionList([
        ["Slug", markup`<code>${slug}</code>`],
        region === null ? null : ["Region", region],
        tier === null ? null : ["Tier", tier],
        mode === null ? null : ["Mode", mode],
        ["Requested by", requestedBy.email],
        ["Requested", renderTime(createdAt)],
        decidedBy === null ? null : [`${state === "withdrawn" ? "Withdrawn" : "Decided"} by`, decidedBy.email],
        decidedAt === null ? null : [state === "withdrawn" ? "Withdrawn" : "Decided", renderTime(decidedAt)],
      ])
    }${reason === null ? "" : markup`<h3>Reason</h3><p class="user-text">${reason}</p>`}${
      request.rejectReason === null
        ? ""
        : markup`<h3>Reason for the rejection</h3><p class="user-text">${request.rejectReason}</p>`
    }${federationId === null ? "" : markup`<p>${linkButton(["Go to the hub", `/hubs/${federationId}`], "main")}</p>`}`,
    { id: "request", live: true },
  );
}

function approvePanel(request: HubRequest, catalog: CatalogOffer, submission: RefusedSubmission | undefined): Markup {
  return panel(
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
  return panel(
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
