/** The parameters of an endpoint: those of its path, its query, and the headers that it takes. */
import type * as v from "valibot";
import { fieldDescription, fieldExample } from "#lib/reference/glossary/glossary.ts";
import { type DocumentPart, inputFields, type JsonSchema, validationRuleOf } from "#lib/reference/json-schema.ts";
import { type AnyEndpoint, canRevalidate } from "#lib/http/endpoint.ts";

const IDEMPOTENCY_KEY = "Any text of your own: the same key and body within 24 hours are done once, and answered alike";
const IF_NONE_MATCH = "The ETag of the last answer: if it still holds, 304 says so without a body";
const SIGNATURE = "When it was signed, and the signature over that and the body; no older than 5 minutes";
const LAST_EVENT_ID = "The id of the last event received: the stream goes on after it";

export function parametersOf(
  pattern: string,
  endpoint: AnyEndpoint,
): readonly DocumentPart[] {
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
    ...(!canRevalidate(endpoint) ? [] : [header("If-None-Match", IF_NONE_MATCH, '"pB1y6oV0s5m3kq8ZtXc4Aw"')]),
    ...(reply.content?.type === "text/event-stream" ? [header("Last-Event-ID", LAST_EVENT_ID, "4")] : []),
  ];
}

const ANY: JsonSchema = { type: "string" };

interface Field {
  readonly name: string;
  readonly required: boolean;
  readonly schema: JsonSchema;
}

function parameter(place: "path" | "query", { name, required, schema }: Field): DocumentPart {
  const saying = fieldDescription(place, name), rule = validationRuleOf(schema), example = fieldExample(place, name);
  const description = [saying, rule].filter((part) => part !== null).join("; ");
  return {
    name,
    in: place,
    required,
    ...(description && { description }),
    schema: withoutDescription(schema),
    ...(example !== undefined && { example }),
  };
}

/** What the glossary says of a field of that name stands in the parameter's own description. */
function withoutDescription({ description: _, ...schema }: JsonSchema): JsonSchema {
  return schema;
}

function header(name: string, description: string, example: string): DocumentPart {
  return { name, in: "header", required: false, description, schema: ANY, example };
}

function fieldsOf(schema: v.GenericSchema | undefined): readonly Field[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = inputFields(schema);
  return Object.entries(properties).map(([name, field]) => ({
    name,
    required: required.includes(name),
    schema: field,
  }));
}
