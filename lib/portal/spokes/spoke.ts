/** A spoke: what is being done to it, why something failed, how it is, and what it is. */
import { type Markup, markup } from "#lib/http/page.ts";
import { icon } from "#lib/portal/components/icons.ts";
import {
  badge,
  facts,
  instant,
  linkButton,
  notice,
  panel,
  postButton,
  stateBadge,
  titled,
} from "#lib/portal/components/parts.ts";
import { failureReport, noteList, operationLine, progressOf, stepList } from "#lib/portal/components/progress.ts";
import type { View } from "#lib/portal/components/view.ts";
import type { Operation, Spoke, WholeOperation } from "#lib/portal/components/told.ts";
import { historyPanel } from "#lib/portal/spokes/history.ts";
import { actionsOf, spokeHead, type SpokePlace } from "#lib/portal/spokes/place.ts";
import { spokeStyle } from "#lib/portal/spokes/style.ts";

export interface SpokeShown {
  readonly place: SpokePlace;
  /** The newest first. */
  readonly operations: readonly Operation[];
  /** The newest operation whole, or null where none was. */
  readonly latest: WholeOperation | null;
  readonly now: Date;
}

export function spokeView({ place, operations, latest, now }: SpokeShown): View {
  const { spoke } = place, { id, domain, url, state } = spoke;
  const reachable = spoke.readyAt !== null && state !== "removed";
  const address = reachable ? markup`<a href="${url}">${domain} ${icon("open")}</a>` : domain;
  return {
    ...spokeHead(place, ""),
    lead: markup`${address}${spoke.maintenance ? markup` ${badge("warn", "warning", "In maintenance")}` : ""}`,
    deeds: deedsOf(place),
    style: spokeStyle,
    body: markup`<div class="two" id="spoke" data-live><div class="pile">
${state === "removed" ? removedNotice(spoke) : ""}
<div id="mail" data-live>${spoke.mail === "held" && state === "active" ? mailNotice(spoke) : ""}</div>
${operationPanel(spoke, latest, now)}
${UNSEEN.includes(state) ? "" : healthPanel(place)}
${historyPanel(id, operations)}
</div>
${aboutPanel(spoke)}</div>`,
  };
}

/** Of a site that is not up there is nothing to see, and why that is stands with the operation. */
const UNSEEN: readonly Spoke["state"][] = ["provisioning", "failed", "removing", "removed"];

function deedsOf(place: SpokePlace): Markup {
  const { spoke: { id, federationId, state, maintenance, readyAt }, runs } = place;
  const removable = runs && state !== "removed" && state !== "removing";
  const items = [
    ...actionsOf(place).map((name) => markup`<li><a href="/spokes/${id}/actions/${name}">${titled(name)} …</a></li>`),
    ...(removable && readyAt !== null
      ? [markup`<li><a href="/hubs/${federationId}/spokes/new?copyOf=${id}">Copy …</a></li>`]
      : []),
    ...(removable ? [markup`<li class="danger"><a href="/spokes/${id}/destroy">Destroy …</a></li>`] : []),
  ];
  return markup`${
    state === "active" && !maintenance ? linkButton(["Sign in to the site", `/spokes/${id}/way-in`], "main") : ""
  }${state === "suspended" ? linkButton(["Resume …", `/spokes/${id}/actions/resume`], "main") : ""}${
    state === "removing" && runs ? linkButton(["About the removal", `/spokes/${id}/destroy`]) : ""
  }${
    items.length === 0
      ? ""
      : markup`<details class="menu" id="actions"><summary class="button quiet">Actions</summary><ul>${items}</ul></details>`
  }`;
}

/** What is under way, or failed; empty where neither is. */
function operationPanel({ id, state }: Spoke, latest: WholeOperation | null, now: Date): Markup {
  const failed = latest?.state === "failed" && state === "failed";
  if (!latest || (latest.finishedAt !== null && !failed)) return markup`<div id="operation" data-live></div>`;
  const atStep = latest.steps.some(({ name }) => name === latest.error?.step);
  return panel(
    titled(latest.kind),
    markup`${failed ? "" : progressOf(latest)}
${operationLine(latest, now)}
${atStep ? "" : failureReport(latest)}
${stepList(latest, now)}
${noteList(latest)}`,
    {
      id: "operation",
      live: true,
      deeds: markup`${stateBadge(latest.state)}${
        failed ? postButton(`/spokes/${id}/retry`, "Try again", { look: "main" }) : ""
      }`,
    },
  );
}

function healthPanel({ spoke: { id, state, health, stateReason, drift, observedAt }, operates }: SpokePlace): Markup {
  const words = state !== "active"
    ? stateReason ?? "It is looked at while it is active."
    : health === "healthy"
    ? "All of it answers."
    : health === "degraded"
    ? stateReason ?? "Not all of it answers."
    : observedAt === null
    ? "Nobody has looked yet."
    : "Its cluster does not answer at the moment.";
  const reapply = drift && operates && (state === "active" || state === "suspended")
    ? linkButton(["Reapply …", `/spokes/${id}/actions/reapply`])
    : "";
  return panel(
    "Health and drift",
    markup`<p class="small">${words} <span class="soft">Looked at ${instant(observedAt, "never")}.</span></p>
${
      drift
        ? driftOf(drift, operates)
        : markup`<p class="small soft">Nothing is known to differ from what it was made from.</p>`
    }`,
    { id: "health", live: true, deeds: reapply },
  );
}

function driftOf({ objects, revision }: NonNullable<Spoke["drift"]>, operates: boolean): Markup {
  return markup`${
    objects.length === 0
      ? ""
      : markup`<div class="notice warn"><p><b>Something in the cluster was changed by others.</b> ${
        operates ? "Reapply shows, field by field, what it would put back." : "An operator can put it back."
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
    facts([
      ["Slug", slug],
      ["Size", titled(size)],
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
