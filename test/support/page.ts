/**
 * Pages as people meet them: found by role and accessible name, gone through by links and forms, without script.
 *
 *   const page = await visit(scene, "/sign-in");
 *   const hubs = await page.submit("Sign in", { "E-mail address": email, Password: password });
 *   const form = await hubs.part("listitem", /north/).follow("north");
 */
import { computeAccessibleDescription, computeAccessibleName, getRole } from "dom-accessibility-api";
import { Window } from "happy-dom";
import type { Answer } from "#test/support/client.ts";
import type { Scene, Who } from "#test/support/scene.ts";

/** Text is a whole name; a pattern, a part of it. */
export type Name = string | RegExp;
/** By a field's label, or else its name: what is typed or chosen, or whether it is ticked. */
export type Filled = Readonly<Record<string, string | boolean>>;

export interface Field {
  readonly name: string;
  readonly value: string;
  readonly ticked: boolean;
  readonly required: boolean;
  /** What is marked as wrong has a description that says why. */
  readonly wrong: boolean;
  readonly description: string;
  /** What a select offers. */
  readonly options: readonly string[];
}

/** Something on a page with all that is in it. What is looked for and not there throws, with what is there instead. */
export interface Part {
  readonly text: string;
  /** The names of all with this role. */
  all(role: string): readonly string[];
  has(role: string, name: Name): boolean;
  /** The one with this role and name; one without a name by its text. */
  part(role: string, name?: Name): Part;
  attribute(name: string): string | null;
  /** Where the link of this name leads. */
  link(name: Name): string;
  field(label: Name): Field;
  /** The texts of a table's rows, cell by cell, with its head. */
  table(name?: Name): readonly (readonly string[])[];
  follow(link: Name): Promise<Page>;
  /** Presses the button of its form, filled in. */
  submit(button: Name, filled?: Filled): Promise<Page>;
}

export interface Page extends Part {
  readonly status: number;
  /** Where one is after all redirections. */
  readonly path: string;
  readonly headers: Headers;
  readonly html: string;
  readonly title: string;
  /** Of one's session, as the answers left it; empty where none is. */
  readonly cookie: string;
}

type Place = Pick<Scene, "send" | "as">;
/** What goes to a path; resolves with the page at which that ends. */
type Go = (path: string, init?: RequestInit) => Promise<Page>;

const MOST_REDIRECTIONS = 5;
const dom = new Window();

/** `who` is one of the scene's people, or brings a cookie of its own. */
export async function visit(
  scene: Place,
  path: string,
  who: Who | "nobody" | { readonly cookie: string } = "nobody",
): Promise<Page> {
  const { cookie = "" } = typeof who === "string" ? await scene.as(who).credentials() : who;
  return await request(scene, cookie, path);
}

async function request(scene: Place, cookie: string, path: string, init: RequestInit = {}, went = 0): Promise<Page> {
  const headers = { accept: "text/html", ...init.headers, ...(cookie && { cookie }) };
  const answer = await scene.send(path, { ...init, headers });
  const jar = cookieAfter(cookie, answer), location = answer.headers.get("location");
  if (answer.status !== 303) return readPage(answer, path, jar, (to, how) => request(scene, jar, to, how));
  if (!location?.startsWith("/") || went === MOST_REDIRECTIONS) throw new Error(`${path} leads to ${location}`);
  return await request(scene, jar, location, {}, went + 1);
}

function cookieAfter(cookie: string, { headers }: Answer): string {
  const [set = "", ...about] = headers.get("set-cookie")?.split("; ") ?? [cookie];
  return about.some((each) => /^max-age=0$/i.test(each)) ? "" : set;
}

function readPage({ status, headers, body }: Answer, path: string, cookie: string, go: Go): Page {
  const html = String(body);
  const document = new dom.DOMParser().parseFromString(html, "text/html") as unknown as Document;
  // The parser takes the option before the one that is selected, where the first one is empty.
  for (const select of document.querySelectorAll("select")) {
    select.value = (select.querySelector<HTMLOptionElement>("option[selected]") ?? select.options[0])?.value ?? "";
  }
  const part = partOf(document.body, path, go);
  return { ...part, status, path, headers, html, title: document.title, cookie };
}

function partOf(root: Element, path: string, go: Go): Part {
  const find = (role: string, name?: Name) => findIn(root, role, name);
  return {
    text: textOf(root),
    all: (role) => withRole(root, role).map(nameOf),
    has: (role, name) => withRole(root, role).some((each) => fits(each, name)),
    part: (role, name) => partOf(find(role, name), path, go),
    attribute: (name) => root.getAttribute(name),
    link: (name) => find("link", name).getAttribute("href")!,
    field: (label) => fieldOf(find("field", label) as HTMLInputElement),
    table: (name) =>
      [...find("table", name).querySelectorAll("tr")].map((row) => [...row.querySelectorAll("th, td")].map(textOf)),
    follow: async (name) => await go(find("link", name).getAttribute("href")!),
    submit: async (name, filled = {}) => await go(...sending(find("button", name) as HTMLButtonElement, filled, path)),
  };
}

