/** Checks a request's origin, media types and query options. The errors match the API server's errors. */
import type { IncomingMessage } from "node:http";
import {
  cause,
  collectCauses,
  formatStatusCauses,
  type StatusCause,
  StatusError,
} from "#lib/dev/simulator/admission/status-error.ts";

export type FieldValidation = "Ignore" | "Warn" | "Strict";

const VALIDATIONS = ["", "Ignore", "Strict", "Warn"];
const MAX_MANAGER_BYTES = 128;
const TYPES = "application/json, application/yaml, application/vnd.kubernetes.protobuf";
const ACCEPTED_TYPES = new Set(["*/*", "application/*", "application/json"]);
const READABLE_TYPES = new Set(["application/json", "application/yaml"]);

/** Throws a 406 error if the client does not accept JSON. */
export function requireJsonAccepted(accept: string | undefined): void {
  const types = (accept ?? "").split(",").map((each) => each.split(";")[0]!.trim()).filter((each) => each !== "");
  if (types.length === 0 || types.some((each) => ACCEPTED_TYPES.has(each))) return;
  const message = `406: Not Acceptable\n\nAvailable representations: ${TYPES}`;
  throw new StatusError(406, "NotAcceptable", message, {});
}

/** Throws a 415 error unless the request body is JSON or YAML. A missing content type counts as JSON. */
export function requireJsonOrYaml(contentType: string): void {
  const type = contentType.split(";")[0]!.trim();
  if (type === "" || READABLE_TYPES.has(type)) return;
  const message = `the body of the request was in an unknown format - accepted media types include: ${TYPES}`;
  throw new StatusError(415, "UnsupportedMediaType", message);
}

/** Throws a 422 error that lists all invalid options in the query. Does nothing if all options are valid. */
export function validateWriteOptions(
  kind: "CreateOptions" | "UpdateOptions" | "PatchOptions",
  query: URLSearchParams,
): void {
  const validation = query.get("fieldValidation") ?? "";
  rejectInvalidOptions(
    kind,
    collectCauses(
      validateDryRun(query.getAll("dryRun")),
      validateFieldManager(query.get("fieldManager") ?? ""),
      !VALIDATIONS.includes(validation) && cause.unsupported("fieldValidation", validation, VALIDATIONS),
    ),
  );
}

export function validatePatchOptions(query: URLSearchParams, applies: boolean): void {
  rejectInvalidOptions(
    "PatchOptions",
    collectCauses(
      applies && !query.get("fieldManager") && cause.required("fieldManager", "is required for apply patch"),
      !applies && query.has("force") && cause.forbidden("force", "may not be specified for non-apply patch"),
    ),
  );
  validateWriteOptions("PatchOptions", query);
}

export function validateDryRun(values: readonly string[]): StatusCause[] {
  return collectCauses(values.some((each) => each !== "All") && cause.unsupported("dryRun", values, ["All"]));
}

/** Throws a 422 error that lists the causes. Does nothing if there are no causes. */
export function rejectInvalidOptions(kind: string, causes: readonly StatusCause[]): void {
  if (causes.length === 0) return;
  const details = { group: "meta.k8s.io", kind, causes };
  throw new StatusError(422, "Invalid", `${kind}.meta.k8s.io "" is invalid: ${formatStatusCauses(causes)}`, details);
}

function validateFieldManager(manager: string): StatusCause[] {
  const field = "fieldManager", at = [...manager].findIndex((letter) => /\p{C}/u.test(letter));
  const code = [...manager][at]?.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0");
  const formatted = JSON.stringify(manager).replaceAll("\\u0007", "\\a");
  return collectCauses(
    Buffer.byteLength(manager) > MAX_MANAGER_BYTES && cause.tooLong(field, MAX_MANAGER_BYTES),
    at >= 0 && cause.invalidFormatted(field, `${formatted}: invalid character U+${code} (at position ${at})`),
  );
}

/** Matches host names that always resolve to this machine. Allows any port, because ports can be forwarded. */
const LOCAL_HOST = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i;

/** Throws 403 for a request to another host name or from another web origin, or 415 for a POST from an HTML form. */
export function requireLocalOrigin({ method, headers }: IncomingMessage): void {
  if (!LOCAL_HOST.test(headers.host ?? "")) {
    throw new StatusError(
      403,
      "Forbidden",
      "The simulated cluster accepts only requests to localhost, 127.0.0.1 and [::1]",
    );
  }
  const { origin, "sec-fetch-site": site = "none" } = headers;
  const foreign = origin !== undefined && origin !== `http://${headers.host}`;
  if (foreign || (site !== "none" && site !== "same-origin")) {
    throw new StatusError(403, "Forbidden", "Web pages from other origins cannot access the simulated cluster");
  }
  if (method === "POST") requireJsonOrYaml(headers["content-type"] ?? "");
}
