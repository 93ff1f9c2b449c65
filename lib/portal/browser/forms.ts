/** Prevents double submissions, makes "Select all" work, and shows previews while the user types. */
import { enhance } from "#lib/portal/browser/enhancements.ts";
import { morph } from "#lib/portal/browser/morph.ts";
import { findElements } from "#lib/reference/browser/elements.ts";

// Ignores the second form submission after a double click.
document.addEventListener("submit", (event) => {
  const form = event.target as HTMLFormElement;
  if (form.method !== "post") return;
  if (form.dataset.sent) event.preventDefault();
  else form.dataset.sent = "yes";
});

function allowSubmissions(): void {
  for (const form of findElements("form[data-sent]")) delete form.dataset.sent;
}
addEventListener("pageshow", allowSubmissions);
addEventListener("keydown", ({ key }) => {
  if (key === "Escape") allowSubmissions(); // Escape also stops the request
});

// Makes the checkbox "Select all" select or clear all checkboxes in its list.
for (const box of findElements<HTMLInputElement>("[data-ticks]")) {
  box.hidden = false;
  box.addEventListener("change", () => {
    for (const each of findElements<HTMLInputElement>(box.dataset.ticks!)) each.checked = box.checked;
  });
}

/** Shows a preview while the user types, by submitting the form in the background with the extra field "preview". */
function previewWhileTyping(form: HTMLFormElement): void {
  let timer: number | undefined, latest = 0;
  form.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(preview, 500);
  });

  async function preview(): Promise<void> {
    const mine = ++latest, place = document.getElementById(form.dataset.previews!)!;
    const body = new URLSearchParams([...new FormData(form)] as [string, string][]);
    body.set("preview", "yes");
    place.ariaBusy = "true";
    try {
      const response = await fetch(form.action, { method: "POST", body, headers: { accept: "text/html" } });
      const page = new DOMParser().parseFromString(await response.text(), "text/html");
      const update = page.getElementById(place.id);
      if (mine === latest && update) {
        enhance(update);
        morph(place, update);
      }
    } catch {
      // Ignores errors, because the user can still press the form's Preview button.
    } finally {
      if (mine === latest) place.ariaBusy = null;
    }
  }
}
findElements<HTMLFormElement>("form[data-previews]").forEach(previewWhileTyping);
