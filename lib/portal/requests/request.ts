/** One request for a hub: what was asked for, by whom, and what became of it; and where somebody asks. */
import { type Markup, markup } from "#lib/http/page.ts";
import { area, formOf, type Tried } from "#lib/portal/components/forms.ts";
import { facts, instant, linkButton, notice, panel, postButton } from "#lib/portal/components/parts.ts";
import type { HubRequest, Offers } from "#lib/portal/components/told.ts";
import type { Me, View } from "#lib/portal/components/view.ts";
import { hubFields } from "#lib/portal/hubs/offered.ts";
import { requestBadge } from "#lib/portal/requests/list.ts";

export function newRequestView(offers: Offers, tried?: Tried): View {
  return {
    title: "Ask for a hub",
    section: "requests",
    crumbs: [["Requests", "/requests"]],
    lead: "A hub holds the Moodle sites of one organisation. An operator decides, and you are told by mail.",
    body: panel(
      "The hub that you want",
      formOf(
        {
          action: "/requests/new",
          button: "Ask for it",
          also: linkButton(["Cancel", "/requests"]),
          tried,
          hidden: { key: crypto.randomUUID() },
        },
        hubFields({ offers, slug: "chosen", tried }),
        area({
          name: "reason",
          label: "What it is for",
          hint: "Who you are, and how many sites you think of: it helps to decide.",
          most: 2000,
          tried,
        }),
      ),
      { id: "new" },
    ),
  };
}

interface RequestShown {
  readonly me: Me;
  readonly request: HubRequest;
  readonly offers: Offers;
  /** A decision that was not taken, and which. */
  readonly tried?: Tried | undefined;
  readonly deciding?: "approve" | "reject";
}

export function requestView({ me, request, offers, tried, deciding }: RequestShown): View {
  const { id, name, state } = request, open = state === "pending", decides = open && me.role === "operator";
  const forWhich = (which: "approve" | "reject") => which === deciding ? tried : undefined;
  return {
    title: name,
    section: "requests",
    crumbs: [["Requests", "/requests"]],
    badge: requestBadge(state),
    deeds: open && request.requestedBy.email === me.email
      ? postButton(`/requests/${id}/withdraw`, "Withdraw", { about: name })
      : "",
    ...(open && { poll: 15 }),
    body: decides
      ? markup`<div class="two"><div class="pile">${askedPanel(request)}${
        approvePanel(request, offers, forWhich("approve"))
      }</div>${rejectPanel(request, forWhich("reject"))}</div>`
      : markup`${tried ? notice("bad", `${tried.message}.`) : ""}${askedPanel(request)}`,
    style: ".said { white-space: pre-line; overflow-wrap: anywhere; }",
  };
}

function askedPanel(request: HubRequest): Markup {
  const { slug, region, mode, tier, reason, requestedBy, createdAt, state, decidedBy, decidedAt, federationId } =
    request;
  return panel(
    "What is asked for",
    markup`${
      facts([
        ["Slug", markup`<code>${slug}</code>`],
        region === null ? null : ["Region", region],
        tier === null ? null : ["Tier", tier],
        mode === null ? null : ["Mode", mode],
        ["Asked by", requestedBy.email],
        ["Asked", instant(createdAt)],
        decidedBy === null ? null : [`${state === "withdrawn" ? "Withdrawn" : "Decided"} by`, decidedBy.email],
        decidedAt === null ? null : ["Since", instant(decidedAt)],
      ])
    }${reason === null ? "" : markup`<h3>What it is for</h3><p class="said">${reason}</p>`}${
      request.rejectReason === null
        ? ""
        : markup`<h3>Why it was rejected</h3><p class="said">${request.rejectReason}</p>`
    }${federationId === null ? "" : markup`<p>${linkButton(["To the hub", `/hubs/${federationId}`], "main")}</p>`}`,
    { id: "asked", live: true },
  );
}

function approvePanel(request: HubRequest, offers: Offers, tried: Tried | undefined): Markup {
  return panel(
    "Approve",
    formOf(
      {
        action: `/requests/${request.id}/approve`,
        button: "Approve, and make the hub",
        tried,
        hidden: { key: crypto.randomUUID() },
      },
      markup`<details id="otherwise" ${
        tried ? markup`open` : ""
      }><summary>Make it otherwise than asked</summary><div class="rest">${
        hubFields({ offers, hub: request, slug: "chosen", tried })
      }</div></details>`,
    ),
    { id: "approve", lead: `${request.requestedBy.email} becomes its admin.` },
  );
}

function rejectPanel({ id, requestedBy }: HubRequest, tried: Tried | undefined): Markup {
  return panel(
    "Reject",
    formOf(
      {
        action: `/requests/${id}/reject`,
        button: "Reject",
        look: "danger",
        tried,
        hidden: { key: crypto.randomUUID() },
      },
      area({
        name: "reason",
        label: "Why",
        hint: `${requestedBy.email} reads this, by mail and here.`,
        required: true,
        most: 2000,
        tried,
      }),
    ),
    { id: "reject" },
  );
}
