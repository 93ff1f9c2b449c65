/**
 * Generates the API definitions in lib/client from the OpenAPI document: a type for each schema, a function for each
 * endpoint, and a table with the method and path of each endpoint. Omits web pages and the payment provider's webhook.
 * Each generated file is long, because schemas in different areas refer to each other.
 */
import type { ApiDocument, DocumentedEndpoint, DocumentedParameter } from "#lib/reference/document.ts";
import { getReferencedName, type JsonSchema } from "#lib/reference/json-schema.ts";
import { findQueryParameterType } from "#lib/reference/publish.ts";
import { renderDeclaration, renderDocComment, renderField, renderType } from "#src/generate/typescript.ts";

interface EndpointCall {
  readonly method: string;
  readonly path: string;
  readonly endpoint: DocumentedEndpoint;
  /** The media type of the endpoint's responses. Null if the responses have no body. */
  readonly type: string | null;
  readonly answers: readonly JsonSchema[];
  readonly parameters: readonly DocumentedParameter[];
  readonly body: { readonly schema: JsonSchema; readonly required: boolean } | null;
  readonly keyed: boolean;
  /** Whether the endpoint returns a list page by page. */
  readonly pages: boolean;
}

const JSON_TYPE = "application/json", STREAM = "text/event-stream";

/** Returns TypeScript declarations for all schemas in the document. */
export function renderSchemas({ components: { schemas } }: ApiDocument): string {
  return Object.entries(schemas).map(([name, schema]) => renderDeclaration(name, schema)).join("\n");
}

/** Returns a module that has an interface for all API functions, and the table from which the client creates them. */
export function renderEndpoints(document: ApiDocument, version: string): string {
  const calls = callsOf(document);
  const named = [
    ...new Set(calls.flatMap((call) => JSON.stringify(signatures(call, document)).match(/\b[A-Z]\w+/g) ?? [])),
  ];
  const schemas = named.filter((name) => Object.hasOwn(document.components.schemas, name)).sort();
  return `import type { CallOptions, EndpointDescriptions, IdempotentCallOptions } from "./call.ts";\n` +
    `import type { FollowOptions } from "./follow.ts";\n` +
    `import type { PagedList } from "./pages.ts";\n` +
    (schemas.length > 0
      ? `import type {\n${schemas.map((name) => `  ${name},\n`).join("")}} from "./schemas.ts";\n`
      : "") +
    `\n/** The release of this client. */\nexport const CLIENT_VERSION = ${JSON.stringify(version)};\n` +
    `\n/** A function for each endpoint, named as in the reference. */\nexport interface WheelwrightApi {\n` +
    calls.map((call) => functionOf(call, document)).join("\n") +
    `}\n\nexport const ENDPOINTS: EndpointDescriptions<keyof WheelwrightApi> = {\n${calls.map(rowOf).join("")}};\n`;
}

function callsOf(document: ApiDocument): EndpointCall[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, endpoint]) => callOf(path, method.toUpperCase(), endpoint) ?? [])
  );
}

function callOf(path: string, method: string, endpoint: DocumentedEndpoint): EndpointCall | null {
  const good = Object.entries(endpoint.responses).filter(([status]) => status < "400" && status !== "304");
  const contents = good.flatMap(([, { content = {} }]) => Object.entries(content));
  const type = contents[0]?.[0] ?? null, body = endpoint.requestBody;
  const isPage = !path.startsWith("/api/") || type === "text/html" || good.some(([status]) => status >= "300");
  if (isPage || endpoint.parameters.some(({ name }) => name === "Stripe-Signature")) return null;
  const answers = contents.flatMap(([, { schema }]) => schema.anyOf ?? [schema]);
  const parameters = endpoint.parameters.filter((one) => one.in !== "header");
  const twice = parameters.find(({ name }, i) => parameters.findIndex((one) => one.name === name) !== i);
  if (twice) throw new Error(`${method} ${path} has two parameters called ${twice.name}`);
  return {
    ...{ method, path, endpoint, type, answers, parameters },
    body: body ? { schema: body.content[JSON_TYPE]!.schema, required: body.required } : null,
    keyed: endpoint.parameters.some(({ name }) => name === "Idempotency-Key"),
    pages: parameters.some(({ name }) => name === "before"),
  };
}

