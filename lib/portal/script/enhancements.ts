/** Converts times to the user's time zone, adds Copy buttons, prevents double submissions, and shows previews. */
export const enhancementScript: string = `
const short = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" });
function inZone(within) {
  for (const time of all("time[datetime]", within)) time.textContent = short.format(new Date(time.dateTime)).replace(" at ", ", ");
}
inZone(document);

// Counts up from the durations in the page, not from start times, because browser and server clocks may differ.
const counts = new WeakMap();
function count() {
  for (const each of all("[data-counts]")) {
    const initial = each.dataset.counts;
    if (counts.get(each)?.initial !== initial) counts.set(each, { initial, from: performance.now() - 1000 * initial });
    const seconds = Math.floor((performance.now() - counts.get(each).from) / 1000), minutes = Math.floor(seconds / 60);
    const two = (number) => String(number).padStart(2, "0");
    each.textContent = seconds < 1 ? "under 1 s" : seconds < 60 ? seconds + " s" : minutes < 60 ? minutes + " min " + two(seconds % 60) + " s" : Math.floor(minutes / 60) + " h " + two(minutes % 60) + " min";
  }
}
setInterval(count, 1000);
document.addEventListener("renewed", count);

function offerCopies(within) {
  for (const place of all("[data-copy]", within)) {
    if (place.querySelector("button")) continue;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "quiet";
    button.textContent = "Copy";
    button.setAttribute("aria-label", "Copy " + place.dataset.copy);
    place.append(button);
  }
}
offerCopies(document);
document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy] > button");
  if (!button) return;
  const code = button.parentElement.querySelector("code");
  try {
    await navigator.clipboard.writeText(code.textContent);
    button.textContent = "Copied";
    announcer.textContent = "Copied";
  } catch {
    getSelection().selectAllChildren(code);
    button.textContent = "Selected";
  }
  setTimeout(() => { button.textContent = "Copy"; }, 2000);
});

// Ignores the second form submission after a double click.
document.addEventListener("submit", (event) => {
  if (event.target.method !== "post") return;
  if (event.target.dataset.sent) return event.preventDefault();
  event.target.dataset.sent = "yes";
});
function unsend() { for (const form of all("form[data-sent]")) delete form.dataset.sent; }
addEventListener("pageshow", unsend);
addEventListener("keydown", (event) => { if (event.key === "Escape") unsend(); }); // Escape also stops the request

// Removes the key of the flash message from the URL, so that a reload does not show the message again.
const here = new URL(location.href);
if (here.searchParams.has("done")) { here.searchParams.delete("done"); history.replaceState(null, "", here); }

// Scrolls navigation rows that are wider than the screen to the current item.
for (const row of all(".side nav, .tabs")) {
  const mark = row.querySelector("[aria-current]");
  if (mark) row.scrollLeft = mark.offsetLeft - (row.clientWidth - mark.offsetWidth) / 2;
}

// Makes the checkbox "Select all" select or clear all checkboxes in its list.
for (const box of all("[data-ticks]")) {
  box.hidden = false;
  box.addEventListener("change", (event) => {
    for (const each of all(box.dataset.ticks)) each.checked = event.target.checked;
    box.dispatchEvent(new Event("ticked", { bubbles: true }));
  });
}

// Closes open menus when the user clicks outside of the menu.
document.addEventListener("click", (event) => {
  for (const menu of all("details.menu[open]")) if (!menu.contains(event.target)) menu.open = false;
});

// Shows a preview while the user types, by submitting the form in the background with the extra field "preview".
for (const form of all("form[data-previews]")) {
  let timer, latest = 0;
  form.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(preview, 500); });
  const preview = async () => {
    const mine = ++latest, place = document.getElementById(form.dataset.previews);
    const body = new URLSearchParams(new FormData(form));
    body.set("preview", "yes");
    place.setAttribute("aria-busy", "true");
    try {
      const answer = await fetch(form.action, { method: "POST", body, headers: { accept: "text/html" } });
      const read = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById(place.id);
      if (mine === latest && read) { inZone(read); offerCopies(read); morph(place, read); }
    } catch {
      // Ignores errors, because the user can still press the form's Preview button.
    } finally {
      if (mine === latest) place.removeAttribute("aria-busy");
    }
  };
}
`;