const FIELD = "input:not([type=hidden]), select, textarea";

function withRole(root: Element, role: string): readonly Element[] {
  const all = role === "field" ? [...root.querySelectorAll(FIELD)] : [...root.querySelectorAll("*")]
    .filter((each) => getRole(each) === role);
  return all.filter((each) => !each.closest("[hidden], [aria-hidden=true]"));
}

function findIn(root: Element, role: string, name?: Name): Element {
  const all = withRole(root, role), fitting = name === undefined ? all : all.filter((each) => fits(each, name));
  if (fitting.length === 1) return fitting[0]!;
  const there = all.map((each) => `  ${nameOf(each)}`).join("\n");
  throw new Error(
    `${fitting.length} times ${role} ${name ?? ""}; there are:\n${there || `  none in: ${textOf(root)}`}`,
  );
}

function fits(element: Element, name: Name): boolean {
  const known = nameOf(element);
  return typeof name === "string" ? known === name || known === `${name} optional` : name.test(known);
}

/** Style sheets name nothing here, and to reckon with them takes long. */
const unstyled = { getComputedStyle: () => ({ getPropertyValue: () => "" }) as unknown as CSSStyleDeclaration };

function nameOf(element: Element): string {
  const role = getRole(element) ?? "";
  const named = element.hasAttribute("aria-label") || element.hasAttribute("aria-labelledby");
  if (!named && BY_TEXT.includes(role)) return textOf(element);
  return computeAccessibleName(element, unstyled).replace(/\s+/g, " ").trim();
}

/** Roles whose elements have no name of their own. */
const BY_TEXT = ["listitem", "alert", "status", "term", "definition", "paragraph", "row", "cell", "main"];

function textOf(element: Element): string {
  const copy = element.cloneNode(true) as Element;
  for (const each of copy.querySelectorAll("script, style, [hidden], [aria-hidden=true]")) each.remove();
  // Blocks are apart from each other, as they are on the page.
  for (const each of copy.querySelectorAll("*")) if (!INLINE.includes(each.tagName)) each.before(" "), each.after(" ");
  return (copy.textContent ?? "").replace(/\s+/g, " ").trim();
}

const INLINE = ["A", "B", "CODE", "I", "SPAN", "TIME"];

function fieldOf(element: HTMLInputElement | HTMLSelectElement): Field {
  return {
    name: element.name,
    value: element.value,
    ticked: "checked" in element && element.checked,
    required: element.required,
    wrong: element.getAttribute("aria-invalid") === "true",
    description: computeAccessibleDescription(element, unstyled),
    options: [...element.querySelectorAll("option")].map(textOf),
  };
}

/** The request of a browser: what stands in the form, what is filled in, and the button itself. */
function sending(button: HTMLButtonElement, filled: Filled, path: string): [path: string, init: RequestInit] {
  const form = button.closest("form");
  if (!form) throw new Error(`The button ${nameOf(button)} has no form`);
  for (const [label, value] of Object.entries(filled)) fill(form, label, value);
  const sent = new URLSearchParams();
  for (const each of form.querySelectorAll<HTMLInputElement>("input, select, textarea")) {
    const left = (each.type === "checkbox" || each.type === "radio") && !each.checked;
    if (each.name && !each.disabled && !left) sent.append(each.name, each.value);
  }
  if (button.name) sent.append(button.name, button.value);
  const action = form.getAttribute("action") || path;
  if (form.method !== "post") return [`${action.split("?")[0]}?${sent}`, {}];
  const headers = { "content-type": "application/x-www-form-urlencoded", origin: "http://localhost:3000" };
  return [action, { method: "POST", headers: { ...headers, "sec-fetch-site": "same-origin" }, body: `${sent}` }];
}

function fill(form: Element, label: string, value: string | boolean): void {
  const named = [...form.querySelectorAll<HTMLInputElement>(FIELD)].filter(({ name }) => name === label);
  const found = named.length > 0 ? named : [findIn(form, "field", label) as HTMLInputElement];
  for (const each of found) {
    if (each.type === "radio") each.checked = each.value === value;
    else if (typeof value === "boolean") each.checked = value;
    else each.value = value;
  }
  if (typeof value === "string" && !found.some((each) => each.value === value)) {
    throw new Error(`${label} does not offer ${value}; it offers: ${found.map(offered).join(", ")}`);
  }
}

function offered(field: Element): string {
  return [...field.querySelectorAll("option")].map((each) => each.value).join(", ") || field.getAttribute("value")!;
}
