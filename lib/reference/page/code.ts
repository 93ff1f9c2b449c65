/** Renders the examples in the API reference: curl commands and highlighted JSON. */
import { type Markup, markup, trustedMarkup } from "#lib/http/page.ts";
import type { EndpointEntry } from "#lib/reference/document.ts";

/** Renders indented JSON in which names and literals are highlighted. */
export function highlightJson(value: unknown): Markup {
  const text = JSON.stringify(value, null, 2);
  const parts: (string | Markup)[] = [];
  let at = 0;
  for (const found of text.matchAll(/("(?:[^"\\]|\\.)*")(:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?/g)) {
    const [whole, quoted, colon] = found;
    if (quoted && !colon) continue; // text stays as it is
    parts.push(text.slice(at, found.index), quoted ? markup`<b>${quoted}</b>:` : markup`<i>${whole}</i>`);
    at = found.index + whole.length;
  }
  return markup`${[...parts, text.slice(at)]}`;
}

/** Builds an example curl command with the shell variables URL and TOKEN and the cookie file `jar` (docs/api.md). */
export function buildCurlCommand(
  { method, path, parameters, requestBody, responses, "x-scope": scope }: EndpointEntry,
): string {
  const filled = path.replace(
    /\{(\w+)\}/g,
    (whole, name) => String(parameters.find((one) => one.name === name)?.example ?? whole),
  );
  const body = requestBody?.content["application/json"]?.example;
  const form = requestBody?.content["application/x-www-form-urlencoded"]?.example;
  const stream = Object.values(responses).some(({ content }) => content?.["text/event-stream"]);
  const key = parameters.find(({ name }) => name === "Idempotency-Key")?.example;
  const lines = [
    `curl -s${stream ? "N" : ""}${
      method === "GET" || method === "POST" && (body ?? form) !== undefined ? "" : ` -X ${method}`
    }`,
    ...CREDENTIAL[scope] ?? ['-H "Authorization: Bearer $TOKEN"'],
    ...(key === undefined ? [] : [`-H 'Idempotency-Key: ${key}'`]),
    ...(body === undefined ? [] : ["-H 'Content-Type: application/json'", `-d ${quote(bodyText(body))}`]),
    ...(form === undefined ? [] : [`-d ${quote(String(new URLSearchParams(form as Record<string, string>)))}`]),
    `"$URL${filled}"`,
  ];
  return lines.join(" \\\n  ");
}

/** The curl options for authentication, by the endpoint's scope. Scopes that are not listed use a token. */
const CREDENTIAL: Readonly<Record<string, readonly string[]>> = {
  public: [],
  flow: ["-b jar -c jar"],
  session: ["-b jar"],
};

function bodyText(body: unknown): string {
  const line = JSON.stringify(body);
  return line.length <= 48 ? line : JSON.stringify(body, null, 2).replaceAll("\n", "\n  ");
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Renders text in which backticks mark code and double asterisks mark strong text. */
export function renderInlineMarkdown(text: string): Markup {
  const parts = text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((part, i) =>
    i % 2 === 0
      ? part
      : part[0] === "`"
      ? markup`<code>${part.slice(1, -1)}</code>`
      : markup`<strong>${part.slice(2, -2)}</strong>`
  );
  return markup`${parts}`;
}

/** Renders the path of an endpoint with highlighted parameters. The path may wrap before each slash. */
export function renderEndpointPath(path: string): Markup {
  const parts = path.split(/(?=\/)/).map((part) =>
    /\{/.test(part) ? markup`/<em>${part.slice(1)}</em>` : markup`${part}`
  );
  return markup`${parts.flatMap((part, i) => i === 0 ? [part] : [trustedMarkup("<wbr>"), part])}`;
}
