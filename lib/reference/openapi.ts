/** Builds the OpenAPI 3.1 document from the endpoint declarations. */
import * as v from "valibot";
import type { ProgramRelease } from "#lib/app.ts";
import { accessNoteOf } from "#lib/reference/refusals.ts";
import { areaOf, listAreas } from "#lib/reference/areas.ts";
import { faultExamples, headerComponents, responsesOf } from "#lib/reference/responses.ts";
import { type DocumentPart, inputSchema, type JsonSchema, namedSchemas } from "#lib/reference/json-schema.ts";
import { renderOverview, TOKEN_SCOPE_TEXTS } from "#lib/reference/overview.ts";
import { operationName } from "#lib/reference/names.ts";
import { parametersOf } from "#lib/reference/parameters.ts";
import { buildExample } from "#lib/reference/examples.ts";
import {
  aliasesOf,
  type AnyEndpoint,
  documentedPath,
  HTTP_METHODS,
  type HttpMethod,
  type Manifest,
  withoutPortal,
} from "#lib/http/endpoint.ts";

/** A schema for the document. It does not check the content, because this module builds the content. */
export const OpenApi = v.looseObject({ openapi: v.literal("3.1.0") });
export type OpenApi = v.InferOutput<typeof OpenApi>;

type Named = Readonly<Record<string, JsonSchema>>;

/** Builds the OpenAPI document. Leaves out the portal's pages, because they are not part of the API. */
export function describeApi(allRoutes: Manifest, release: ProgramRelease): OpenApi {
  const manifest = withoutPortal(allRoutes), named = namedSchemas();
  const used = new Set(manifest.map(([pattern]) => areaOf(pattern)));
  return {
    openapi: "3.1.0",
    info: {
      title: "Wheelwright",
      version: `${release.api} (${release.version})`,
      description: renderOverview(),
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/" }],
    tags: listAreas().filter(({ name }) => used.has(name)),
    paths: Object.fromEntries(manifest.map(([pattern, module]) => [
      documentedPath(pattern),
      Object.fromEntries(HTTP_METHODS.flatMap((method) => {
        const endpoint = module[method];
        return endpoint ? [[method.toLowerCase(), describeEndpoint(pattern, method, endpoint, named)]] : [];
      })),
    ])),
    components: {
      schemas: withExamples(named),
      headers: headerComponents(),
      examples: faultExamples(),
      securitySchemes: {
        bearer: {
          type: "http",
          scheme: "bearer",
          description: `An API token. Each endpoint names the narrowest scope that it accepts. ${
            TOKEN_SCOPE_TEXTS.map(([scope, may]) => `\`${scope}\` ${may}`).join("; ")
          }`,
        },
        session: {
          type: "apiKey",
          in: "cookie",
          name: "__Host-wheelwright",
          description: "Set by POST /auth/login. On localhost over HTTP, its name is `wheelwright`",
        },
      },
    },
  };
}

function withExamples(named: Named): Named {
  return Object.fromEntries(
    Object.entries(named).map(([name, schema]) => [name, { ...schema, examples: [buildExample(schema, named, name)] }]),
  );
}

function describeEndpoint(pattern: string, method: HttpMethod, endpoint: AnyEndpoint, named: Named): DocumentPart {
  const { summary, access, scope, faults = [], body, form, raw, deprecated } = endpoint;
  const description = descriptionOf(pattern, endpoint), aliases = aliasesIn(pattern);
  return {
    operationId: operationName(pattern, method),
    tags: [areaOf(pattern)],
    summary,
    description,
    ...(deprecated && { deprecated: true }),
    security: securityOf(endpoint),
    parameters: parametersOf(pattern, endpoint),
    ...(body && { requestBody: bodyOf(body, form ? FORM : JSON_TYPE, named) }),
    ...(raw && { requestBody: { required: true, content: { [JSON_TYPE]: RAW } } }),
    responses: responsesOf(pattern, method, endpoint, named),
    ...(aliases.length > 0 && { "x-aliases": aliases }),
    "x-access": access.name,
    "x-scope": scope,
    "x-faults": faults,
    // Read by the next release's contract test, which checks that deprecations were announced (test/contract).
    ...(deprecated && { "x-deprecation": deprecated }),
  };
}

const JSON_TYPE = "application/json", FORM = "application/x-www-form-urlencoded";

/** A request body that another service signs and documents. */
const RAW: JsonSchema = {
  schema: { type: "object" },
  example: { id: "evt_1TVx8w2eZvKYlo2C", object: "event", type: "invoice.overdue" },
};

/** Documents a request body. It is required unless `{}` is valid, because an absent body counts as `{}`. */
function bodyOf(body: v.GenericSchema, type: string, named: Named): DocumentPart {
  const schema = inputSchema(body);
  return {
    required: !v.is(body, {}),
    content: { [type]: { schema, example: buildExample(schema, named) } },
  };
}

function descriptionOf(pattern: string, { access, rateLimitMessage, deprecated }: AnyEndpoint): string {
  const aliases = aliasesIn(pattern);
  return [
    `For: ${accessNoteOf(access.name)?.who ?? access.name}.`,
    ...(aliases.length > 0 ? [`Also at ${aliases.join(", ")}.`] : []),
    ...(rateLimitMessage
      ? ["Limited to 5 requests per minute and IP address, shared with the other endpoints that have this limit."]
      : []),
    ...(deprecated
      ? [`Deprecated since ${deprecated.since}, removed on ${deprecated.sunset}: ${deprecated.note}`]
      : []),
  ].join(" ");
}

function aliasesIn(pattern: string): readonly string[] {
  return aliasesOf(pattern).map(documentedPath);
}

/** Builds the security requirement without listing scopes, because OpenAPI allows them only for OAuth 2. */
function securityOf({ scope }: AnyEndpoint): readonly JsonSchema[] {
  if (scope === "public" || scope === "flow") return [];
  return scope === "session" ? [{ session: [] }] : [{ bearer: [] }, { session: [] }];
}
