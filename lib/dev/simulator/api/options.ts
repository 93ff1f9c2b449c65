/** Checks the origin, media types and query options of a request. Errors match those of the API server. */
import type { IncomingMessage } from "node:http";
import {
  all,
  type Cause,
  forbiddenField,
  invalidAs,
  listCauses,
  Refusal,
  required,
  tooLong,
  unsupported,
} from "#lib/dev/simulator/admission/status-error.ts";

export type Validation = "Ignore" | "Warn" | "Strict";

const VALIDATIONS = ["", "Ignore", "Strict", "Warn"];
const MANAGER_MOST = 128;
const TYPES = "application/json, application/yaml, application/vnd.kubernetes.protobuf";
const ACCEPTED = new Set(["*/*", "application/*", "application/json"]);
const READ = new Set(["application/json", "application/yaml"]);

/** Throws 406 if the client does not accept JSON. */
export function refuseUnacceptable(accept: string | undefined): void {
  const wanted = (accept ?? "").split(",").map((each) => each.split(";")[0]!.trim()).filter((each) => each !== "");
  if (wanted.length === 0 || wanted.some((each) => ACCEPTED.has(each))) return;
  const message = `406: Not Acceptable\n\nAvailable representations: ${TYPES}`;
  throw new Refusal(406, "NotAcceptable", message, {});
}

/** Throws 415 unless the body is JSON or YAML. A missing content type counts as JSON. */
export function refuseUnreadable(contentType: string): void {
  const type = contentType.split(";")[0]!.trim();
  if (type === "" || READ.has(type)) return;
  const message = `the body of the request was in an unknown format - accepted media types include: ${TYPES}`;
  throw new Refusal(415, "UnsupportedMediaType", message);
}

/** Throws 422 for invalid options. One error lists all of them. */
export function refuseOptions(kind: "CreateOptions" | "UpdateOptions" | "PatchOptions", query: URLSearchParams): void {
  const validation = query.get("fieldValidation") ?? "";
  demand(
    kind,
    all(
      badDryRun(query.getAll("dryRun")),
      badManager(query.get("fieldManager") ?? ""),
      !VALIDATIONS.includes(validation) && unsupported("fieldValidation", validation, VALIDATIONS),
    ),
  );
}

export function refusePatchOptions(query: URLSearchParams, applies: boolean): void {
  demand(
    "PatchOptions",
    all(
      applies && !query.get("fieldManager") && required("fieldManager", "is required for apply patch"),
      !applies && query.has("force") && forbiddenField("force", "may not be specified for non-apply patch"),
    ),
  );
  refuseOptions("PatchOptions", query);
}

export function badDryRun(values: readonly string[]): Cause[] {
  return all(values.some((each) => each !== "All") && unsupported("dryRun", values, ["All"]));
}

/** Throws 422 if there are causes. */
export function demand(kind: string, causes: readonly Cause[]): void {
  if (causes.length === 0) return;
  const details = { group: "meta.k8s.io", kind, causes };
  throw new Refusal(422, "Invalid", `${kind}.meta.k8s.io "" is invalid: ${listCauses(causes)}`, details);
}

function badManager(manager: string): Cause[] {
  const field = "fieldManager", at = [...manager].findIndex((letter) => /\p{C}/u.test(letter));
  const code = [...manager][at]?.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0");
  const shown = JSON.stringify(manager).replaceAll("\\u0007", "\\a");
  return all(
    Buffer.byteLength(manager) > MANAGER_MOST && tooLong(field, MANAGER_MOST),
    at >= 0 && invalidAs(field, `${shown}: invalid character U+${code} (at position ${at})`),
  );
}

/**
 * Host names that always resolve to this machine. Any port is allowed, because a port may be forwarded to the
 * simulator.
 */
const HERE = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i;

/**
 * Throws 403 for a request from another host or from a web page of another origin. Throws 415 for a POST with a content
 * type that an HTML form can send. Both checks run before the request is processed.
 */
export function refuseForeign({ method, headers }: IncomingMessage): void {
  if (!HERE.test(headers.host ?? "")) {
    throw new Refusal(403, "Forbidden", "The simulated cluster answers only to localhost, 127.0.0.1 and [::1]");
  }
  const { origin, "sec-fetch-site": site = "none" } = headers;
  const foreign = origin !== undefined && origin !== `http://${headers.host}`;
  if (foreign || (site !== "none" && site !== "same-origin")) {
    throw new Refusal(403, "Forbidden", "A page of another site may not use the simulated cluster");
  }
  if (method === "POST") refuseUnreadable(headers["content-type"] ?? "");
}
