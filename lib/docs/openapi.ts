/** The OpenAPI 3.1 document, read from the same declarations that the server answers by. */
import * as v from "valibot";
import type { Release } from "#lib/app.ts";
import { inputSchema, type JsonSchema, outputSchema } from "#lib/docs/json-schema.ts";
import { aliasesOf, type AnyEndpoint, type Manifest, type Method, METHODS } from "#lib/http/endpoint.ts";
import { Problem } from "#lib/http/problem.ts";
import type { Described } from "#lib/http/reply.ts";

/** Any object: what it holds is made here, from schemas. */
export const OpenApi = v.looseObject({ openapi: v.literal("3.1.0") });
export type OpenApi = v.InferOutput<typeof OpenApi>;

export function describeApi(manifest: Manifest, release: Release): OpenApi {
  return {
    openapi: "3.1.0",
    info: {
      title: "Wheelwright",
      version: `${release.api} (${release.version})`,
      description: "The control plane for hosted learning platforms: hubs (federations) and their spokes.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/" }],
    paths: Object.fromEntries(manifest.map(([pattern, module]) => [
      pattern.replace(/:(\w+)(?:\{[^}]*\})?/g, "{$1}"),
      Object.fromEntries(METHODS.flatMap((method) => {
        const endpoint = module[method];
        return endpoint ? [[method.toLowerCase(), describeEndpoint(pattern, method, endpoint)]] : [];
      })),
    ])),
    components: {
      schemas: { Problem: outputSchema(Problem) },
      responses: {
        Problem: {
          description: "It was not done, and why",
          content: { "application/json": { schema: { $ref: "#/components/schemas/Problem" } } },
        },
      },
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer", description: "An API token; the least scope that may is named" },
        session: { type: "apiKey", in: "cookie", name: "__Host-wheelwright", description: "Set by POST /auth/login" },
      },
    },
  };
}

function describeEndpoint(pattern: string, method: Method, endpoint: AnyEndpoint): JsonSchema {
  const { summary, access, scope, faults = [], body, reply, deprecated } = endpoint;
  const description = descriptionOf(pattern, endpoint);
  return {
    operationId: operationId(pattern, method),
    summary,
    ...(description && { description }),
    ...(deprecated && { deprecated: true }),
    security: securityOf(endpoint),
    parameters: parametersOf(pattern, endpoint),
    ...(body && { requestBody: { content: { "application/json": { schema: inputSchema(body) } } } }),
    responses: {
      [reply.status]: successOf(reply, summary),
      ...(reply.also && { [reply.also.status]: successOf(reply.also, summary) }),
      default: { $ref: "#/components/responses/Problem" },
    },
    "x-access": access.name,
    "x-scope": scope,
    "x-faults": faults,
  };
}

function descriptionOf(pattern: string, { bucket, deprecated }: AnyEndpoint): string {
  const aliases = aliasesOf(pattern);
  return [
    ...(aliases.length > 0 ? [`Also at ${aliases.join(", ")}.`] : []),
    ...(bucket ? ["Limited to 5 tries a minute from one address, together with the other flows that say so."] : []),
    ...(deprecated ? [`Deprecated since ${deprecated.since}, gone on ${deprecated.sunset}: ${deprecated.note}`] : []),
  ].join(" ");
}

/** `POST /api/spokes/:spokeId/actions` becomes `postSpokesSpokeIdActions`. */
function operationId(pattern: string, method: Method): string {
  const words = pattern.replace(/^\/api\b/, "").split(/[^A-Za-z0-9]+/).filter(Boolean);
  return method.toLowerCase() + words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join("");
}

function securityOf({ scope }: AnyEndpoint): readonly JsonSchema[] {
  if (scope === "public" || scope === "flow") return [];
  return scope === "session" ? [{ session: [] }] : [{ bearer: [scope] }, { session: [] }];
}

function parametersOf(pattern: string, { params, query, idempotent, reply }: AnyEndpoint): readonly JsonSchema[] {
  const own = fieldsOf(params);
  const path = [...pattern.matchAll(/:(\w+)/g)].map(([, name = ""]) => ({
    name,
    in: "path",
    required: true,
    schema: own.find((field) => field.name === name)?.schema ?? { type: "string" },
  }));
  const header = (name: string, description: string) => ({
    name,
    in: "header",
    description,
    schema: { type: "string" },
  });
  return [
    ...path,
    ...fieldsOf(query).map((field) => ({ in: "query", ...field })),
    ...(idempotent ? [header("Idempotency-Key", "The same key and body within 24 hours is done once")] : []),
    ...(reply.content?.type === "text/event-stream"
      ? [header("Last-Event-ID", "The id of the last event received: goes on after it")]
      : []),
  ];
}

interface Field {
  readonly name: string;
  readonly required: boolean;
  readonly schema: unknown;
}

function fieldsOf(schema: v.GenericSchema | undefined): readonly Field[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = inputSchema(schema) as { properties?: object; required?: string[] };
  return Object.entries(properties).map(([name, field]) => ({
    name,
    required: required.includes(name),
    schema: field,
  }));
}

function successOf(reply: Described, summary: string): JsonSchema {
  const headers = reply.headers.map((name) => [name, { schema: { type: "string" } }]);
  return {
    description: summary,
    ...(headers.length > 0 && { headers: Object.fromEntries(headers) }),
    ...(reply.content && { content: { [reply.content.type]: { schema: outputSchema(reply.content.schema) } } }),
  };
}
