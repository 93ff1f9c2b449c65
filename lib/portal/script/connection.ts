/**
 * Shows "Reconnecting…" instead of the browser's error page while the server is unreachable. A link that the user
 * clicks opens once the server is reachable again. Forms are not sent meanwhile, so that no input is lost.
 */
export const reconnectScript: string = `
const PROBE = 3000;
const bar = document.createElement("p");
bar.className = "callout warn";
bar.id = "connection";
bar.hidden = true;
document.getElementById("main").prepend(bar);
let cut = false, probing = false, wanted = null;

async function isReachable() {
  try {
    return (await fetch("/api/healthz", { cache: "no-store", signal: AbortSignal.timeout(10000) })).status < 500;
  } catch {
    return false;
  }
}

async function probe() {
  if (probing) return;
  probing = true;
  const reached = await isReachable();
  probing = false;
  if (!reached) {
    if (!cut) say("Reconnecting… This page may be out of date.");
    cut = true;
    setTimeout(probe, PROBE);
  } else if (cut) {
    cut = false;
    bar.hidden = true;
    announcer.textContent = "Connected";
    if (wanted) return location.assign(wanted);
    if (shell.dataset.hub && !document.hidden) follow();
    soon();
  }
}

function say(text) {
  bar.textContent = announcer.textContent = text;
  bar.hidden = false;
}

addEventListener("offline", probe);
addEventListener("online", probe);
document.addEventListener("click", (event) => {
  const link = event.target.closest("a[href]");
  if (!cut || !link || link.origin !== location.origin || link.target || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  wanted = link.href;
  say("Reconnecting… " + link.textContent.trim() + " opens once connected.");
});
document.addEventListener("submit", (event) => {
  if (!cut) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  say("Reconnecting… Nothing was sent. Submit the form again once connected.");
}, true);
`;
