/**
 * Saves form input in the session storage of the browser tab. Restores the input if the user's session ended before
 * the form was sent. Never saves passwords and hidden fields.
 */
export const draftScript: string = `
const me = shell.dataset.me;
const isStored = (field) => field.name && !/^(password|hidden|file|submit|button)$/.test(field.type);
const isTyped = ({ options, type, checked, defaultChecked, value, defaultValue }) => options
  ? [...options].some((each) => each.selected !== each.defaultSelected)
  : /^(checkbox|radio)$/.test(type) ? checked !== defaultChecked : value !== defaultValue;

// Saves only edited fields, because other users may change the rest meanwhile. If a form was refused, saves all fields.
function keepDraft(form, sent) {
  if (!form || form.method !== "post") return;
  const isRefused = form.querySelector("#refusal") !== null;
  const fields = [...form.elements].filter((each) => isStored(each) && (isRefused || isTyped(each)));
  const values = fields.map(({ name, value, checked }) => [name, value, checked]);
  if (values.length === 0) return;
  const page = location.pathname + location.search, action = form.getAttribute("action");
  sessionStorage.setItem("draft", JSON.stringify({ me, page, action, values, sent }));
}

function restoreDraft({ action, values }) {
  const form = all("main form").find((each) =>
    each.getAttribute("action") === action && values.every(([name]) => each.elements.namedItem(name)));
  if (!form) return;
  for (const [name, value, checked] of values) for (const field of [...form.elements].filter((each) => each.name === name && isStored(each))) {
    if (!/^(checkbox|radio)$/.test(field.type)) field.value = value;
    else if (field.value === value) field.checked = checked;
  }
  const note = document.createElement("p");
  note.className = "callout info";
  note.setAttribute("role", "status");
  note.textContent = "Your session ended, and nothing was sent. Your input is restored.";
  form.prepend(note);
  form.dispatchEvent(new Event("input", { bubbles: true }));
}

// If a form was refused because the session had ended, the sign-in page redirects to the hash "#draft".
const marked = location.hash === "#draft", draft = JSON.parse(sessionStorage.getItem("draft") || "null");
const lost = sessionStorage.getItem("lost") === "yes";
sessionStorage.removeItem("lost");
if (marked) history.replaceState(null, "", location.pathname + location.search);
if (draft && draft.me !== me) sessionStorage.removeItem("draft");
else if (draft && (marked || lost) && draft.page === location.pathname + location.search) restoreDraft(draft);
else if (draft && marked) goToDraft(draft.page);
else if (draft && draft.sent) sessionStorage.removeItem("draft");

function goToDraft(page) {
  sessionStorage.setItem("lost", "yes");
  location.replace(page);
}
document.addEventListener("input", (event) => keepDraft(event.target.form, false));
document.addEventListener("submit", (event) => {
  if (event.target.getAttribute("action") === "/sign-out") sessionStorage.removeItem("draft");
  else if (!event.defaultPrevented) keepDraft(event.target, true);
});
`;
