/**
 * Refreshes a portal page after each event in its hub. After a slow refresh, the next refresh waits longer, to limit
 * the load from busy hubs. If the event stream is unavailable, the page is refreshed periodically.
 */
export const liveUpdateScript: string = `
const EVERY = 15000, LEAST = 400;
let reads = false, again = false, earliest = 0;

async function renew() {
  if (reads) { again = true; return; }
  reads = true;
  const began = performance.now();
  try {
    const answer = await fetch(location.href, { headers: { accept: "text/html" } });
    if (answer.ok) take(new DOMParser().parseFromString(await answer.text(), "text/html"));
    else if (answer.status === 401) goToDraft(location.href);
    else if (answer.status === 403) location.replace(location.href);
    else if (answer.status === 404) location.replace(await nearest());
    else if (answer.status > 500) probe();
  } catch {
    probe();
  }
  earliest = performance.now() + Math.max(LEAST, 4 * (performance.now() - began));
  reads = false;
  if (again) { again = false; soon(); }
}

// If the current page was removed, returns the URL of its closest ancestor that still exists.
async function nearest() {
  for (const { href } of all(".crumbs a").reverse()) if ((await fetch(href)).ok) return href;
  return location.href;
}

function take(page) {
  const before = document.getElementById("state")?.textContent;
  inZone(page);
  offerCopies(page);
  for (const part of all("[data-live][id]")) {
    const update = page.getElementById(part.id);
    if (update && !part.parentElement.closest("[data-live][id]")) morph(part, update);
  }
  const after = document.getElementById("state")?.textContent;
  if (after && after !== before) {
    announcer.textContent = document.querySelector("h1").textContent + ": " + after;
    document.getElementById("flash")?.remove(); // the message is outdated
  }
  document.dispatchEvent(new Event("renewed"));
}

let timer;
function soon() {
  if (document.hidden) again = true;
  if (timer || document.hidden) return;
  timer = setTimeout(() => { timer = undefined; renew(); }, Math.max(60, earliest - performance.now()));
}
document.addEventListener("visibilitychange", () => { if (!document.hidden && again) { again = false; soon(); } });

const STATES = "Provisioning Active Failed Suspending Suspended Resuming Updating Removing Removed".split(" ");
let source, streams = false, since = shell.dataset.since;

function follow() {
  if (source && source.readyState !== EventSource.CLOSED) return;
  source = new EventSource("/api/federations/" + shell.dataset.hub + "/events?since=" + since);
  const note = (event) => { since = event.lastEventId || since; soon(); };
  for (const state of STATES) for (const what of ["Spoke", "Federation"]) source.addEventListener(what + "Update" + state, note);
  source.addEventListener("open", () => { if (streams === null) soon(); streams = true; });
  source.addEventListener("error", () => { streams = null; probe(); });
}

// Closes the event stream of a hidden page: with HTTP/1, all tabs of a browser share six connections to a server.
function unfollow() {
  source.close();
  streams = null;
}

if (shell.dataset.hub) {
  if (!document.hidden) follow();
  document.addEventListener("visibilitychange", () => { if (!document.hidden) follow(); else if (source) unfollow(); });
  addEventListener("pagehide", () => source && unfollow());
  addEventListener("pageshow", (event) => { if (event.persisted && !document.hidden) follow(); });
}

const every = Number(shell.dataset.poll || 0) * 1000;
if (every || shell.dataset.hub) setInterval(() => {
  if (source && !document.hidden) follow(); // browsers do not retry a refused stream, for example after a proxy's error
  if (!shell.dataset.hub || !streams) soon();
}, every || EVERY);

// Updates the number of unread notifications on every page. Because of the ETag, most responses have no body.
let etag = "";
async function countUnread() {
  if (document.hidden) return;
  try {
    const answer = await fetch("/api/notifications/unread-count", { headers: etag ? { "if-none-match": etag } : {} });
    if (answer.status !== 200) return;
    etag = answer.headers.get("etag") || "";
    const { count } = await answer.json(), badge = document.getElementById("unread");
    badge.hidden = count === 0;
    badge.firstElementChild.textContent = count > 99 ? "99+" : String(count);
  } catch {
    probe();
  }
}
setInterval(countUnread, EVERY);
document.addEventListener("renewed", countUnread);
`;
