/** Submits a form as a browser without scripts does: reads the form from the page's HTML, enters values, and sends the
 * fields. Throws an error for a value without a field in the page. */
import type { ClientResponse } from "#test/support/client.ts";

export interface HtmlForm {
  readonly action: string;
  readonly method: string;
  /** The field values in the page, keyed by field name. Unchecked checkboxes are omitted. */
  readonly fields: Readonly<Record<string, string>>;
  /** The complete HTML tags, keyed by field name, so that a test can check their attributes. */
  readonly tags: Readonly<Record<string, string>>;
}

export function parseHtmlForm(html: string): HtmlForm {
  const [, attributes = "", inside = ""] = /<form\b([^>]*)>([\s\S]*?)<\/form>/.exec(html) ?? [];
  if (!inside) throw new Error(`The page contains no form:\n${html}`);
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

/** Returns the request that a browser would send after a click on the form's button. */
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