function functionOf(call: EndpointCall, document: ApiDocument): string {
  const { method, path, endpoint } = call, { summary, deprecated } = endpoint, faults = endpoint["x-faults"];
  const lines = [
    summary,
    "",
    `\`${method} ${path}\`, scope ${endpoint["x-scope"]}.${
      faults.length > 0 ? ` Error codes: ${faults.join(", ")}.` : ""
    }`,
    ...(deprecated ? ["@deprecated See the changelog."] : []),
  ];
  return renderDocComment(lines.join("\n"), "  ") + signatures(call, document).join("");
}

/** Returns a function's signature, or two signatures if `dryRun: true` returns a preview instead of the usual type. */
function signatures(call: EndpointCall, { components: { schemas } }: ApiDocument): string[] {
  const isPreview = (answer: JsonSchema) =>
    Object.hasOwn(schemas[getReferencedName(answer) ?? ""]?.properties?.["dryRun"] ?? {}, "const");
  const previews = call.answers.filter(isPreview), others = call.answers.filter((answer) => !isPreview(answer));
  if (previews.length === 0 || others.length === 0) return [signature(call, call.answers)];
  const withDryRun = (only: boolean): EndpointCall => ({
    ...call,
    parameters: call.parameters.map((one) =>
      one.name === "dryRun" ? { ...one, required: only, schema: { const: only } as JsonSchema } : one
    ),
  });
  return [signature(withDryRun(true), previews), signature(withDryRun(false), others)];
}

function signature(call: EndpointCall, answers: readonly JsonSchema[]): string {
  const { endpoint: { operationId }, parameters, body, keyed, type } = call;
  const optional = parameters.every(({ required }) => !required) && !body?.required;
  const params = parameters.length > 0 &&
    `params${optional ? "?" : ""}: {\n${parameters.map(parameterOf).join("")}    }`;
  const options = type === STREAM ? "FollowOptions" : keyed ? "IdempotentCallOptions" : "CallOptions";
  const taken = [
    params,
    body && `body${body.required ? "" : "?"}: ${renderCallType(body.schema, true)}`,
    `options?: ${options}`,
  ].filter((one) => one);
  const answer = resultOf(call, answers), line = `  ${operationId}(${taken.join(", ")}): ${answer};\n`;
  if (!line.slice(0, -1).includes("\n") && line.length <= 121) return line;
  return `  ${operationId}(\n${taken.map((one) => `    ${one},\n`).join("")}  ): ${answer};\n`;
}

function parameterOf({ name, required, description, schema }: DocumentedParameter): string {
  const place = { indent: "    ", input: true };
  return renderField(name, parameterSchema(name, schema), { required, description }, place);
}

/** Returns the type that callers pass for a query parameter: a number, boolean or date, even though URLs are text. */
function parameterSchema(name: string, schema: JsonSchema): JsonSchema {
  if (name === "before") {
    return { anyOf: [{ type: "string" }, { type: "number" }, { $ref: "#/components/schemas/Date" }] };
  }
  const type = findQueryParameterType(schema);
  if (type === "boolean") return schema.enum!.includes("true") ? { type } : { enum: [false] };
  return type === null ? schema : { type };
}

function resultOf({ type, pages }: EndpointCall, answers: readonly JsonSchema[]): string {
  const result = type === null
    ? "void"
    : [...new Set(answers.map((answer) => renderCallType(answer, false)))].join(" | ");
  if (type === STREAM) return `AsyncGenerator<${result}, void>`;
  return pages ? `PagedList<${result.replace(/\[\]$/, "")}>` : `Promise<${result}>`;
}

function renderCallType(schema: JsonSchema, input: boolean): string {
  return renderType(schema, { indent: "  ", input, usedColumns: 0 });
}

function rowOf(
  { method, path, endpoint: { operationId }, parameters, body, keyed, pages, type }: EndpointCall,
): string {
  const row = {
    method,
    path,
    ...(parameters.length > 0 && { params: true }),
    ...(body && { body: true }),
    ...(keyed && { keyed }),
    ...(pages && { pages }),
    ...(type === STREAM && { stream: true }),
    ...(type === null && { empty: true }),
    ...(type !== null && type !== STREAM && type !== JSON_TYPE && { text: true }),
  };
  const fields = Object.entries(row).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  const line = `  ${operationId}: { ${fields.join(", ")} },\n`;
  return line.length <= 121 ? line : `  ${operationId}: {\n${fields.map((field) => `    ${field},\n`).join("")}  },\n`;
}
