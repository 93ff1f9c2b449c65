/** The script of the API reference page: search, Copy buttons, and a navigation that follows the scroll position. */
import { copyCode, createElement, findElements, isTyping } from "#lib/reference/browser/elements.ts";

const form = document.querySelector<HTMLFormElement>("form[role=search]")!;
const field = document.querySelector<HTMLInputElement>("#find")!;
const found = document.querySelector<HTMLElement>(".found")!, intro = document.querySelector<HTMLElement>(".intro")!;
const articles = findElements("article").map((element) => ({ element, text: textOf(element) }));
const links = new Map(findElements<HTMLAnchorElement>("nav li a").map((link) => [link.hash.slice(1), link]));
form.hidden = false;

/** Returns the text of an endpoint and of the schemas that it uses. */
function textOf(article: HTMLElement): string {
  const schemas = article.dataset.shapes!.split(" ").filter(Boolean);
  const fields = schemas.map((name) =>
    findElements(`#schema-${name} .fields`).map((part) => part.textContent).join(" ")
  );
  return [article.querySelector(".entry-text")!.textContent, ...schemas, ...fields].join(" ").toLowerCase();
}

/** Removes the end of a word, so that a search for "restoring" also finds "restored". */
function stem(word: string): string {
  return word.length > 5 ? word.replace(/(?:ing|ed|es|s|e)$/, "") : word;
}

function filter(): void {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean).map(stem), busy = words.length > 0;
  let count = 0;
  for (const { element, text } of articles) {
    const fits = words.every((word) => text.includes(word));
    element.hidden = !fits;
    links.get(element.id)!.parentElement!.hidden = !fits;
    if (fits) count++;
  }
  for (const area of findElements(".area")) area.hidden = busy && !area.querySelector("article:not([hidden])");
  for (const part of findElements("nav section")) part.hidden = busy && !part.querySelector("li:not([hidden])");
  intro.hidden = busy;
  found.hidden = !busy;
  const result = count === 0 ? "No endpoint matches all of these words" : `${count} endpoint${count === 1 ? "" : "s"}`;
  found.textContent = busy ? result : "";
}

field.addEventListener("input", () => {
  filter();
  scrollTo({ top: 0, behavior: "instant" });
});
form.addEventListener("submit", (event) => {
  event.preventDefault();
  articles.find(({ element }) => !element.hidden)?.element.querySelector<HTMLElement>("h3 a")?.focus();
});
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && !isTyping(event) && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    field.focus();
    field.select();
  }
  if (event.key === "Escape" && event.target === field) {
    clearSearch();
    field.blur();
  }
});

function clearSearch(): void {
  field.value = "";
  filter();
}

/** Shows the target of a link, even if the search or a closed section hides it. */
function reveal(): void {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  if (target.closest("[hidden]")) clearSearch();
  if (target instanceof HTMLDetailsElement) target.open = true;
  target.scrollIntoView();
}
addEventListener("hashchange", reveal);
if (location.hash) reveal();

const command = document.querySelector<HTMLElement>(".try pre code")!;
command.textContent = command.textContent.replace("http://localhost:3000", location.origin);

// Copies a long example from the list of schemas when the reader opens the example.
for (const details of findElements<HTMLDetailsElement>("details[data-of]")) {
  details.addEventListener("toggle", () => {
    const example = document.querySelector(`#schema-${details.dataset.of} pre`), note = details.querySelector("p");
    if (!example || !note) return;
    const copy = example.cloneNode(true), code = copy.firstChild as HTMLElement;
    if ("list" in details.dataset) {
      code.prepend("[ ");
      code.append(" ]");
    }
    note.replaceWith(copy);
  });
}

for (const block of findElements("div.code")) {
  const button = createElement("button", { type: "button" }, "Copy"), code = block.querySelector("code")!;
  button.addEventListener("click", () => copyCode(button, code));
  block.append(button);
}

// Marks the endpoint at the top of the window in the navigation, and scrolls the navigation to it.
const observer = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting) continue;
    for (const link of links.values()) link.removeAttribute("aria-current");
    const link = links.get(target.id)!, nav = link.closest("nav")!;
    link.setAttribute("aria-current", "location");
    const top = link.getBoundingClientRect().top - nav.getBoundingClientRect().top;
    if (top < 0 || top > nav.clientHeight - 60) nav.scrollTop += top - nav.clientHeight / 3;
  }
}, { rootMargin: "-15% 0px -75% 0px" });
for (const { element } of articles) observer.observe(element);
