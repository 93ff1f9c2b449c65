/** Builds the OpenAPI 3.1 document from the declarations of the API endpoints. */
import * as v from "valibot";
import type { ProgramRelease } from "#lib/app.ts";
import { findAccessNote } from "#lib/reference/refusals.ts";
import { findReferenceSection, listReferenceSections } from "#lib/reference/areas.ts";
import { buildErrorExamples, buildHeaderComponents, buildResponses } from "#lib/reference/responses.ts";
import type { ApiDocument, ContentByMediaType, DocumentedEndpoint } from "#lib/reference/document.ts";
import { buildNamedSchemas, type NamedSchemas, toInputJsonSchema } from "#lib/reference/json-schema.ts";
import { renderOverview, TOKEN_SCOPE_DESCRIPTIONS } from "#lib/reference/overview.ts";
import { buildOperationName } from "#lib/reference/names.ts";
import { buildParameters } from "#lib/reference/parameters.ts";
import { buildExample } from "#lib/reference/examples.ts";
import {
  type AnyEndpoint,
  formatDocumentedPath,
  HTTP_METHODS,
  type HttpMethod,
  listAliasPaths,
  type Manifest,
  withoutPortal,
} from "#lib/http/endpoint.ts";

/** The schema of the OpenAPI document. Checks only the version, because this module itself builds the document. */
export const OpenApi = v.looseObject({ openapi: v.literal("3.1.0") });

/** Builds the OpenAPI document. Omits the pages of the portal (the web interface), which are not part of the API. */
export function buildOpenApiDocument(allRoutes: Manifest, release: ProgramRelease): ApiDocument {
  const manifest = withoutPortal(allRoutes), named = buildNamedSchemas();
  const used = new Set(manifest.map(([pattern]) => findReferenceSection(pattern)));
  return {
    openapi: "3.1.0",
    info: {
      title: "Wheelwright",
      version: `${release.api} (${release.version})`,
      description: renderOverview(),
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/" }],
    tags: listReferenceSections().filter(({ name }) => used.has(name)),
    paths: Object.fromEntries(manifest.map(([pattern, module]) => [
      formatDocumentedPath(pattern),
      Object.fromEntries(HTTP_METHODS.flatMap((method) => {
        const endpoint = module[method];
        return endpoint ? [[method.toLowerCase(), describeEndpoint(pattern, method, endpoint, named)]] : [];
      })),
    ])),
    components: {
      schemas: withExamples(named),
      headers: buildHeaderComponents(),
      examples: buildErrorExamples(),
      securitySchemes: {
        bearer: {
          type: "http",
          scheme: "bearer",
          description: `An API token. Each endpoint names the narrowest token scope that the endpoint accepts. ${
            TOKEN_SCOPE_DESCRIPTIONS.map(([scope, may]) => `\`${scope}\` ${may}`).join("; ")
          }`,
        },
        session: {
          type: "apiKey",
          in: "cookie",
          name: "__Host-wheelwright",
          description:
            "The session cookie that POST /auth/login sets. On localhost over HTTP, the cookie's name is `wheelwright`",
        },
      },
    },
  };
}

function withExamples(named: NamedSchemas): NamedSchemas {
  return Object.fromEntries(
    Object.entries(named).map(([name, schema]) => [name, { ...schema, examples: [buildExample(schema, named, name)] }]),
  );
}

function describeEndpoint(
  pattern: string,
  method: HttpMethod,
  endpoint: AnyEndpoint,
  named: NamedSchemas,
): DocumentedEndpoint {
  const { summary, access, scope, faults = [], body, form, raw, deprecated } = endpoint;
  const aliases = listAliasPaths(pattern).map(formatDocumentedPath);
  return {
    operationId: buildOperationName(pattern, method),
    tags: [findReferenceSection(pattern)],
    summary,
    description: descriptionOf(aliases, endpoint),
    ...(deprecated && { deprecated: true }),
    security: securityOf(endpoint),
    parameters: buildParameters(pattern, endpoint),
    ...(body && { requestBody: bodyOf(body, form ? FORM : JSON_TYPE, named) }),
    ...(raw && { requestBody: { required: true, content: { [JSON_TYPE]: RAW } } }),
    responses: buildResponses(pattern, method, endpoint, named),
    ...(aliases.length > 0 && { "x-aliases": aliases }),
    "x-access": access.name,
    "x-scope": scope,
    "x-faults": faults,
    // The next release's contract test (test/contract) reads this field to check that deprecations were announced.
    ...(deprecated && { "x-deprecation": deprecated }),
  };
}

const JSON_TYPE = "application/json", FORM = "application/x-www-form-urlencoded";

/** The schema for the request body of a webhook. The service that sends the webhook documents and signs the body. */
const RAW = {
  schema: { type: "object" },
  example: { id: "evt_1TVx8w2eZvKYlo2C", object: "event", type: "invoice.overdue" },
};

/** Documents a request body. The body is optional if the schema accepts `{}`, because an absent body counts as `{}`. */
function bodyOf(body: v.GenericSchema, type: string, named: NamedSchemas) {
  const schema = toInputJsonSchema(body);
  const content: ContentByMediaType = { [type]: { schema, example: buildExample(schema, named) } };
  return { required: !v.is(body, {}), content };
}

function descriptionOf(aliases: readonly string[], endpoint: AnyEndpoint): string {
  const { access, recentSignIn, rateLimitMessage, deprecated } = endpoint;
  return [
    `For: ${findAccessNote(access.name)?.who ?? access.name}.`,
    ...(aliases.length > 0 ? [`Also at ${aliases.join(", ")}.`] : []),
    ...(recentSignIn === undefined ? [] : [
      `${recentSignIn === true ? "Needs" : "To remove spokes, needs"} a sign-in or confirmation within 15 minutes.`,
    ]),
    ...(rateLimitMessage
      ? [
        "Limited to 5 requests per minute for each IP address, counted together with all endpoints that have this limit.",
      ]
      : []),
    ...(deprecated
      ? [`Deprecated since ${deprecated.since}, removed on ${deprecated.sunset}: ${deprecated.note}`]
      : []),
  ].join(" ");
}

/** Returns the credentials that an endpoint accepts. Omits scopes, because OpenAPI allows scopes only for OAuth 2. */
function securityOf({ scope }: AnyEndpoint) {
  if (scope === "public" || scope === "flow") return [];
  return scope === "session" ? [{ session: [] }] : [{ bearer: [] }, { session: [] }];
}
