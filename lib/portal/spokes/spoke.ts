/** A spoke: what is being done to it, why something failed, how it is, and what it is. */
import { type Markup, markup } from "#lib/http/page.ts";
import { icon } from "#lib/portal/components/icons.ts";
import {
  badge,
  definitionList,
  humanize,
  instant,
  linkButton,
  notice,
  panel,
  postButton,
  stateBadge,
} from "#lib/portal/components/parts.ts";
import { failureReport, noteList, operationSummary, progressBar, stepList } from "#lib/portal/components/progress.ts";
import type { View } from "#lib/portal/components/view.ts";
import type { Operation, OperationDetails, Spoke } from "#lib/portal/components/api-types.ts";
import { recentOperationsPanel } from "#lib/portal/spokes/operations.ts";
import { allowedActions, spokeHead, type SpokePage } from "#lib/portal/spokes/spoke-page.ts";
import { spokeStyle } from "#lib/portal/spokes/style.ts";

export interface SpokeProps {
  readonly spokePage: SpokePage;
  /** The newest first. */
  readonly operations: readonly Operation[];
  /** The newest operation whole, or null where none was. */
  readonly latest: OperationDetails | null;
  readonly now: Date;
}

export function spokeView({ spokePage, operations, latest, now }: SpokeProps): View {
  const { spoke } = spokePage, { id, domain, url, state } = spoke;
  const reachable = spoke.readyAt !== null && state !== "removed";
  const address = reachable ? markup`<a href="${url}">${domain} ${icon("open")}</a>` : domain;
  return {
    ...spokeHead(spokePage, ""),
    lead: markup`${address}${spoke.maintenance ? markup` ${badge("warn", "warning", "In maintenance")}` : ""}`,
    actions: actionMenu(spokePage),
    style: spokeStyle,
    body: markup`<div class="two" id="spoke" data-live><div class="pile">
${state === "removed" ? removedNotice(spoke) : ""}
<div id="mail" data-live>${spoke.mail === "held" && state === "active" ? mailNotice(spoke) : ""}</div>
${operationPanel(spoke, latest, now)}
${WITHOUT_HEALTH.includes(state) ? "" : healthPanel(spokePage)}
${recentOperationsPanel(id, operations)}
</div>
${aboutPanel(spoke)}</div>`,
  };
}

/** Of a site that is not up there is nothing to see, and why that is stands with the operation. */
const WITHOUT_HEALTH: readonly Spoke["state"][] = ["provisioning", "failed", "removing", "removed"];

function actionMenu(spokePage: SpokePage): Markup {
  const { spoke: { id, federationId, state, maintenance, readyAt }, canManageHub } = spokePage;
  const removable = canManageHub && state !== "removed" && state !== "removing";
  const items = [
    ...allowedActions(spokePage).map((name) =>
      markup`<li><a href="/spokes/${id}/actions/${name}">${humanize(name)} …</a></li>`
    ),
    ...(removable && readyAt !== null
      ? [markup`<li><a href="/hubs/${federationId}/spokes/new?copyOf=${id}">Copy …</a></li>`]
      : []),
    ...(removable ? [markup`<li class="danger"><a href="/spokes/${id}/destroy">Destroy …</a></li>`] : []),
  ];
  return markup`${
    state === "active" && !maintenance ? linkButton(["Sign in to the site", `/spokes/${id}/way-in`], "main") : ""
  }${state === "suspended" ? linkButton(["Resume …", `/spokes/${id}/actions/resume`], "main") : ""}${
    state === "removing" && canManageHub ? linkButton(["About the removal", `/spokes/${id}/destroy`]) : ""
  }${
    items.length === 0
      ? ""
      : markup`<details class="menu" id="actions"><summary class="button quiet">Actions</summary><ul>${items}</ul></details>`
  }`;
}

/** What is under way, or failed; empty where neither is. */
function operationPanel({ id, state }: Spoke, latest: OperationDetails | null, now: Date): Markup {
  const failed = latest?.state === "failed" && state === "failed";
  if (!latest || (latest.finishedAt !== null && !failed)) return markup`<div id="operation" data-live></div>`;
  const atStep = latest.steps.some(({ name }) => name === latest.error?.step);
  return panel(
    humanize(latest.kind),
    markup`${failed ? "" : progressBar(latest)}
${operationSummary(latest, now)}
${atStep ? "" : failureReport(latest)}
${stepList(latest, now)}
${noteList(latest)}`,
    {
      id: "operation",
      live: true,
      actions: markup`${stateBadge(latest.state)}${
        failed ? postButton(`/spokes/${id}/retry`, "Try again", { variant: "main" }) : ""
      }`,
    },
  );
}

