/** Adds keyboard shortcuts: `/` searches, `g` plus a letter opens a page, `j`/`k` move in a list, `?` shows help. */
export const shortcutScript: string = `
const KEYS = [["/", "Search on this page"], ["g h", "Go to hubs"], ["g r", "Go to requests"], ["g n", "Go to notifications"], ["g a", "Go to audit"], ["g u", "Go to users"], ["g t", "Go to API tokens"], ["j  k", "Next and previous item in a list"], ["c", "Create"], ["?", "Show these shortcuts"]];
const PLACES = { h: "/hubs", r: "/requests", n: "/notifications", a: "/audit", u: "/users", t: "/tokens" };
const linkOf = (letter) => PLACES[letter] && document.querySelector('.side a[href="' + PLACES[letter] + '"]');
let leads = false, keysOn = localStorage.getItem("keys") !== "off";

const opener = document.createElement("button"), item = document.createElement("li");
opener.textContent = "Shortcuts";
opener.addEventListener("click", showKeys);
item.append(opener);
document.querySelector(".outer").append(item);

function showKeys() {
  let dialog = document.querySelector("dialog.keys");
  if (!dialog) {
    dialog = document.createElement("dialog");
    dialog.className = "keys";
    dialog.setAttribute("aria-labelledby", "keys-title");
    const title = document.createElement("h2"), list = document.createElement("dl"), close = document.createElement("button");
    title.id = "keys-title";
    title.textContent = "Keyboard shortcuts";
    for (const [key, does] of KEYS) {
      if (key.startsWith("g ") && !linkOf(key[2])) continue; // a page that this user cannot open
      const term = document.createElement("dt"), description = document.createElement("dd"), kbd = document.createElement("kbd");
      kbd.textContent = key;
      description.textContent = does;
      term.append(kbd);
      list.append(term, description);
    }
    close.className = "quiet";
    close.textContent = "Close";
    close.addEventListener("click", () => dialog.close());
    const label = document.createElement("label"), box = document.createElement("input");
    label.className = "tickbox";
    box.type = "checkbox";
    box.checked = keysOn;
    box.addEventListener("change", () => { keysOn = box.checked; localStorage.setItem("keys", keysOn ? "on" : "off"); });
    label.append(box, "Enable shortcuts");
    dialog.append(title, list, label, close);
    document.body.append(dialog);
  }
  dialog.showModal();
}

function step(by) {
  const rows = all(".list .cover, tbody a").filter((each) => each.offsetParent !== null);
  if (rows.length === 0) return;
  const at = rows.indexOf(document.activeElement);
  rows[Math.min(rows.length - 1, Math.max(0, at < 0 ? 0 : at + by))].focus();
}

document.addEventListener("keydown", (event) => {
  const { key, target } = event;
  if (key === "Escape") for (const menu of all("details.menu[open]")) { menu.open = false; menu.querySelector("summary").focus(); }
  if (!keysOn || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  if (/^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) && !/^(checkbox|radio)$/.test(target.type)) return;
  if (leads) {
    leads = false;
    const link = linkOf(key);
    if (link) { event.preventDefault(); link.click(); }
    return;
  }
  const does = {
    "/": () => { const field = document.querySelector("main input[type=search]"); if (field) { field.focus(); field.select(); } },
    "?": showKeys,
    g: () => { leads = true; setTimeout(() => { leads = false; }, 1500); },
    j: () => step(1),
    k: () => step(-1),
    c: () => document.querySelector("[data-create]")?.click(),
  }[key];
  if (does) { event.preventDefault(); does(); }
});
`;
