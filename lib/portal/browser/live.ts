/**
 * Refreshes a portal page after each event that changes it. An event about a spoke refreshes only the spoke's row in a
 * list. After a slow refresh, the next refresh waits longer, to limit the load from busy hubs. If the event stream is
 * unavailable, the page is refreshed periodically.
 */
import { STREAM_EVENT_TYPES } from "#lib/model/states.ts";
import { probe } from "#lib/portal/browser/connection.ts";
import { goToDraft } from "#lib/portal/browser/drafts.ts";
import { enhance } from "#lib/portal/browser/enhancements.ts";
import { morph } from "#lib/portal/browser/morph.ts";
import { announce, shellData } from "#lib/portal/browser/shell.ts";
import { findElements } from "#lib/reference/browser/elements.ts";

const POLL_MS = 15_000, SHORTEST_DELAY_MS = 60, SHORTEST_PAUSE_MS = 400;
const { hub, spoke: ownSpoke, poll } = shellData;
/** The spokes whose rows are out of date. Null if the whole page may be. */
let changedRows: Set<string> | null = new Set();
let refreshing = false, refreshAgain = false, earliest = 0, timer: number | undefined;

async function refresh(): Promise<void> {
  if (refreshing) {
    refreshAgain = true;
    return;
  }
  refreshing = true;
  const start = performance.now(), rows = changedRows;
  changedRows = new Set();
  try {
    const url = rows ? `${location.pathname}?rows=${[...rows].join()}` : location.href;
    const response = await fetch(url, { headers: { accept: "text/html" } });
    if (!response.ok) changedRows = null;
    if (response.ok) update(new DOMParser().parseFromString(await response.text(), "text/html"), rows);
    else if (response.status === 401) goToDraft(location.href);
    else if (response.status === 403) location.replace(location.href);
    else if (response.status === 404) location.replace(await findNearestPage());
    else if (response.status > 500) probe();
  } catch {
    changedRows = null;
    probe();
  }
  earliest = performance.now() + Math.max(SHORTEST_PAUSE_MS, 4 * (performance.now() - start));
  refreshing = false;
  refreshIfPending();
}

/** If the current page was removed, returns the URL of its closest ancestor that still exists. */
async function findNearestPage(): Promise<string> {
  for (const { href } of findElements<HTMLAnchorElement>(".crumbs a").reverse()) {
    if ((await fetch(href)).ok) return href;
  }
  return location.href;
}

function update(page: Document, rows: ReadonlySet<string> | null): void {
  const stateText = () => document.getElementById("state")?.textContent, before = stateText();
  enhance(page);
  for (const part of findElements("[data-live][id]")) {
    const newPart = page.getElementById(part.id);
    if (newPart && !part.parentElement!.closest("[data-live][id]")) morph(part, newPart);
  }
  for (const id of rows ?? []) {
    const row = document.getElementById(id), newRow = page.getElementById(id);
    if (row && newRow) morph(row, newRow);
    else refreshPage(); // the spoke was removed
  }
  const after = stateText();
  if (after && after !== before) {
    announce(`${document.querySelector("h1")!.textContent}: ${after}`);
    document.getElementById("flash")?.remove(); // the message is outdated
  }
  document.dispatchEvent(new Event("refreshed"));
}

function refreshPage(): void {
  changedRows = null;
  refreshSoon();
}

/** Refreshes the parts that an event about a spoke, or about the hub itself, changes. */
function refreshChanged(spokeId: string | undefined): void {
  if (ownSpoke && spokeId && spokeId !== ownSpoke) return;
  const row = !location.search && spokeId ? document.querySelector(`#spokes #${spokeId}`) : null;
  if (row) changedRows?.add(spokeId!);
  else changedRows = null; // the spoke may be new, or may now match the page's filters
  refreshSoon();
}

function refreshSoon(): void {
  if (document.hidden) refreshAgain = true;
  if (timer || document.hidden) return;
  timer = setTimeout(() => {
    timer = undefined;
    refresh();
  }, Math.max(SHORTEST_DELAY_MS, earliest - performance.now()));
}

function refreshIfPending(): void {
  if (!refreshAgain) return;
  refreshAgain = false;
  refreshSoon();
}

let source: EventSource | undefined, stream: "unopened" | "open" | "lost" = "unopened", since = shellData.since;

function follow(): void {
  if (!hub || document.hidden || (source && source.readyState !== EventSource.CLOSED)) return;
  source = new EventSource(`/api/federations/${hub}/events?since=${since}`);
  for (const type of STREAM_EVENT_TYPES) {
    source.addEventListener(type, ({ data, lastEventId }) => {
      since = lastEventId || since;
      refreshChanged((JSON.parse(data) as { readonly spokeId?: string }).spokeId);
    });
  }
  source.addEventListener("open", () => {
    if (stream === "lost") refreshPage();
    stream = "open";
  });
  source.addEventListener("error", () => {
    stream = "lost";
    probe();
  });
}

/** Closes the event stream of a hidden page: with HTTP/1, all tabs of a browser share six connections to a server. */
function unfollow(): void {
  if (!source) return;
  source.close();
  stream = "lost";
}

follow();
document.addEventListener("visibilitychange", () => {
  if (document.hidden) unfollow();
  else refreshIfPending();
  follow();
});
addEventListener("pagehide", unfollow);
addEventListener("pageshow", ({ persisted }) => {
  if (persisted) follow();
});
document.addEventListener("reconnected", () => {
  follow();
  refreshPage();
});

if (hub || poll) {
  setInterval(() => {
    follow(); // browsers do not retry a refused stream, for example after a proxy's error
    if (stream !== "open") refreshPage();
  }, 1000 * Number(poll ?? 0) || POLL_MS);
}

// Updates the number of unread notifications on every page. Because of the ETag, most responses have no body.
let etag: string | null = null;

async function countUnread(): Promise<void> {
  if (document.hidden) return;
  try {
    const headers = etag ? { "if-none-match": etag } : undefined;
    const response = await fetch("/api/notifications/unread-count", headers && { headers });
    if (response.status !== 200) return;
    etag = response.headers.get("etag");
    const { count } = await response.json(), badge = document.getElementById("unread")!;
    badge.hidden = count === 0;
    badge.firstElementChild!.textContent = count > 99 ? "99+" : String(count);
  } catch {
    probe();
  }
}
setInterval(countUnread, POLL_MS);
document.addEventListener("refreshed", countUnread);
