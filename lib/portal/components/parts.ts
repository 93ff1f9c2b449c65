/** Renders components that several portal pages use. */
import { type Markup, markup } from "#lib/http/page.ts";
import { icon, type IconName } from "#lib/portal/components/icons.ts";
import type { NavLink } from "#lib/portal/components/view.ts";

export type BadgeTone = "good" | "info" | "warn" | "bad" | "still";

/** Returns a badge that shows a state as text, with an icon and a colour. */
export function badge(tone: BadgeTone, sign: IconName, text: string): Markup {
  return markup`<span class="badge ${tone}">${icon(sign)}${text}</span>`;
}

const STATES: Readonly<Record<string, readonly [BadgeTone, IconName]>> = {
  active: ["good", "dot"],
  provisioning: ["info", "work"],
  updating: ["info", "work"],
  suspending: ["info", "work"],
  resuming: ["info", "work"],
  removing: ["info", "work"],
  suspended: ["still", "pause"],
  removed: ["still", "minus"],
  failed: ["bad", "cross"],
  degraded: ["warn", "warning"],
  queued: ["still", "wait"],
  running: ["info", "work"],
  succeeded: ["good", "done"],
  cancelled: ["still", "minus"],
};

/** Returns a badge for the state of a hub, spoke or operation. The badge of an unhealthy spoke says `Degraded`. */
export function stateBadge(state: string, health?: string): Markup {
  const label = state === "active" && health === "degraded" ? "degraded" : state;
  const [tone, sign] = STATES[label] ?? ["still", "dot"];
  return badge(tone, sign, humanize(label));
}

/** Turns an identifier into text: `provision-hub` becomes Provision hub. */
export function humanize(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1).replaceAll(/[-_]/g, " ");
}

/** Renders a UTC time, with seconds in a tooltip. The portal's script converts the time to the user's time zone. */
export function renderTime(stamp: string | null, otherwise = "never"): Markup {
  if (stamp === null) return markup`<span class="soft">${otherwise}</span>`;
  const exact = `${stamp.slice(0, 10)} ${stamp.slice(11, 19)} UTC`;
  return markup`<time datetime="${stamp}" title="${exact}">${
    DATE_FORMAT.format(new Date(stamp)).replace(" at ", ", ")
  } UTC</time>`;
}

const DATE_FORMAT = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  timeZone: "UTC",
});

/** Formats a number of seconds as an approximate duration: `4 min`. */
export function formatDuration(seconds: number): string {
  if (seconds < 90) return `${Math.max(1, Math.round(seconds))} s`;
  if (seconds < 90 * 60) return `${Math.round(seconds / 60)} min`;
  if (seconds < 36 * 3600) return `${Math.round(seconds / 3600)} h`;
  return `${Math.round(seconds / 86_400)} days`;
}

export function callout(tone: "good" | "warn" | "bad" | "info", text: Markup | string): Markup {
  return markup`<div class="callout ${tone}" role="${tone === "bad" ? "alert" : "status"}">${text}</div>`;
}

interface Panel {
  readonly id: string;
  /** Whether the portal's script keeps the content of the panel up to date. */
  readonly live?: boolean;
  readonly actions?: Markup | string;
  readonly lead?: Markup | string;
}

export function panel(title: string, body: unknown, { id, live = false, actions = "", lead = "" }: Panel): Markup {
  return markup`<section class="panel" aria-labelledby="${id}-title" id="${id}" ${live ? markup`data-live` : ""}>
<header><h2 id="${id}-title">${title}</h2>${actions ? markup`<div class="button-row">${actions}</div>` : ""}</header>
${lead ? markup`<p class="small soft">${lead}</p>` : ""}
${body}
</section>`;
}

/** Returns a message to show instead of an empty list, with an optional link or button for the next step. */
export function emptyState(title: string, text: Markup | string, action: Markup | string = ""): Markup {
  return markup`<div class="empty"><h2>${title}</h2><p class="soft">${text}</p>${action}</div>`;
}

export function definitionList(list: readonly (readonly [term: string, value: unknown] | null)[]): Markup {
  return markup`<dl class="facts">${
    list.flatMap((fact) => fact ? markup`<div><dt>${fact[0]}</dt><dd>${fact[1]}</dd></div>` : [])
  }</dl>`;
}

export function linkButton([text, href]: NavLink, variant: "main" | "quiet" = "quiet"): Markup {
  return markup`<a class="button ${variant}" href="${href}">${text}</a>`;
}

interface PostButton {
  readonly variant?: "main" | "quiet" | "danger";
  readonly fields?: Readonly<Record<string, string>>;
  /** The name of the object that the button acts on. Only screen readers announce this text. */
  readonly about?: string;
}

export function renderPostButton(
  action: string,
  text: string,
  { variant = "quiet", fields = {}, about }: PostButton = {},
): Markup {
  return markup`<form class="inline" method="post" action="${action}">${
    hiddenInputs(fields)
  }<button class="${variant}">${text}${
    about === undefined ? "" : markup`<span class="visually-hidden"> ${about}</span>`
  }</button></form>`;
}

export function hiddenInputs(fields: Readonly<Record<string, string>>): readonly Markup[] {
  return Object.entries(fields).map(([name, value]) => markup`<input type="hidden" name="${name}" value="${value}">`);
}

/** Renders text in a code element, to which the portal's script adds a Copy button. */
export function copyableCode(text: string, label: string): Markup {
  return markup`<span class="copy" data-copy="${label}"><code>${text}</code></span>`;
}

/** Returns a link to the next page of a list, or an empty string on the last page, where `next` is null. */
export function nextPageLink(
  path: string,
  next: string | null,
  query: Readonly<Record<string, string | undefined>> = {},
): Markup | string {
  if (next === null) return "";
  const href = appendQuery(path, { ...query, before: next });
  return markup`<p class="pager"><a class="button quiet" rel="next" href="${href}">Older</a></p>`;
}

/** Appends query parameters to a path. Omits undefined parameters. */
export function appendQuery(path: string, query: Readonly<Record<string, string | undefined>>): string {
  const present = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return present.length === 0 ? path : `${path}?${new URLSearchParams(present)}`;
}

/** Returns a table that scrolls horizontally on narrow screens. */
export function dataTable(caption: string, heads: readonly string[], rows: readonly (readonly unknown[])[]): Markup {
  return markup`<div class="scroll" tabindex="0" role="region" aria-label="${caption}"><table>
<thead><tr>${heads.map((head) => markup`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>${rows.map((cells) => markup`<tr>${cells.map((cell) => markup`<td>${cell}</td>`)}</tr>`)}</tbody></table></div>`;
}
