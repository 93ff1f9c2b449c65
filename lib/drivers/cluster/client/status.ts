/** Turns error responses into ClusterErrors. The response body is a Kubernetes Status, or any text from a proxy. */
import { ClusterError } from "#lib/drivers/cluster/cluster.ts";
import { parseAdmissionRefusal } from "#lib/drivers/cluster/diagnosis/refusals.ts";
import type { HttpExchangeResponse } from "#lib/drivers/exchange.ts";
import { MINUTE, SECOND } from "#lib/base/time.ts";

/** The fields that this module reads from a Status, the object with which Kubernetes reports an error. */
export interface KubeStatus {
  readonly kind?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly code?: number;
  readonly details?: {
    readonly name?: string;
    readonly retryAfterSeconds?: number;
    readonly causes?: readonly { readonly reason?: string }[];
  };
}

const UNKNOWN_PATH_TEXT = "404 page not found"; // the API server's response for an unknown API group
const REASONS: Readonly<Record<number, string>> = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  405: "MethodNotAllowed",
  408: "Timeout",
  409: "Conflict",
  410: "Expired",
  413: "RequestEntityTooLarge",
  415: "UnsupportedMediaType",
  422: "Invalid",
  429: "TooManyRequests",
  500: "InternalError",
  502: "BadGateway",
  503: "ServiceUnavailable",
  504: "Timeout",
};
/** Status codes below 500 after which a retry can succeed: the server was slow or busy, or a list token expired. */
const TRANSIENT = new Set([408, 410, 425, 429]);
/** Status codes from 500 upwards after which a retry is useless. */
const PERMANENT = new Set([501, 505]);
/** The longest wait accepted from a Retry-After header, in milliseconds. A longer wait is probably a mistake. */
const MAX_RETRY_AFTER = MINUTE;
const NOT_API_SERVER_HINT = "Check that the kubeconfig's server is a Kubernetes API server, not a proxy.";
/** The maximum number of characters that a message quotes from a body that is not a Status, such as an error page. */
const EXCERPT_LENGTH = 300;

export function createErrorFromResponse(answer: HttpExchangeResponse, description: string): ClusterError {
  const status = readStatus(answer.body), { location } = answer.headers;
  // Removes the query string from a redirect's URL, because it may contain secrets for a login page.
  const text = location === undefined ? answer.body : `to ${String(location).split("?")[0]} ${answer.body}`;
  return createErrorFromStatus(answer.status, status, description, retryAfterOf(answer, status), text);
}

/**
 * Returns the error for a response that is not from an API server, such as a proxy's page or a truncated body. The
 * server may have processed the request, and the next attempt may succeed.
 */
export function createUnexpectedResponseError(message: string, status: number, cause?: unknown): ClusterError {
  return new ClusterError("BadAnswer", message, {
    transient: true,
    status,
    blame: "operator",
    hint: NOT_API_SERVER_HINT,
    cause,
  });
}

export function createUnknownKindError(message: string, cause?: Error): ClusterError {
  const hint = "Install the CRD that defines this kind.";
  return new ClusterError("NoKind", message, { transient: false, status: 404, blame: "operator", hint, cause });
}

export function createErrorFromStatus(
  code: number,
  status: KubeStatus | null,
  description: string,
  retryAfterMs?: number,
  text = "",
): ClusterError {
  const reason = status?.reason || REASONS[code] || `Http${code}`;
  const message = status?.message || `${description}: HTTP ${code} ${text.trim().slice(0, EXCERPT_LENGTH)}`.trim();
  const errorWith = (name: string, transient: boolean, rest: { blame?: "operator" | "cluster"; hint?: string } = {}) =>
    new ClusterError(name, message, {
      transient,
      status: code,
      ...rest,
      retryAfterMs,
      cause: new Error(description),
    });

  if (status?.details?.causes?.some((cause) => cause.reason === "NamespaceTerminating")) {
    return errorWith("Terminating", false);
  }
  // The error is transient, because calls succeed again once the credentials have been renewed.
  if (code === 401) {
    return errorWith(reason, true, { blame: "operator", hint: "Renew the credentials in the kubeconfig." });
  }
  if (code >= 300 && code < 400) return createUnexpectedResponseError(message, code);
  if (code === 403) {
    const refusal = parseAdmissionRefusal(message);
    return errorWith(refusal.code, refusal.heals === "soon" || refusal.heals === "later", {
      blame: "operator",
      hint: refusal.hint,
    });
  }
  if (code === 404 && status === null && text.trim() !== UNKNOWN_PATH_TEXT) {
    return createUnexpectedResponseError(message, code);
  }
  if (code === 404 && isUnknownKind(status)) {
    return createUnknownKindError(message, new Error(description));
  }
  if (code === 409) return errorWith(reason, isWriteConflict(reason, message, status));
  // The API server responds with 500 if an applied manifest does not match its schema. A retry cannot succeed.
  if (code === 500 && /failed to create typed (patch|live) object/.test(message)) {
    return errorWith("Invalid", false, { blame: "operator", hint: "Correct the manifest in the blueprint." });
  }
  if (TRANSIENT.has(code) || (code >= 500 && !PERMANENT.has(code))) return errorWith(reason, true);
  const ours = code === 400 || code === 415 || code === 422;
  return errorWith(
    reason,
    false,
    ours ? { blame: "operator", hint: "Correct the manifest as described in the error message." } : {},
  );
}

