/** Renders the OpenAPI document as the API reference, a page that also works without JavaScript. */
import { referencePageScript, referencePageStyle } from "#lib/reference/assets.ts";
import { getReferencedName } from "#lib/reference/json-schema.ts";
import {
  NON_TOKEN_SCOPE_DESCRIPTIONS,
  OVERVIEW_INTRODUCTION,
  OVERVIEW_TOPICS,
  TOKEN_SCOPE_DESCRIPTIONS,
} from "#lib/reference/overview.ts";
import { highlightJson, renderEndpointPath, renderInlineMarkdown } from "#lib/reference/page/code.ts";
import {
  type ApiDocument,
  type ContentByMediaType,
  type EndpointEntry,
  listEndpointEntries,
} from "#lib/reference/document.ts";
import { renderEndpoint } from "#lib/reference/page/endpoint.ts";
import { renderSchemaFields } from "#lib/reference/page/fields.ts";
import { STATUS_DESCRIPTIONS } from "#lib/reference/responses.ts";
import { type HtmlPage, LOGO_SVG, type Markup, markup, trustedMarkup } from "#lib/http/page.ts";

export function renderReferencePage(document: ApiDocument): HtmlPage {
  const areas = document.tags.map(({ name, description }) => ({
    name,
    description,
    id: name.toLowerCase().replace(/[^a-z]+/g, "-"),
    entries: listEndpointEntries(document).filter(({ tags }) => tags.includes(name)),
  }));
  return {
    title: "Wheelwright API",
    style: referencePageStyle,
    script: referencePageScript,
    body: markup`
<a class="skip" href="#main">Skip to endpoints</a>
<header>
<a class="brand" href="#top">${trustedMarkup(LOGO_SVG)}<span>Wheelwright <small>API</small></span></a>
<form role="search" hidden><label class="visually-hidden" for="find">Find an endpoint</label><input id="find" type="search" placeholder="Search paths, words or fields" autocomplete="off" spellcheck="false"><kbd aria-hidden="true">/</kbd></form>
<p class="raw"><a href="/changelog">Changelog</a> <a href="/api/openapi.json">openapi.json</a></p>
</header>
<div class="sides">
<nav aria-label="Endpoints">${areas.map(areaLinks)}
<section><h2><a href="#shapes">Schemas</a></h2></section>
</nav>
<main id="main" tabindex="-1">
${introMarkup(document)}
<p class="found" role="status" hidden></p>
${areas.map((area) => areaMarkup(document, area))}
${shapesMarkup(document)}
</main>
</div>`,
  };
}

interface Area {
  readonly name: string;
  readonly description: string;
  readonly id: string;
  readonly entries: readonly EndpointEntry[];
}

function areaLinks({ name, id, entries }: Area): Markup {
  return markup`
<section><h2><a href="#${id}">${name}</a></h2><ul>${
    entries.map(({ method, path, operationId }) =>
      markup`<li><a href="#${operationId}"><span class="method ${method}">${method}</span><code>${
        renderEndpointPath(path.replace(/^\/api/, ""))
      }</code></a></li>`
    )
  }</ul></section>`;
}

function introMarkup({ info }: ApiDocument): Markup {
  return markup`
<section class="intro" id="top">
<p class="hint">${info.version}</p>
<h1>Wheelwright API</h1>
<p class="lead">${OVERVIEW_INTRODUCTION}</p>
<div class="topics">${
    OVERVIEW_TOPICS.map(({ title, paragraphs }) =>
      markup`<section><h2>${title}</h2>${
        paragraphs.map((text) => markup`<p>${renderInlineMarkdown(text)}</p>`)
      }</section>`
    )
  }<section><h2>Scopes</h2><dl class="scopes">${
    [...TOKEN_SCOPE_DESCRIPTIONS, ...NON_TOKEN_SCOPE_DESCRIPTIONS].map(([scope, may]) =>
      markup`<div><dt><span class="scope">${scope}</span></dt><dd>${may}</dd></div>`
    )
  }</dl></section></div>
<section class="refusals"><h2>Error statuses</h2><ul class="answers">${
    Object.entries(STATUS_DESCRIPTIONS).filter(([status]) => Number(status) >= 400).map(([status, says]) =>
      markup`<li><b>${status}</b> ${says}</li>`
    )
  }</ul></section>
<section class="try"><h2>Example commands</h2>
<p>The commands use the shell variables <code>URL</code> and <code>TOKEN</code>, and the session in the file <code>jar</code>, which the sign-in command writes.</p>
<div class="code"><pre tabindex="0" role="group" aria-label="Command"><code>export URL=http://localhost:3000 TOKEN=ww_cli_…</code></pre></div>
</section>
</section>`;
}

function areaMarkup(document: ApiDocument, { name, description, id, entries }: Area): Markup {
  return markup`
<section class="area" aria-labelledby="${id}">
<h2 id="${id}">${name}</h2>
<p class="lead">${description}</p>
${entries.map((entry) => renderEndpoint(document, entry))}
</section>`;
}

function shapesMarkup(document: ApiDocument): Markup {
  const { components } = document;
  const sent = new Set(listEndpointEntries(document).map(({ requestBody }) => bodyName(requestBody?.content)));
  const within = JSON.stringify(components.schemas);
  const schemas = Object.entries(components.schemas)
    .filter(([name]) => !sent.has(name) || within.includes(`"#/components/schemas/${name}"`));
  return markup`
<section class="area shapes" aria-labelledby="shapes">
<h2 id="shapes">Schemas</h2>
<p class="lead">The objects in responses, by name.</p>
${
    schemas.map(([name, { examples, ...schema }]) =>
      markup`<details id="schema-${name}"><summary><h3>${name}</h3></summary>${
        renderSchemaFields(schema, "answered")
      }<div class="code"><pre tabindex="0" role="group" aria-label="Example of ${name}"><code>${
        highlightJson((examples as unknown[])[0])
      }</code></pre></div></details>`
    )
  }
</section>`;
}

/** Returns the name of a request body's schema; null if the body has no named schema. */
function bodyName(content: ContentByMediaType | undefined): string | null {
  return getReferencedName(content?.["application/json"]?.schema ?? {});
}
