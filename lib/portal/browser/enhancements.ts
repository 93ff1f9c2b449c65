/** Converts times to the user's time zone, counts durations up, adds Copy buttons, and closes menus. */
import { announce } from "#lib/portal/browser/shell.ts";
import { copyCode, createElement, findElements } from "#lib/reference/browser/elements.ts";

const timeFormat = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
});

/** Converts the times in a part of a page to the user's time zone, and adds Copy buttons. */
export function enhance(part: ParentNode): void {
  for (const time of findElements<HTMLTimeElement>("time[datetime]", part)) {
    time.textContent = timeFormat.format(new Date(time.dateTime)).replace(" at ", ", ");
  }
  for (const place of findElements("[data-copy]:not(:has(button))", part)) {
    const ariaLabel = `Copy ${place.dataset.copy}`;
    place.append(createElement("button", { type: "button", className: "quiet", ariaLabel }, "Copy"));
  }
}
enhance(document);

document.addEventListener("click", async ({ target }) => {
  const button = (target as Element).closest<HTMLButtonElement>("[data-copy] > button");
  if (button && await copyCode(button, button.parentElement!.querySelector("code")!)) announce("Copied");
});

// Counts up from the durations in the page, not from start times, because browser and server clocks may differ.
const counts = new WeakMap<HTMLElement, { readonly initial: string; readonly from: number }>();

function count(): void {
  for (const element of findElements("[data-counts]")) {
    const initial = element.dataset.counts!, now = performance.now();
    if (counts.get(element)?.initial !== initial) counts.set(element, { initial, from: now - 1000 * Number(initial) });
    element.textContent = formatDuration(Math.floor((now - counts.get(element)!.from) / 1000));
  }
}

function formatDuration(seconds: number): string {
  const minutes = Math.floor(seconds / 60), twoDigits = (number: number) => String(number).padStart(2, "0");
  if (seconds < 1) return "under 1 s";
  if (minutes < 1) return `${seconds} s`;
  if (minutes < 60) return `${minutes} min ${twoDigits(seconds % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${twoDigits(minutes % 60)} min`;
}
setInterval(count, 1000);
document.addEventListener("refreshed", count);

// Removes the key of the flash message from the URL, so that a reload does not show the message again.
const url = new URL(location.href);
if (url.searchParams.has("done")) {
  url.searchParams.delete("done");
  history.replaceState(null, "", url);
}

// Scrolls navigation rows that are wider than the screen to the current item.
for (const row of findElements(".side nav, .tabs")) {
  const current = row.querySelector<HTMLElement>("[aria-current]");
  if (current) row.scrollLeft = current.offsetLeft - (row.clientWidth - current.offsetWidth) / 2;
}

// Closes open menus when the user clicks outside of the menu.
document.addEventListener("click", (event) => {
  for (const menu of findElements<HTMLDetailsElement>("details.menu[open]")) {
    if (!menu.contains(event.target as Node)) menu.open = false;
  }
});