function healthPanel({ spoke: { id, state, health, stateReason, drift, observedAt }, isOperator }: SpokePage): Markup {
  const healthText = state !== "active"
    ? stateReason ?? "It is looked at while it is active."
    : health === "healthy"
    ? "All of it answers."
    : health === "degraded"
    ? stateReason ?? "Not all of it answers."
    : observedAt === null
    ? "Nobody has looked yet."
    : "Its cluster does not answer at the moment.";
  const reapply = drift && isOperator && (state === "active" || state === "suspended")
    ? linkButton(["Reapply …", `/spokes/${id}/actions/reapply`])
    : "";
  return panel(
    "Health and drift",
    markup`<p class="small">${healthText} <span class="soft">Looked at ${instant(observedAt, "never")}.</span></p>
${
      drift
        ? driftReport(drift, isOperator)
        : markup`<p class="small soft">Nothing is known to differ from what it was made from.</p>`
    }`,
    { id: "health", live: true, actions: reapply },
  );
}

function driftReport({ objects, revision }: NonNullable<Spoke["drift"]>, isOperator: boolean): Markup {
  return markup`${
    objects.length === 0
      ? ""
      : markup`<div class="notice warn"><p><b>Something in the cluster was changed by others.</b> ${
        isOperator ? "Reapply shows, field by field, what it would put back." : "An operator can put it back."
      }</p></div>
<ul class="drift small">${
        objects.map(({ object, what, fields }) =>
          markup`<li><code>${object}</code> ${what === "missing" ? "is missing" : "was changed"}${
            fields.length === 0 ? "" : markup`<ul>${fields.map((name) => markup`<li><code>${name}</code></li>`)}</ul>`
          }</li>`
        )
      }</ul>`
  }${
    revision
      ? markup`<p class="small soft">Made from revision <code>${revision.from}</code> of the blueprint; the present one is <code>${revision.to}</code>.</p>`
      : ""
  }`;
}

function removedNotice({ id, updatedAt }: Spoke): Markup {
  return notice(
    "info",
    markup`<p><b>It was removed on ${
      instant(updatedAt)
    }.</b> What it was stays readable here. <a href="/spokes/${id}/backups">Its last backup</a>, where one could be taken, is kept.</p>`,
  );
}

/** Of a copy, the people are the other site's. */
function mailNotice({ id }: Spoke): Markup {
  return notice(
    "info",
    markup`<p><b>The site sends no mail until you say so.</b> Its people are written to from then on, as by any other site.</p>
<p>${postButton(`/spokes/${id}/settings`, "Turn mail on", { fields: { mail: "on" } })}</p>`,
  );
}

function aboutPanel(spoke: Spoke): Markup {
  const { slug, size, lmsVersion, imageDigest, region, adminEmail, readyAt, createdAt, namespace, id } = spoke;
  return panel(
    "About",
    definitionList([
      ["Slug", slug],
      ["Size", humanize(size)],
      ["Moodle", lmsVersion],
      ["Region", region ?? "anywhere"],
      ["Administrator", adminEmail],
      ["Mail", spoke.mail === "held" ? "held" : "on"],
      spoke.from && ["Copy of", markup`<a href="/spokes/${spoke.from.spokeId}">${spoke.from.spokeId}</a>`],
      ["Brand", spoke.brand ?? "none"],
      ["Identity", spoke.identity ? "yes" : "no"],
      ["Content", spoke.content ? spoke.contentMode ?? "yes" : "no"],
      ["Asked for", instant(createdAt)],
      ["Image", imageDigest === null ? "not seen yet" : markup`<code>${imageDigest}</code>`],
      ["First ready", instant(readyAt, "not yet")],
      ["Namespace", markup`<code>${namespace}</code>`],
      ["Id", markup`<code>${id}</code>`],
      spoke.formerDomains.length === 0 ? null : [
        "Former addresses",
        spoke.formerDomains.map(({ domain, until }) => markup`<span>${domain}, until ${instant(until)}</span><br>`),
      ],
    ]),
    { id: "about", live: true },
  );
}
