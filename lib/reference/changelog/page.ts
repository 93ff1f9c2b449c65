/** Renders the changelog page: upcoming changes, releases and past announcements. */
import type { App } from "#lib/app.ts";
import { CHANGELOG_FEED_PATH } from "#lib/domains/changelog/anchors.ts";
import { type ReleaseNotes, UNRELEASED_VERSION } from "#lib/domains/changelog/releases.ts";
import { buildChangelog, type Changelog, type ChangelogAnnouncement } from "#lib/domains/changelog/view.ts";
import { changelogStyle } from "#lib/reference/assets.ts";
import { formatDateTime, formatDay, formatDaysUntil } from "#lib/reference/changelog/dates.ts";
import { renderEndpointPath, renderInlineMarkdown } from "#lib/reference/page/code.ts";
import { type HtmlPage, LOGO_SVG, type Markup, markup, trustedMarkup } from "#lib/http/page.ts";

export async function buildChangelogPage(app: App, releases: readonly ReleaseNotes[]): Promise<HtmlPage> {
  const now = await app.db.now();
  return renderChangelogPage(buildChangelog(app, releases, now), now);
}

export function renderChangelogPage({ api, version, notices, releases }: Changelog, now: Date): HtmlPage {
  const ahead = notices.filter(({ state }) => state === "announced")
    .sort((a, b) => a.takesEffectAt.getTime() - b.takesEffectAt.getTime());
  const past = notices.filter(({ state }) => state === "in_effect");
  return {
    title: "Changelog · Wheelwright",
    feed: { title: "Wheelwright changelog", href: CHANGELOG_FEED_PATH },
    style: changelogStyle,
    body: markup`
<a class="skip" href="#main">Skip to changes</a>
<header>
<a class="brand" href="#top">${trustedMarkup(LOGO_SVG)}<span>Wheelwright <small>Changelog</small></span></a>
<a href="/api/docs">API reference</a>
</header>
<main id="main" tabindex="-1">
<section class="intro" id="top">
<p class="hint">${api} (${version})</p>
<h1>Changelog</h1>
<p class="lead">Upcoming and past changes. Breaking changes to the API are announced here at least 30 days ahead. Users with
an active token get an email on the same day.</p>
<ul class="ways">
<li><a href="${CHANGELOG_FEED_PATH}">${trustedMarkup(WAVES)}Atom feed</a></li>
<li><a href="/api/changelog">${trustedMarkup(BRACES)}JSON</a></li>
</ul>
</section>
${aheadMarkup(ahead, now)}
<section class="part" aria-labelledby="releases">
<h2 id="releases">Releases</h2>
${releases.map(releaseMarkup)}
</section>
${past.length === 0 ? "" : pastMarkup(past)}
</main>`,
  };
}

/** The decorative icons, each shown next to a text label. */
const WAVES =
  `<svg viewBox="0 0 16 16" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" aria-hidden="true"><path d="M3 3a10 10 0 0 1 10 10M3 7.5A5.5 5.5 0 0 1 8.5 13"/><circle cx="3.9" cy="12.1" r="1.2" fill="currentColor" stroke="none"/></svg>`;
const BRACES =
  `<svg viewBox="0 0 16 16" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d="M6 2.5c-3 0-1 4.5-3.5 5.5 2.5 1 .5 5.5 3.5 5.5M10 2.5c3 0 1 4.5 3.5 5.5-2.5 1-.5 5.5-3.5 5.5"/></svg>`;

function aheadMarkup(ahead: readonly ChangelogAnnouncement[], now: Date): Markup {
  return markup`
<section class="part" aria-labelledby="announced">
<h2 id="announced">Announced</h2>
${
    ahead.length === 0
      ? markup`<p class="calm">No changes are announced. The API works unchanged for at least 30 days.</p>`
      : ahead.map((notice) => noticeMarkup(notice, now))
  }
</section>`;
}

