/** Reads pages as people do: finds elements by role and accessible name, follows links, and submits forms, without
 * scripts.
 *
 *   const page = await parsePage(scene, "/sign-in");
 *   const hubs = await page.submit("Sign in", { "Email address": email, Password: password });
 *   const form = await hubs.part("listitem", /north/).follow("north"); */
import { computeAccessibleDescription, computeAccessibleName, getRole } from "dom-accessibility-api";
import { Window } from "happy-dom";
import type { ClientResponse } from "#test/support/client.ts";
import type { Scene, SceneRole } from "#test/support/scene.ts";

/** The accessible name to find: a string is the complete name, a pattern matches a part of the name. */
export type AccessibleName = string | RegExp;
/** The values to enter (text, selected option or checked state), keyed by the field's label or name. */
export type FormValues = Readonly<Record<string, string | boolean>>;

export interface FormField {
  readonly name: string;
  readonly value: string;
  readonly ticked: boolean;
  readonly required: boolean;
  /** Whether the field is marked as invalid. If so, the field's description says why. */
  readonly wrong: boolean;
  readonly description: string;
  /** The options of a `select` field that the user can choose. */
  readonly options: readonly string[];
}

/** An element in a page, with its content. A search without a match throws an error that lists the page's elements. */
export interface PagePart {
  readonly text: string;
  /** Returns the names of all elements that have this role. */
  all(role: string): readonly string[];
  has(role: string, name: AccessibleName): boolean;
  /** Returns the element with this role and name. For elements without a name, compares the text instead. */
  part(role: string, name?: AccessibleName): PagePart;
  attribute(name: string): string | null;
  /** Returns the URL of the link with this name. */
  link(name: AccessibleName): string;
  field(label: AccessibleName): FormField;
  /** Returns the texts in a table's cells, row by row, including the header row. */
  table(name?: AccessibleName): readonly (readonly string[])[];
  follow(link: AccessibleName): Promise<Page>;
  /** Fills in the form that contains the button, and clicks the button. */
  submit(button: AccessibleName, filled?: FormValues): Promise<Page>;
}

export interface Page extends PagePart {
  readonly status: number;
  /** The page's path, after all redirects. */
  readonly path: string;
  readonly headers: Headers;
  readonly html: string;
  readonly title: string;
  /** The session cookie after this page's responses. Empty if no user is signed in. */
  readonly cookie: string;
}

type PageSender = Pick<Scene, "send" | "as">;
/** Sends a request to a path. Resolves with the page after all redirects. */
type Go = (path: string, init?: RequestInit) => Promise<Page>;

const MOST_REDIRECTIONS = 5;
const dom = new Window();

/** Requests a page. `who` is a user of the scene, or contains a session cookie. */
export async function parsePage(
  scene: PageSender,
  path: string,
  who: SceneRole | "nobody" | { readonly cookie: string } = "nobody",
): Promise<Page> {
  const { cookie = "" } = typeof who === "string" ? await scene.as(who).credentials() : who;
  return await request(scene, cookie, path);
}

async function request(
  scene: PageSender,
  cookie: string,
  path: string,
  init: RequestInit = {},
  went = 0,
): Promise<Page> {
  const headers = { accept: "text/html", ...init.headers, ...(cookie && { cookie }) };
  const answer = await scene.send(path, { ...init, headers });
  const jar = cookieAfter(cookie, answer), location = answer.headers.get("location");
  if (answer.status !== 303) return readPage(answer, path, jar, (to, how) => request(scene, jar, to, how));
  if (!location?.startsWith("/") || went === MOST_REDIRECTIONS) throw new Error(`${path} redirects to ${location}`);
  return await request(scene, jar, location, {}, went + 1);
}

function cookieAfter(cookie: string, { headers }: ClientResponse): string {
  const [set = "", ...about] = headers.get("set-cookie")?.split("; ") ?? [cookie];
  return about.some((each) => /^max-age=0$/i.test(each)) ? "" : set;
}

function readPage({ status, headers, body }: ClientResponse, path: string, cookie: string, go: Go): Page {
  const html = String(body);
  const document = new dom.DOMParser().parseFromString(html, "text/html") as unknown as Document;
  // Corrects a parser bug: if the first option is empty, the parser selects the option before the selected option.
  for (const select of document.querySelectorAll("select")) {
    select.value = (select.querySelector<HTMLOptionElement>("option[selected]") ?? select.options[0])?.value ?? "";
  }
  const part = partOf(document.body, path, go);
  return { ...part, status, path, headers, html, title: document.title, cookie };
}

function partOf(root: Element, path: string, go: Go): PagePart {
  const find = (role: string, name?: AccessibleName) => findIn(root, role, name);
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

function findIn(root: Element, role: string, name?: AccessibleName): Element {
  const all = withRole(root, role), fitting = name === undefined ? all : all.filter((each) => fits(each, name));
  if (fitting.length === 1) return fitting[0]!;
  const there = all.map((each) => `  ${nameOf(each)}`).join("\n");
  throw new Error(
    `Found ${fitting.length} times ${role} ${name ?? ""}; the page has:\n${there || `  none in: ${textOf(root)}`}`,
  );
}

function fits(element: Element, name: AccessibleName): boolean {
  const accessibleName = nameOf(element);
  return typeof name === "string"
    ? accessibleName === name || accessibleName === `${name} optional`
    : name.test(accessibleName);
}

/** A window without style sheets. Styles do not affect accessible names here, and computing styles is slow. */
const unstyled = { getComputedStyle: () => ({ getPropertyValue: () => "" }) as unknown as CSSStyleDeclaration };

function nameOf(element: Element): string {
  const role = getRole(element) ?? "";
  const named = element.hasAttribute("aria-label") || element.hasAttribute("aria-labelledby");
  if (!named && BY_TEXT.includes(role)) return textOf(element);
  return computeAccessibleName(element, unstyled).replace(/\s+/g, " ").trim();
}

/** Roles for which tests find elements by text, because these elements have no accessible name. */
const BY_TEXT = ["listitem", "alert", "status", "term", "definition", "paragraph", "row", "cell", "main"];

function textOf(element: Element): string {
  const copy = element.cloneNode(true) as Element;
  for (const each of copy.querySelectorAll("script, style, [hidden], [aria-hidden=true]")) each.remove();
  // Separates the texts of block elements with spaces, because a browser shows a gap between them.
  for (const each of copy.querySelectorAll("*")) if (!INLINE.includes(each.tagName)) each.before(" "), each.after(" ");
  return (copy.textContent ?? "").replace(/\s+/g, " ").trim();
}

const INLINE = ["A", "B", "CODE", "I", "SPAN", "TIME"];

function fieldOf(element: HTMLInputElement | HTMLSelectElement): FormField {
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

/** Returns the request that a browser would send: the form's initial, the entered and the button's values. */
function sending(button: HTMLButtonElement, filled: FormValues, path: string): [path: string, init: RequestInit] {
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
    throw new Error(`${label} has no option ${value}; its options are: ${found.map(offered).join(", ")}`);
  }
}

function offered(field: Element): string {
  return [...field.querySelectorAll("option")].map((each) => each.value).join(", ") || field.getAttribute("value")!;
}
