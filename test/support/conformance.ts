/** Checks the status, media type, body and headers of every response in a test against the OpenAPI document. If a
 * response does not match, the test fails. For the portal's pages, see page-conformance.ts. */
import { buildOpenApiDocument } from "#lib/reference/openapi.ts";
import { formatDocumentedPath, type Manifest, withoutPortal } from "#lib/http/endpoint.ts";
import { manifest as routes } from "#src/manifest.ts";
import { readProgramRelease } from "#src/release.ts";
import { checkPageResponse } from "#test/support/page-conformance.ts";
import {
  type DeclaredResponse,
  type DocumentPath,
  type OpenApiReader,
  openOpenApiReader,
} from "#test/support/probes/document.ts";

/** A request and its response. The response body is text, or null if the response is an open stream. */
export interface RecordedExchange {
  readonly method: string;
  /** The request's path, with or without a query. */
  readonly path: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string | null;
}

export type ConformanceCheck = (seen: RecordedExchange) => void;

const PHRASES: Readonly<Record<number, string>> = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  409: "Conflict",
  413: "Content Too Large",
  415: "Unsupported Media Type",
  417: "Expectation Failed",
  422: "Unprocessable Content",
  429: "Too Many Requests",
  500: "Internal Server Error",
  503: "Service Unavailable",
  504: "Gateway Timeout",
};
const ALWAYS = [
  ...["x-request-id", "x-content-type-options", "x-frame-options", "referrer-policy", "content-security-policy"],
  ...["cross-origin-opener-policy", "cross-origin-resource-policy", "permissions-policy"],
];
/** The headers that a response must have, keyed by status. */
const NEEDED: Readonly<Record<number, readonly string[]>> = {
  201: ["location"],
  401: ["www-authenticate"],
  405: ["allow"],
  429: ["retry-after"],
  503: ["retry-after"],
  504: ["retry-after"],
};
/** Matches paths whose 201 responses need no Location header: a secret that is shown only once has no URL. */
const SHOWN_ONCE = /\/sign-in-link$/;
/** The path of the OpenAPI document, whose own schema is only `object`. Other tests check the document's content. */
const ITSELF = "/api/openapi.json";
const GONE = 499; // a status that is only logged; no client receives it
const PROBLEM = {
  type: "object",
  properties: {
    statusCode: { type: "number" },
    code: { type: "string", minLength: 1 },
    message: { type: "string", minLength: 1 },
    error: { type: "string" },
  },
  required: ["statusCode", "code", "message", "error"],
};

/** Returns a function that checks responses from the routes in the manifest. Skips routes that a test defines. */
export function createConformanceCheck(manifest: Manifest = routes): ConformanceCheck {
  if (manifest !== routes) return () => {};
  return (seen) => {
    if (seen.status === GONE) return;
    const wrong = checkExchange(documentOf(manifest), seen);
    const { method, path, status, text } = seen;
    const excerpt = text === null ? "" : `:\n${text.slice(0, 1000)}`;
    if (wrong) throw new Error(`${method} ${path} returned an undocumented ${status} response: ${wrong}${excerpt}`);
  };
}

// Caches the OpenAPI documents, because every client needs a document and its creation is slow.
const documents = new Map<Manifest, OpenApiReader>();

function documentOf(manifest: Manifest): OpenApiReader {
  const document = documents.get(manifest) ?? openOpenApiReader(buildOpenApiDocument(manifest, readProgramRelease()));
  documents.set(manifest, document);
  return document;
}

