/** Builds an endpoint's path, query and header parameters for the OpenAPI document. */
import type * as v from "valibot";
import { findFieldDescription, findFieldExample } from "#lib/reference/glossary/glossary.ts";
import type { DocumentedParameter } from "#lib/reference/document.ts";
import { findValidationRule, type JsonSchema, toParameterJsonSchema } from "#lib/reference/json-schema.ts";
import { type AnyEndpoint, hasEtag } from "#lib/http/endpoint.ts";

const IDEMPOTENCY_KEY =
  "Any text as a key. Requests with the same key and body within 24 hours run once and get the same response";
const IF_NONE_MATCH =
  "The ETag of the last response. If this ETag is still current, the response has status 304 and no body";
const SIGNATURE = "The time, at most 5 minutes ago, and the signature over the time and the request body";
const LAST_EVENT_ID = "The ID of the last event that you received. The stream continues after that event";

export function buildParameters(pattern: string, endpoint: AnyEndpoint): readonly DocumentedParameter[] {
  const { params, query, raw, idempotent, reply } = endpoint;
  const own = fieldsOf(params);
  const path = [...pattern.matchAll(/:(\w+)/g)].map(([, name = ""]) =>
    parameter("path", { name, required: true, schema: own.find((field) => field.name === name)?.schema ?? ANY })
  );
  return [
    ...path,
    ...fieldsOf(query).map((field) => parameter("query", field)),
    ...(raw ? [{ ...header("Stripe-Signature", SIGNATURE, "t=1795262400,v1=5257a869…"), required: true }] : []),
    ...(idempotent ? [header("Idempotency-Key", IDEMPOTENCY_KEY, "order-1842")] : []),
    ...(!hasEtag(endpoint) ? [] : [header("If-None-Match", IF_NONE_MATCH, '"pB1y6oV0s5m3kq8ZtXc4Aw"')]),
    ...(reply.content?.type === "text/event-stream" ? [header("Last-Event-ID", LAST_EVENT_ID, "4")] : []),
  ];
}

const ANY: JsonSchema = { type: "string" };

type Field = Pick<DocumentedParameter, "name" | "required" | "schema">;

/** Documents a parameter. Only the parameter has a description, not also its schema. */
function parameter(place: "path" | "query", { name, required, schema }: Field): DocumentedParameter {
  const { description: _, ...rest } = schema, example = findFieldExample(place, name);
  const description = [findFieldDescription(place, name), findValidationRule(schema)].filter((part) => part !== null)
    .join("; ");
  return {
    name,
    in: place,
    required,
    ...(description && { description }),
    schema: rest,
    ...(example !== undefined && { example }),
  };
}

function header(name: string, description: string, example: string): DocumentedParameter {
  return { name, in: "header", required: false, description, schema: ANY, example };
}

function fieldsOf(schema: v.GenericSchema | undefined): readonly Field[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = toParameterJsonSchema(schema);
  return Object.entries(properties).map(([name, field]) => ({
    name,
    required: required.includes(name),
    schema: field,
  }));
}