/**
 * Whether another writer changed the object first, so that a retry can succeed. A conflict over UIDs or field ownership
 * is permanent.
 */
function isWriteConflict(reason: string, message: string, status: KubeStatus | null): boolean {
  if (reason !== "Conflict" || isUidMismatchMessage(message)) return false;
  return !status?.details?.causes?.some((cause) => cause.reason === "FieldManagerConflict");
}

/** Whether a 409 response means that the object has another UID. For namespaces, the message is worded differently. */
export function isUidMismatchMessage(message: string): boolean {
  return /Precondition failed: UID|the UID in the precondition .* does not match/.test(message);
}

/** Whether a 404 response means that the kind is unknown, rather than that the object is missing. */
function isUnknownKind(status: KubeStatus | null): boolean {
  return status === null || /could not find the requested resource/.test(status.message ?? "");
}

function readStatus(body: string): KubeStatus | null {
  try {
    return parseKubeStatus(JSON.parse(body));
  } catch {
    return null; // not JSON: a proxy or load balancer responded, and the caller quotes the text
  }
}

/** Returns the valid fields from an untrusted Status object, or null if the value is not a Status. */
export function parseKubeStatus(value: unknown): (KubeStatus & { readonly code?: number }) | null {
  if (!isRecord(value) || value.kind !== "Status") return null;
  const { message, reason, code } = value, details = isRecord(value.details) ? value.details : {};
  const { retryAfterSeconds: seconds, causes } = details;
  return {
    kind: "Status",
    ...(typeof message === "string" ? { message } : {}),
    ...(typeof reason === "string" ? { reason } : {}),
    ...(Number.isInteger(code) ? { code: code as number } : {}),
    details: {
      ...(typeof details.name === "string" ? { name: details.name } : {}),
      ...(typeof seconds === "number" ? { retryAfterSeconds: seconds } : {}),
      ...(Array.isArray(causes) ? { causes: causes.filter(isRecord) } : {}),
    },
  };
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the milliseconds to wait before a retry, from the Retry-After header or else from the Status. */
function retryAfterOf(answer: HttpExchangeResponse, status: KubeStatus | null): number | undefined {
  const header = answer.headers["retry-after"];
  const text = Array.isArray(header) ? header[0] : header;
  const seconds = text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : status?.details?.retryAfterSeconds;
  const wait = text !== undefined && HTTP_DATE.test(text)
    ? Date.parse(text) - readResponseTime(answer)
    : seconds === undefined
    ? undefined
    : seconds * SECOND;
  return wait === undefined ? undefined : Math.min(Math.max(0, wait), MAX_RETRY_AFTER);
}

const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** Returns the Date header's time in milliseconds, or the local time if the header is missing or invalid. */
export function readResponseTime(answer: HttpExchangeResponse): number {
  const { date } = answer.headers;
  const at = typeof date === "string" && HTTP_DATE.test(date) ? Date.parse(date) : NaN;
  return Number.isNaN(at) ? Date.now() : at;
}

/** Returns the text of each warning in the response. Warnings have the form `299 - "…"` in the Warning header. */
export function readResponseWarnings(answer: HttpExchangeResponse): string[] {
  const header = answer.headers["warning"];
  const text = Array.isArray(header) ? header.join(", ") : header ?? "";
  return [...text.matchAll(/\b299 \S+ "((?:[^"\\]|\\.)*)"/g)].map((found) => found[1]!.replace(/\\(.)/g, "$1"));
}
