/** Contains the script of the API reference page as a string, because the executable cannot contain asset files. */
export const referencePageScript: string = `(() => {
"use strict";
const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const form = document.querySelector("form[role=search]"), field = document.getElementById("find");
const found = document.querySelector(".found"), intro = document.querySelector(".intro");
const shapes = (names) => names.split(" ").filter(Boolean).map((name) => name + " " + all("#schema-" + name + " .fields").map((part) => part.textContent).join(" "));
const articles = all("article").map((element) => ({ element, text: [element.querySelector(".entry-text").textContent, ...shapes(element.dataset.shapes)].join(" ").toLowerCase() }));
// Removes the end of a word, so that a search for "restoring" also finds "restored".
const stem = (word) => word.length > 5 ? word.replace(/(?:ing|ed|es|s|e)$/, "") : word;
const links = new Map(all("nav li a").map((link) => [link.hash.slice(1), link]));
form.hidden = false;

function filter() {
  const words = field.value.toLowerCase().split(/\\s+/).filter(Boolean).map(stem);
  let count = 0;
  for (const { element, text } of articles) {
    const fits = words.every((word) => text.includes(word));
    element.hidden = !fits;
    const link = links.get(element.id);
    if (link) link.parentElement.hidden = !fits;
    if (fits) count++;
  }
  const busy = words.length > 0;
  for (const area of all(".area")) area.hidden = busy && !area.querySelector("article:not([hidden])");
  for (const part of all("nav section")) part.hidden = busy && !part.querySelector("li:not([hidden])");
  intro.hidden = busy;
  found.hidden = !busy;
  found.textContent = busy ? (count === 0 ? "No endpoint matches all of these words" : count === 1 ? "1 endpoint" : count + " endpoints") : "";
}
field.addEventListener("input", () => { filter(); scrollTo({ top: 0, behavior: "instant" }); });
form.addEventListener("submit", (event) => {
  event.preventDefault();
  const first = articles.find(({ element }) => !element.hidden);
  if (first) first.element.querySelector("h3 a").focus();
});
document.addEventListener("keydown", (event) => {
  const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
  if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) { event.preventDefault(); field.focus(); field.select(); }
  if (event.key === "Escape" && event.target === field) { field.value = ""; filter(); field.blur(); }
});

// Shows the target of a link, even if the search or a closed section hides it.
function reveal() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  if (target.closest("[hidden]")) { field.value = ""; filter(); }
  if (target.tagName === "DETAILS") target.open = true;
  target.scrollIntoView();
}
addEventListener("hashchange", reveal);
if (location.hash) reveal();

const own = document.querySelector(".try pre code");
own.textContent = own.textContent.replace("http://localhost:3000", location.origin);

// Copies a long example from the list of schemas when the reader opens the example.
for (const place of all("details[data-of]")) {
  place.addEventListener("toggle", () => {
    const shape = document.querySelector("#schema-" + place.dataset.of + " pre"), note = place.querySelector("p");
    if (!shape || !note) return;
    const copy = shape.cloneNode(true);
    if ("list" in place.dataset) copy.firstChild.prepend("[ "), copy.firstChild.append(" ]");
    note.replaceWith(copy);
  });
}

for (const block of all("div.code")) {
  const button = document.createElement("button"), code = block.querySelector("code");
  button.type = "button";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(code.textContent);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(code);
      button.textContent = "Selected";
    }
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  });
  block.append(button);
}

const observer = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting) continue;
    for (const link of links.values()) link.removeAttribute("aria-current");
    const link = links.get(target.id);
    if (!link) continue;
    link.setAttribute("aria-current", "location");
    const nav = link.closest("nav"), top = link.getBoundingClientRect().top - nav.getBoundingClientRect().top;
    if (top < 0 || top > nav.clientHeight - 60) nav.scrollTop += top - nav.clientHeight / 3;
  }
}, { rootMargin: "-15% 0px -75% 0px" });
for (const { element } of articles) observer.observe(element);
})();`;
