/** Submits a form like a browser without script. Reads the form from the page's HTML, fills it in, and sends its fields
 * to its action. A field that the page lacks cannot be filled in. */
import type { ClientResponse } from "#test/support/client.ts";

export interface HtmlForm {
  readonly action: string;
  readonly method: string;
  /** The values in the page by field name. An unticked checkbox is not sent. */
  readonly fields: Readonly<Record<string, string>>;
  /** The complete tag of each field, for checks of its attributes. */
  readonly tags: Readonly<Record<string, string>>;
}

export function parseHtmlForm(html: string): HtmlForm {
  const [, attributes = "", inside = ""] = /<form\b([^>]*)>([\s\S]*?)<\/form>/.exec(html) ?? [];
  if (!inside) throw new Error(`There is no form in:\n${html}`);
  const inputs = [...inside.matchAll(/<input\b[^>]*>/g)].map(([tag]) => tag).filter((tag) => attribute(tag, "name"));
  return {
    action: attribute(attributes, "action") ?? "",
    method: (attribute(attributes, "method") ?? "get").toUpperCase(),
    fields: Object.fromEntries(
      inputs.filter((tag) => !/type="checkbox"/.test(tag) || /\schecked\b/.test(tag))
        .map((tag) => [attribute(tag, "name")!, attribute(tag, "value") ?? ""]),
    ),
    tags: Object.fromEntries(inputs.map((tag) => [attribute(tag, "name")!, tag])),
  };
}

/** Returns the request that the form's button sends. */
export function submissionOf(
  html: string,
  filled: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): [path: string, init: RequestInit] {
  const { action, method, fields, tags } = parseHtmlForm(html);
  const unknown = Object.keys(filled).find((name) => !(name in tags));
  if (unknown) throw new Error(`The form has no field ${unknown}`);
  return [action, {
    method,
    headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
    body: new URLSearchParams({ ...fields, ...filled }).toString(),
  }];
}

/** Returns the visible text of the page in one line, without tags. */
export function textOf({ body }: Pick<ClientResponse, "body">): string {
  const main = /<main\b[\s\S]*<\/main>/.exec(body)?.[0] ?? body;
  return unescape(main.replace(/<[^>]+>/g, " ")).replace(/\s+/g, " ").trim();
}

export function attribute(tag: string, name: string): string | null {
  const value = new RegExp(`\\s${name}="([^"]*)"`).exec(` ${tag}`)?.[1];
  return value === undefined ? null : unescape(value);
}

function unescape(text: string): string {
  return text.replace(/&quot;/g, '"').replace(/&#39;/g, "'").replace(/&lt;/g, "<").replace(/&gt;/g, ">")
    .replace(/&amp;/g, "&");
}
