/**
 * Saves form input in the session storage of the browser tab. Restores the input if the user's session ended before
 * the form was sent. Never saves passwords and hidden fields.
 */
import { shellData } from "#lib/portal/browser/shell.ts";
import { createElement, findElements } from "#lib/reference/browser/elements.ts";

type FormField = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

interface Draft {
  readonly me: string | undefined;
  readonly page: string;
  readonly action: string | null;
  readonly values: readonly (readonly [name: string, value: string, checked: boolean])[];
  readonly sent: boolean;
}

function storedFields(form: HTMLFormElement): FormField[] {
  return ([...form.elements] as FormField[]).filter(({ name, type }) =>
    name && !/^(password|hidden|file|submit|button)$/.test(type)
  );
}

function isTickable(field: FormField): field is HTMLInputElement {
  return /^(checkbox|radio)$/.test(field.type);
}

function isEdited(field: FormField): boolean {
  if (field instanceof HTMLSelectElement) {
    return [...field.options].some((option) => option.selected !== option.defaultSelected);
  }
  return isTickable(field) ? field.checked !== field.defaultChecked : field.value !== field.defaultValue;
}

/**
 * Saves only edited fields, because other users may change the other fields meanwhile. If a form was refused, saves all
 * fields.
 */
function saveDraft(form: HTMLFormElement | null, sent: boolean): void {
  if (!form || form.method !== "post") return;
  const isRefused = form.querySelector("#refusal") !== null;
  const fields = storedFields(form).filter((field) => isRefused || isEdited(field));
  if (fields.length === 0) return;
  const draft: Draft = {
    me: shellData.me,
    page: location.pathname + location.search,
    action: form.getAttribute("action"),
    values: fields.map((field) => [field.name, field.value, isTickable(field) && field.checked]),
    sent,
  };
  sessionStorage.setItem("draft", JSON.stringify(draft));
}

function restoreDraft({ action, values }: Draft): void {
  const form = findElements<HTMLFormElement>("main form").find((each) =>
    each.getAttribute("action") === action && values.every(([name]) => each.elements.namedItem(name))
  );
  if (!form) return;
  for (const [name, value, checked] of values) {
    for (const field of storedFields(form).filter((each) => each.name === name)) {
      if (!isTickable(field)) field.value = value;
      else if (field.value === value) field.checked = checked;
    }
  }
  const text = "Your session ended, and nothing was sent. Your input is restored.";
  form.prepend(createElement("p", { className: "callout info", role: "status" }, text));
  form.dispatchEvent(new Event("input", { bubbles: true }));
}

// If a form was refused because the session had ended, the sign-in page redirects to the hash "#draft".
const marked = location.hash === "#draft";
const draft: Draft | null = JSON.parse(sessionStorage.getItem("draft") || "null");
const lost = sessionStorage.getItem("lost") === "yes";
sessionStorage.removeItem("lost");
if (marked) history.replaceState(null, "", location.pathname + location.search);
if (draft && draft.me !== shellData.me) sessionStorage.removeItem("draft");
else if (draft && (marked || lost) && draft.page === location.pathname + location.search) restoreDraft(draft);
else if (draft && marked) goToDraft(draft.page);
else if (draft && draft.sent) sessionStorage.removeItem("draft");

/** Opens the page, which then restores the draft for it. */
export function goToDraft(page: string): void {
  sessionStorage.setItem("lost", "yes");
  location.replace(page);
}

document.addEventListener("input", (event) => saveDraft((event.target as FormField).form, false));
document.addEventListener("submit", (event) => {
  const form = event.target as HTMLFormElement;
  if (form.getAttribute("action") === "/sign-out") sessionStorage.removeItem("draft");
  else if (!event.defaultPrevented) saveDraft(form, true);
});
