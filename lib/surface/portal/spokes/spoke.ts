/** A spoke: what it is and how it is, what is being done to it, and why something failed. */
import { type Markup, markup } from "#lib/surface/http/page.ts";
import { icon } from "#lib/surface/portal/look/icons.ts";
import {
  badge,
  empty,
  facts,
  instant,
  linkButton,
  panel,
  postButton,
  stateBadge,
  titled,
} from "#lib/surface/portal/look/parts.ts";
import { failureReport, operationHead, progressOf, stepList } from "#lib/surface/portal/look/progress.ts";
import type { Follow, View, Way } from "#lib/surface/portal/look/view.ts";
import type { Hub, Operation, Spoke, WholeOperation } from "#lib/surface/portal/look/told.ts";
import { SPOKE_OPERATIONS } from "#lib/operations/table.ts";

export interface SpokeShown {
  readonly spoke: Spoke;
  /** Its hub, or null for one who may not see it. */
  readonly hub: Hub | null;
  /** The newest first. */
  readonly operations: readonly Operation[];
  /** The newest operation whole, or null where none was. */
  readonly latest: WholeOperation | null;
  readonly follow: Follow;
}

export function spokeView({ spoke, hub, operations, latest, follow }: SpokeShown): View {
  const { id, domain, url, size, lmsVersion, region, adminEmail, readyAt, observedAt, createdAt, namespace } = spoke;
  const address = spoke.readyAt === null ? domain : markup`<a href="${url}">${domain} ${icon("open")}</a>`;
  return {
    ...spokeHead(spoke, hub, `/spokes/${id}`),
    lead: markup`${address}${spoke.maintenance ? markup` ${badge("warn", "warning", "In maintenance")}` : ""}`,
    deeds: deedsOf(spoke),
    follow,
    body: markup`<div class="two"><div class="pile">
${latest ? operationPanel(spoke, latest) : ""}
${healthPanel(spoke)}
${historyPanel(id, operations)}
</div>
${
      panel(
        "About",
        facts([
          ["Size", size],
          ["Moodle", lmsVersion],
          ["Region", region ?? "anywhere"],
          ["Administrator's address", adminEmail],
          ["Brand", spoke.brand ?? "none"],
          [
            "Identity and content",
            `${spoke.identity ? "with" : "without"} identity, ${spoke.content ? "with" : "without"} content`,
          ],
          ["Asked for", instant(createdAt)],
          ["First ready", instant(readyAt, "not yet")],
          ["Last looked at", instant(observedAt, "not yet")],
          ["Namespace", markup`<code>${namespace}</code>`],
          spoke.formerDomains.length === 0 ? null : [
            "Former addresses",
            spoke.formerDomains.map(({ domain, until }) => markup`<span>${domain}, until ${instant(until)}</span><br>`),
          ],
        ]),
        { id: "about", live: true },
      )
    }</div>`,
  };
}

/** What all pages of a spoke begin with. */
export function spokeHead(
  spoke: Spoke,
  hub: Hub | null,
  here: string,
): Pick<View, "title" | "section" | "crumbs" | "badge" | "tabs"> {
  const { id, displayName, state, health } = spoke;
  const of = (text: string, path: string): Way => [text, `/spokes/${id}${path}`];
  return {
    title: displayName,
    section: "hubs",
    crumbs: [["Hubs", "/hubs"], ...(hub ? [[hub.name, `/hubs/${hub.id}`] as const] : [])],
    badge: stateBadge(state, health),
    tabs: {
      links: [
        of("Glance", ""),
        of("Activity", "/activity"),
        of("Backups", "/backups"),
        of("Members", "/members"),
        of("Settings", "/settings"),
      ],
      here,
    },
  };
}

type Action = keyof typeof SPOKE_OPERATIONS;