/** Returns how a response differs from the OpenAPI document; null if the response matches. */
export function checkExchange(document: OpenApiReader, seen: RecordedExchange): string | null {
  const { method, path, status, headers } = seen;
  const needed = status === 201 && SHOWN_ONCE.test(path) ? [] : NEEDED[status] ?? [];
  const absent = [...ALWAYS, ...needed].find((name) => !headers.get(name));
  if (absent) return `the header ${absent} is missing`;
  const place = document.find(path.replace(/[?#].*$/s, ""));
  if (!place) return checkUndocumented(document, seen);
  const operation = place.operation(method === "HEAD" ? "GET" : method);
  if (!operation) return checkOtherMethod(document, place, seen);
  const declared = operation.answer(status);
  if (!declared) return "the status is not declared";
  const missing = declared.headers.find((name) => !headers.has(name));
  if (missing) return `the declared header ${missing} is missing`;
  if (method === "HEAD") return seen.text ? "HEAD has a body" : null;
  const refusal = status >= 400 && (isJson(headers) || "application/json" in declared.content);
  return (refusal ? checkProblem(document, seen, declared.codes) : null) ?? checkBody(document, declared, seen);
}

/** Checks a response for a path that the document does not contain. The response must be a page in the portal, or a 404
 * as a page for browsers or as JSON for programs. */
function checkUndocumented(document: OpenApiReader, seen: RecordedExchange): string | null {
  if (seen.status === 404 && isJson(seen.headers)) return checkProblem(document, seen, ["no_route"]);
  return isPortal(seen.path) || seen.status === 404 ? checkPageResponse(seen) : "the path is not declared";
}

const pages = routes.filter(([, module]) => !withoutPortal([["", module]]).length)
  .map(([pattern]) =>
    new RegExp(`^${formatDocumentedPath(pattern).replace(/[.]/g, "\\.").replace(/\{\w+\}/g, "[^/]+")}/?$`)
  );

function isPortal(path: string): boolean {
  return pages.some((pattern) => pattern.test(path.replace(/[?#].*$/s, "")));
}

/** Checks the response to a request whose method the path does not support. */
function checkOtherMethod(document: OpenApiReader, { methods }: DocumentPath, seen: RecordedExchange): string | null {
  const { method, status, headers, text } = seen;
  const allow = [...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"].sort().join();
  if (headers.get("allow")?.split(", ").sort().join() !== allow) return `Allow is not ${allow}`;
  if (method === "OPTIONS") return status === 204 && !text ? null : "OPTIONS must return 204 without a body";
  return status === 405 ? checkProblem(document, seen, ["wrong_method"]) : "the method is not declared";
}

/** Checks an error response. `codes` are the error codes that the document declares for the response's status. */
function checkProblem(
  document: OpenApiReader,
  { status, headers, text }: RecordedExchange,
  codes: readonly string[],
): string | null {
  if (!isJson(headers)) return `errors must be JSON, but this is ${headers.get("content-type")}`;
  const body = parse(text ?? "");
  const misfit = document.misfit(PROBLEM, body);
  if (misfit) return misfit;
  const { statusCode, code, error, message } = body as Record<"code" | "error" | "message", string> & {
    statusCode: number;
  };
  if (statusCode !== status) return `statusCode is ${statusCode}`;
  if (!codes.includes(code)) return `code is ${code}, but only these are declared: ${codes.join(", ") || "none"}`;
  if (error !== PHRASES[status]) return `error is "${error}", not "${PHRASES[status]}"`;
  return /\n {4}at /.test(message) ? "message contains a stack trace" : null;
}

function checkBody(
  document: OpenApiReader,
  { content }: DeclaredResponse,
  { path, headers, text }: RecordedExchange,
): string | null {
  const type = headers.get("content-type");
  const declared = Object.entries(content);
  if (declared.length === 0) return text ? "undeclared body" : null;
  const [, schema] = declared.find(([name]) => mediaType(name) === mediaType(type)) ?? [];
  if (!schema) return `unexpected content type: ${type}, not ${Object.keys(content).join(" or ")}`;
  if (text === null || path === ITSELF) return null;
  if (mediaType(type) === "text/event-stream") return checkEvents(document, schema, text);
  return isJson(headers) ? document.misfit(schema, parse(text)) : null;
}

function checkEvents(document: OpenApiReader, schema: unknown, text: string): string | null {
  const data = [...text.matchAll(/^data: (.*)$/gm)].map(([, line]) => document.misfit(schema, parse(line!)));
  return data.find((misfit) => misfit !== null) ?? null;
}

function isJson(headers: Headers): boolean {
  return mediaType(headers.get("content-type")) === "application/json";
}

function mediaType(text: string | null): string {
  return (text ?? "").split(";")[0]!.trim().toLowerCase();
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // undefined, which matches no schema
  }
}
