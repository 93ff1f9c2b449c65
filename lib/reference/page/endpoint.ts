/** Renders the reference of one API endpoint: path, access, parameters, body, responses and an example command. */
import { buildCurlCommand, highlightJson, renderEndpointPath, renderInlineMarkdown } from "#lib/reference/page/code.ts";
import { getReferencedName, type JsonSchema } from "#lib/reference/json-schema.ts";
import type { ApiDocument, DocumentedResponse, EndpointEntry, MediaTypeObject } from "#lib/reference/document.ts";
import { renderFieldRow, renderSchemaFields, renderTypeName } from "#lib/reference/page/fields.ts";
import type { FaultCode } from "#lib/base/faults.ts";
import { type Markup, markup } from "#lib/http/page.ts";
import { INTERNAL_ERROR } from "#lib/http/problem.ts";

export function renderEndpoint(document: ApiDocument, entry: EndpointEntry): Markup {
  const { operationId, method, path, summary, description, deprecated, "x-scope": scope } = entry;
  return markup`
<article id="${operationId}" data-shapes="${shapesOf(entry)}">
<div class="entry-text">
<h3><span class="method ${method}">${method}</span> <a href="#${operationId}"><code>${
    renderEndpointPath(path)
  }</code></a></h3>
<p class="summary">${summary}</p>
<p class="meta"><span class="scope">${scope}</span>${
    deprecated ? markup` <span class="scope old">deprecated</span>` : ""
  } ${renderInlineMarkdown(description)}</p>
${parametersMarkup(entry)}
${bodyMarkup(document, entry)}
${answersMarkup(document, entry)}
</div>
<div class="shown">
<div class="code"><pre tabindex="0" role="group" aria-label="Command"><code>${
    buildCurlCommand(entry)
  }</code></pre></div>
${exampleMarkup(entry)}
</div>
</article>`;
}

function parametersMarkup({ parameters }: EndpointEntry): Markup | "" {
  if (parameters.length === 0) return "";
  return markup`<h4>Parameters</h4><dl class="fields">${
    parameters.map(({ name, required, description, schema, in: place }) =>
      renderFieldRow(
        { name, schema, must: required, says: place === "header" ? `${description} (header)` : description },
        "sent",
      )
    )
  }</dl>`;
}

function bodyMarkup(document: ApiDocument, { requestBody }: EndpointEntry): Markup | "" {
  const schema = Object.values(requestBody?.content ?? {})[0]?.schema;
  if (!schema) return "";
  return markup`<details open><summary><h4>Body</h4></summary>${
    renderSchemaFields(resolve(document, schema), "sent")
  }</details>`;
}

function answersMarkup(document: ApiDocument, { responses }: EndpointEntry): Markup {
  const all = Object.entries(responses);
  const done = all.filter(([status]) => Number(status) < 400),
    refused = all.filter(([status]) => Number(status) >= 400);
  return markup`<h4>Responses</h4><ul class="answers">${
    done.map(([status, answer]) =>
      markup`<li><b class="good">${status}</b> ${answer.description}${contentMarkup(answer)}</li>`
    )
  }${refused.map(([status, answer]) => sentences(document, status, answer))}</ul><p class="statuses">Errors: ${
    refused.map(([status]) => status).join(", ")
  }</p>`;
}

function contentMarkup({ content = {} }: DocumentedResponse): readonly Markup[] {
  return Object.entries(content).map(([type, { schema }]) =>
    type === "application/json"
      ? markup`: ${renderTypeName(schema)}`
      : markup`: <code>${type}</code>${getReferencedName(schema) ? markup` of ${renderTypeName(schema)}` : ""}`
  );
}

/** Lists the errors that are specific to an endpoint. Common errors are listed once, at the top of the page. */
function sentences(
  { components }: ApiDocument,
  status: string,
  { content }: DocumentedResponse,
): readonly Markup[] {
  const codes = Object.keys(content?.["application/json"]?.examples ?? {});
  return codes.filter((code) => !EVERYWHERE.some((common) => common === code)).map((code) =>
    markup`<li><b>${status}</b> <code>${code}</code> ${components.examples[code]?.summary ?? ""}</li>`
  );
}

/** The codes of errors that most endpoints have in common. */
const EVERYWHERE: readonly (FaultCode | typeof INTERNAL_ERROR)[] = [
  "bad_query",
  "repeated_parameter",
  "unknown_field",
  "unknown_parameter",
  "bad_path",
  "unreadable_json",
  "not_an_object",
  "body_too_large",
  "not_json",
  "bad_credentials",
  "sign_in_required",
  "cross_origin",
  INTERNAL_ERROR,
  "overloaded",
  "too_slow",
  "invalid_input",
  "scope_too_narrow",
  "bad_idempotency_key",
  "session_required",
  "second_factor_enrolment_required",
  "recent_sign_in_required", // the endpoint's description says when
  "no_bearer_here",
  "operator_only",
  "federation_missing",
  "federation_admin_only",
  "spoke_missing",
  "bad_form",
  "not_a_form",
  "database_unavailable",
  "database_lost",
  "commit_unknown",
  "database_busy",
  "database_slow",
  "database_locked",
  "database_exhausted",
  "database_read_only",
  "database_closed",
];

/** Renders an endpoint's example responses. Shows only a link for a long example until the reader opens it. */
function exampleMarkup({ responses }: EndpointEntry): readonly Markup[] {
  return Object.entries(responses).flatMap(([status, { content = {} }]) =>
    Object.values(content).filter(({ example }) => Number(status) < 400 && example !== undefined)
      .map((media) => oneExample(status, media))
  );
}

const SHORT = 12;

function oneExample(status: string, { schema, example }: MediaTypeObject): Markup {
  const items = schema.items;
  const name = getReferencedName(items ?? schema);
  const short = JSON.stringify(example, null, 2).split("\n").length <= SHORT;
  const label = markup`<summary>${status}${name === null ? "" : ` ${items ? "list of " : ""}${name}`}</summary>`;
  if (name === null || short) {
    return markup`<details class="code" open>${label}<pre tabindex="0" role="group" aria-label="Response ${status}"><code>${
      highlightJson(example)
    }</code></pre></details>`;
  }
  return markup`<details class="code" data-of="${name}"${
    items ? markup` data-list` : ""
  }>${label}<p>See the example under <a href="#schema-${name}">${name}</a></p></details>`;
}

function resolve({ components }: ApiDocument, schema: JsonSchema): JsonSchema {
  const name = getReferencedName(schema);
  return name === null ? schema : components.schemas[name] ?? schema;
}

/** Returns the names of an endpoint's response schemas, so that a search for their fields also finds the endpoint. */
function shapesOf({ responses }: EndpointEntry): string {
  const done = Object.entries(responses).filter(([status]) => Number(status) < 400);
  const schemas = done.flatMap(([, { content = {} }]) => Object.values(content).map(({ schema }) => schema));
  return schemas.flatMap((schema) => getReferencedName(schema.items ?? schema) ?? []).join(" ");
}