/** What may be asked of a spoke as it is, by the operations' own declarations; each is previewed before it is done. */
export function actionsOf({ state, maintenance }: Pick<Spoke, "state" | "maintenance">): readonly Action[] {
  return (Object.keys(SPOKE_OPERATIONS) as Action[]).filter((name) => {
    const operation = SPOKE_OPERATIONS[name];
    if (!("isAction" in operation)) return false;
    if (name === (maintenance ? "maintenance-on" : "maintenance-off")) return false;
    return (operation.from as readonly string[]).includes(state) || (state === "failed" && "mends" in operation);
  });
}

function deedsOf(spoke: Spoke): Markup {
  const { id, state } = spoke, actions = actionsOf(spoke);
  const removable = state !== "removing" && state !== "removed";
  const items = [
    ...actions.map((name) => markup`<li><a href="/spokes/${id}/actions/${name}">${titled(name)} …</a></li>`),
    ...(removable ? [markup`<li class="danger"><a href="/spokes/${id}/destroy">Destroy …</a></li>`] : []),
  ];
  return markup`${state === "active" ? linkButton(["Sign in to the site", `/spokes/${id}/way-in`], "main") : ""}${
    state === "failed" ? postButton(`/spokes/${id}/retry`, "Try again", { look: "main" }) : ""
  }${
    items.length === 0
      ? ""
      : markup`<details class="menu" id="actions"><summary class="button quiet">Actions</summary><ul>${items}</ul></details>`
  }`;
}

function operationPanel({ id, state }: Spoke, latest: WholeOperation): Markup {
  const live = latest.finishedAt === null;
  if (!live && latest.state !== "failed") return markup`<div id="operation" data-live></div>`;
  const retry = latest.state === "failed" && state === "failed"
    ? postButton(`/spokes/${id}/retry`, "Try again", { look: "main" })
    : "";
  return panel(
    live ? "Under way" : "What failed",
    markup`${operationHead(latest)}
${live ? progressOf(latest) : ""}
${failureReport(latest)}
${stepList(latest)}
${
      latest.notes.length === 0
        ? ""
        : markup`<ul class="small">${latest.notes.map((note) => markup`<li>${note}</li>`)}</ul>`
    }`,
    { id: "operation", live: true, deeds: retry },
  );
}

function healthPanel({ id, state, health, stateReason, drift, observedAt }: Spoke): Markup {
  const words = health === "healthy"
    ? "All of it answers."
    : health === "degraded"
    ? stateReason ?? "Not all of it answers."
    : "Nobody has looked yet.";
  const reapply = drift && state === "active" ? linkButton(["Reapply …", `/spokes/${id}/actions/reapply`]) : "";
  return panel(
    "Health and drift",
    markup`<p class="small">${words} <span class="soft">Looked at ${instant(observedAt, "never")}.</span></p>
${drift ? driftOf(drift) : markup`<p class="small soft">Nothing is known to differ from what it was made from.</p>`}`,
    { id: "health", live: true, deeds: reapply },
  );
}

function driftOf({ objects, revision }: NonNullable<Spoke["drift"]>): Markup {
  return markup`<div class="notice warn"><p><b>It differs from what it was made from.</b> Reapply shows what it would change back.</p></div>
${
    revision
      ? markup`<p class="small">Made from revision <code>${revision.from}</code>; the present one is <code>${revision.to}</code>.</p>`
      : ""
  }
<ul class="events small">${
    objects.map(({ object, what, fields }) =>
      markup`<li><code>${object}</code> ${what === "missing" ? "is missing" : "was changed:"} ${
        fields.map((name) => markup`<code>${name}</code> `)
      }</li>`
    )
  }</ul>`;
}

function historyPanel(id: string, operations: readonly Operation[]): Markup {
  return panel(
    "Operations",
    operations.length === 0
      ? empty("Nothing was done yet", "What is asked of this spoke stands here.")
      : markup`<ul class="list history">${
        operations.map((operation) =>
          markup`<li id="${operation.id}"><span class="name"><a class="cover" href="/spokes/${id}/operations/${operation.id}">${
            titled(operation.kind)
          }</a></span><span class="tiny soft">${instant(operation.createdAt)}</span>${stateBadge(operation.state)}</li>`
        )
      }</ul>`,
    { id: "history", live: true },
  );
}
