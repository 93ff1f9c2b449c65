/** Adds keyboard shortcuts: `/` searches, `g` plus a letter opens a page, `j`/`k` move in a list, `?` shows help. */
import { createElement, findElements, isTyping } from "#lib/reference/browser/elements.ts";

const PAGES: Readonly<Record<string, string>> = {
  h: "hubs",
  s: "spokes",
  o: "operations",
  r: "requests",
  n: "notifications",
  a: "audit",
  u: "users",
  t: "tokens",
};
let awaitsLetter = false, enabled = localStorage.getItem("keys") !== "off";

/** Returns the navigation's link to the page with this letter; null if the user cannot open such a page. */
function findPageLink(letter: string): HTMLAnchorElement | null {
  return document.querySelector(`.side a[href="/${PAGES[letter]}"]`);
}

const opener = createElement("button", {}, "Shortcuts");
opener.addEventListener("click", showShortcuts);
document.querySelector(".outer")!.append(createElement("li", {}, opener));

function showShortcuts(): void {
  (document.querySelector<HTMLDialogElement>("dialog.keys") ?? createDialog()).showModal();
}

function createDialog(): HTMLDialogElement {
  const pages = Object.entries(PAGES).filter(([letter]) => findPageLink(letter));
  const shortcuts = [
    ["/", "Search on this page"],
    ...pages.map(([letter, page]) => [`g ${letter}`, `Go to ${page === "tokens" ? "API tokens" : page}`] as const),
    ["j  k", "Next and previous item in a list"],
    ["c", "Create"],
    ["?", "Show these shortcuts"],
  ] as const;
  const list = createElement("dl");
  for (const [key, description] of shortcuts) {
    list.append(createElement("dt", {}, createElement("kbd", {}, key)), createElement("dd", {}, description));
  }
  const box = createElement("input", { type: "checkbox", checked: enabled });
  box.addEventListener("change", () => {
    enabled = box.checked;
    localStorage.setItem("keys", enabled ? "on" : "off");
  });
  const close = createElement("button", { className: "quiet" }, "Close");
  const dialog = createElement(
    "dialog",
    { className: "keys" },
    createElement("h2", { id: "keys-title" }, "Keyboard shortcuts"),
    list,
    createElement("label", { className: "tickbox" }, box, "Enable shortcuts"),
    close,
  );
  dialog.setAttribute("aria-labelledby", "keys-title");
  close.addEventListener("click", () => dialog.close());
  document.body.append(dialog);
  return dialog;
}

function focusSearch(): void {
  const field = document.querySelector<HTMLInputElement>("main input[type=search]");
  field?.focus();
  field?.select();
}

/** Moves the focus to the next item in the list, or with -1 to the previous item. */
function moveFocus(by: number): void {
  const items = findElements(".list .cover").filter(({ offsetParent }) => offsetParent !== null);
  const at = items.indexOf(document.activeElement as HTMLElement);
  items[Math.min(items.length - 1, Math.max(0, at < 0 ? 0 : at + by))]?.focus();
}

const ACTIONS: Readonly<Record<string, () => void>> = {
  "/": focusSearch,
  "?": showShortcuts,
  g() {
    awaitsLetter = true;
    setTimeout(() => awaitsLetter = false, 1500);
  },
  j: () => moveFocus(1),
  k: () => moveFocus(-1),
  c: () => document.querySelector<HTMLElement>("[data-create]")?.click(),
};

function closeMenus(): void {
  for (const menu of findElements<HTMLDetailsElement>("details.menu[open]")) {
    menu.open = false;
    menu.querySelector("summary")!.focus();
  }
}

document.addEventListener("keydown", (event) => {
  const { key } = event;
  if (key === "Escape") closeMenus();
  if (!enabled || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  if (isTyping(event)) return;
  const link = awaitsLetter ? findPageLink(key) : null;
  const action = awaitsLetter ? link && (() => link.click()) : ACTIONS[key];
  awaitsLetter = false;
  if (!action) return;
  event.preventDefault();
  action();
});
