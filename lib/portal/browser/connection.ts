/**
 * Shows "Reconnecting…" instead of the browser's error page while the server is unreachable. A link that the user
 * clicks opens once the server is reachable again. Forms are not sent meanwhile, so that no input is lost.
 */
import { announce } from "#lib/portal/browser/shell.ts";
import { createElement } from "#lib/reference/browser/elements.ts";

const PROBE_MS = 3000;
const bar = createElement("p", { className: "callout warn", id: "connection", hidden: true });
document.getElementById("main")!.prepend(bar);
let cut = false, probing = false, clicked: string | null = null;

async function isReachable(): Promise<boolean> {
  try {
    return (await fetch("/api/healthz", { cache: "no-store", signal: AbortSignal.timeout(10_000) })).status < 500;
  } catch {
    return false;
  }
}

/** Checks the connection until the server is reachable. Dispatches "reconnected" if the connection was lost before. */
export async function probe(): Promise<void> {
  if (probing) return;
  probing = true;
  const reached = await isReachable();
  probing = false;
  if (!reached) {
    if (!cut) say("Reconnecting… This page may be out of date.");
    cut = true;
    setTimeout(probe, PROBE_MS);
  } else if (cut) {
    cut = false;
    bar.hidden = true;
    announce("Connected");
    if (clicked) location.assign(clicked);
    else document.dispatchEvent(new Event("reconnected"));
  }
}

function say(text: string): void {
  bar.textContent = text;
  announce(text);
  bar.hidden = false;
}

addEventListener("offline", probe);
addEventListener("online", probe);
document.addEventListener("click", (event) => {
  const link = (event.target as Element).closest<HTMLAnchorElement>("a[href]");
  if (!cut || !link || link.origin !== location.origin || link.target) return;
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  clicked = link.href;
  say(`Reconnecting… ${link.textContent.trim()} opens once connected.`);
});
document.addEventListener("submit", (event) => {
  if (!cut) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  say("Reconnecting… Nothing was sent. Submit the form again once connected.");
}, true);
