/**
 * A form as a browser without script has it: read from the page's HTML, filled in, and sent to where the page says with
 * the fields that the page holds. What the page does not have cannot be filled in.
 */
import type { Answer } from "#test/support/client.ts";

export interface Form {
  readonly action: string;
  readonly method: string;
  /** By name, as they stand in the page; a box that is not ticked sends nothing. */
  readonly fields: Readonly<Record<string, string>>;
  /** The whole tag of each field, for a look at its attributes. */
  readonly tags: Readonly<Record<string, string>>;
}

export function readForm(html: string): Form {
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

/** The request that a press on its button sends. */
export function submitting(
  html: string,
  filled: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): [path: string, init: RequestInit] {
  const { action, method, fields, tags } = readForm(html);
  const unknown = Object.keys(filled).find((name) => !(name in tags));
  if (unknown) throw new Error(`The form has no field ${unknown}`);
  return [action, {
    method,
    headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
    body: new URLSearchParams({ ...fields, ...filled }).toString(),
  }];
}

/** What a person reads: the text without the tags, in one line. */
export function textOf({ body }: Pick<Answer, "body">): string {
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
