/** Submits a form like a browser without scripts: reads the form from the page's HTML, fills it in, and sends its
 * fields. A field that the page does not contain cannot be filled in. */
import type { ClientResponse } from "#test/support/client.ts";

export interface HtmlForm {
  readonly action: string;
  readonly method: string;
  /** The fields' values in the page, keyed by field name. A checkbox that is not ticked is not sent. */
  readonly fields: Readonly<Record<string, string>>;
  /** The complete HTML tag for each field, so that a test can check its attributes. */
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

/** Returns the request that a browser would send when the form's button is pressed. */
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

/** Returns the page's visible text as one line, without HTML tags. */
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