function pastMarkup(past: readonly ChangelogAnnouncement[]): Markup {
  return markup`
<section class="part" aria-labelledby="past">
<h2 id="past">Past announcements</h2>
<p class="lead">Announced changes that have taken effect.</p>
${past.map((notice) => noticeMarkup(notice, null))}
</section>`;
}

/** Renders an announcement of a change. `now` is null if the change has already taken effect. */
function noticeMarkup(notice: ChangelogAnnouncement, now: Date | null): Markup {
  const { id, kind, announcedAt, takesEffectAt, note } = notice;
  return markup`
<article class="notice-card${now ? "" : " past"}" id="${id}">
<p class="date" aria-hidden="true"><b>${takesEffectAt.getUTCDate()}</b> <span>${monthOf(takesEffectAt)}</span></p>
<div class="entry-text">
<p class="kind">${kind === "deprecation" ? "Deprecation" : "New limit"}</p>
<h3><a href="#${id}">${titleMarkup(notice)}</a></h3>
<p class="when">${whenMarkup(notice, now)}</p>
<p>${renderInlineMarkdown(note)}</p>
<p class="hint">Announced on <time datetime="${announcedAt.toISOString()}">${formatDay(announcedAt)}</time></p>
</div>
</article>`;
}

function titleMarkup({ method, path, title }: ChangelogAnnouncement): Markup {
  if (method === undefined || path === undefined) return markup`${title}`;
  return markup`<span class="method ${method}">${method}</span> <code>${renderEndpointPath(path)}</code>`;
}

function whenMarkup({ kind, takesEffectAt }: ChangelogAnnouncement, now: Date | null): Markup {
  const day = markup`<time datetime="${takesEffectAt.toISOString()}">${formatDateTime(takesEffectAt)}</time>`;
  const deprecation = kind === "deprecation";
  if (now === null) return deprecation ? markup`Ended on ${day}` : markup`In effect since ${day}`;
  return markup`<strong>${deprecation ? "Ends" : "Takes effect"} ${
    formatDaysUntil(takesEffectAt, now)
  }</strong>, on ${day}`;
}

function monthOf(at: Date): string {
  return at.toLocaleDateString("en-GB", { month: "short", year: "numeric", timeZone: "UTC" });
}

function releaseMarkup({ version, releasedAt, changes }: Changelog["releases"][number]): Markup {
  const unreleased = version === UNRELEASED_VERSION;
  const id = unreleased ? UNRELEASED_VERSION : `v${version}`;
  return markup`
<article class="release" id="${id}">
<header><h3><a href="#${id}">${unreleased ? "Unreleased" : version}</a></h3><p class="hint">${
    releasedAt
      ? markup`<time datetime="${releasedAt.toISOString().slice(0, 10)}">${formatDay(releasedAt)}</time>`
      : "Already running on this server; part of the next release"
  }</p></header>
${
    changes.length === 0
      ? markup`<p class="hint">No changes yet.</p>`
      : markup`<div class="groups">${byTopic(changes).map(groupMarkup)}</div>`
  }
</article>`;
}

interface Group {
  readonly topic: string | null;
  readonly changes: string[];
}

/** Groups a release's changes by the topic that each starts with (`**Topic**:`), in order of first appearance. */
function byTopic(changes: readonly string[]): readonly Group[] {
  const groups: Group[] = [];
  for (const change of changes) {
    const [, topic = null, text = change] = /^\*\*([^*]+)\*\*: (.+)$/.exec(change) ?? [];
    const group = groups.find((one) => one.topic === topic);
    if (group) group.changes.push(text);
    else groups.push({ topic, changes: [text] });
  }
  return groups;
}

function groupMarkup({ topic, changes }: Group): Markup {
  return markup`${topic === null ? "" : markup`<h4>${topic}</h4>`}<ul>${
    changes.map((change) => markup`<li>${renderInlineMarkdown(change)}</li>`)
  }</ul>`;
}
