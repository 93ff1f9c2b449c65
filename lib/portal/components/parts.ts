/** What pages of the portal are put together from. */
import { type Markup, markup } from "#lib/http/page.ts";
import { type Icon, icon } from "#lib/portal/components/icons.ts";
import type { NavLink } from "#lib/portal/components/view.ts";

export type Tone = "good" | "info" | "warn" | "bad" | "still";

/** A state in a word, a sign and a colour, of which each says it alone. */
export function badge(tone: Tone, sign: Icon, text: string): Markup {
  return markup`<span class="badge ${tone}">${icon(sign)}${text}</span>`;
}

const STATES: Readonly<Record<string, readonly [Tone, Icon]>> = {
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

/** Of a hub, a spoke or an operation. An active spoke that is not healthy says that instead. */
export function stateBadge(state: string, health?: string): Markup {
  const label = state === "active" && health === "degraded" ? "degraded" : state;
  const [tone, sign] = STATES[label] ?? ["still", "dot"];
  return badge(tone, sign, humanize(label));
}

/** `provision-hub` as people say it: Provision hub. */
export function humanize(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1).replaceAll(/[-_]/g, " ");
}

/** A point in time in UTC; the script says it in the reader's zone. Title: the same to the second, in UTC. */
export function instant(stamp: string | null, otherwise = "never"): Markup {
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

/** Seconds in words: `about 4 min`. */
export function formatDuration(seconds: number): string {
  if (seconds < 90) return `${Math.max(1, Math.round(seconds))} s`;
  if (seconds < 90 * 60) return `${Math.round(seconds / 60)} min`;
  if (seconds < 36 * 3600) return `${Math.round(seconds / 3600)} h`;
  return `${Math.round(seconds / 86_400)} days`;
}

export function notice(tone: "good" | "warn" | "bad" | "info", text: Markup | string): Markup {
  return markup`<div class="notice ${tone}" role="${tone === "bad" ? "alert" : "status"}">${text}</div>`;
}

interface Panel {
  readonly id: string;
  /** Made new when something happens. */
  readonly live?: boolean;
  readonly actions?: Markup | string;
  readonly lead?: Markup | string;
}

export function panel(title: string, body: unknown, { id, live = false, actions = "", lead = "" }: Panel): Markup {
  return markup`<section class="panel" aria-labelledby="${id}-title" id="${id}" ${live ? markup`data-live` : ""}>
<header><h2 id="${id}-title">${title}</h2>${actions ? markup`<div class="deeds">${actions}</div>` : ""}</header>
${lead ? markup`<p class="small soft">${lead}</p>` : ""}
${body}
</section>`;
}

/** What stands where nothing is yet: that, and what to do next. */
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
  /** Hidden fields. */
  readonly fields?: Readonly<Record<string, string>>;
  /** What it is about, for those who hear the button alone. */
  readonly about?: string;
}

/** A form that is one button. */
export function postButton(
  action: string,
  text: string,
  { variant = "quiet", fields = {}, about }: PostButton = {},
): Markup {
  return markup`<form class="inline" method="post" action="${action}">${
    hiddenInputs(fields)
  }<button class="${variant}">${text}${
    about === undefined ? "" : markup`<span class="unseen"> ${about}</span>`
  }</button></form>`;
}

export function hiddenInputs(fields: Readonly<Record<string, string>>): readonly Markup[] {
  return Object.entries(fields).map(([name, value]) => markup`<input type="hidden" name="${name}" value="${value}">`);
}

/** Text to take along, with a button that copies it where the script runs. */
export function copyable(text: string, label: string): Markup {
  return markup`<span class="copy" data-copy="${label}"><code>${text}</code></span>`;
}

/** The next page of a list by its address; nothing where the list ends. */
export function olderLink(href: string | null, text = "Older"): Markup | string {
  return href === null
    ? ""
    : markup`<p class="pager"><a class="button quiet" rel="next" href="${href}">${text}</a></p>`;
}

/** An address with these parameters; what is undefined is left out. */
export function withQuery(path: string, query: Readonly<Record<string, string | undefined>>): string {
  const present = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return present.length === 0 ? path : `${path}?${new URLSearchParams(present)}`;
}

/** A table that scrolls by itself where it is wider than the screen. */
export function table(caption: string, heads: readonly string[], rows: readonly (readonly unknown[])[]): Markup {
  return markup`<div class="scroll" tabindex="0" role="region" aria-label="${caption}"><table>
<thead><tr>${heads.map((head) => markup`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>${rows.map((cells) => markup`<tr>${cells.map((cell) => markup`<td>${cell}</td>`)}</tr>`)}</tbody></table></div>`;
}
