/** Lists the error codes that an endpoint can return, by HTTP status, based on the endpoint's declaration. */
import { type FaultCode, FAULTS } from "#lib/base/faults.ts";
import type { AnyEndpoint, HttpMethod } from "#lib/http/endpoint.ts";
import { mayHaveBody, refusesUnknownParameters } from "#lib/http/input.ts";
import { getHttpStatus } from "#lib/http/problem.ts";

/** A note about who passes an access check, and which errors others get. A test finds access checks without a note. */
interface AccessNote {
  readonly who: string;
  /** The codes of the errors that the access check can cause, apart from a missing sign-in. */
  readonly refuses: readonly FaultCode[];
}

const NOTES: Readonly<Record<string, AccessNote>> = {
  "anyone": note("Anyone"),
  "signed in": note("Signed-in users"),
  "operator": note("Operators", "operator_only"),
  "own factor": note("The factor's owner", "factor_missing"),
  "own token": note("The token's owner", "token_missing"),
  "federation: see": note("Operators, admins of the hub, and admins of its spokes", "federation_missing"),
  "federation: remove": note("Operators", "federation_missing", "operator_only"),
  "federation: bill": note("Operators", "federation_missing", "operator_only"),
  "federation: change": note("Operators and the hub's admins", "federation_missing", "federation_admin_only"),
  "spoke: see": note("Operators, admins of the spoke's hub, and admins of the spoke", "spoke_missing"),
  "spoke: act": note("Operators, admins of the spoke's hub, and admins of the spoke", "spoke_missing"),
  "spoke: history": note(
    "Users who can see the spoke; after the spoke's removal, operators and admins of the hub",
    "spoke_missing",
  ),
  "spoke: remove": note("Operators and admins of the spoke's hub", "spoke_missing", "federation_admin_only"),
  "spoke: delegate": note("Operators and admins of the spoke's hub", "spoke_missing", "federation_admin_only"),
  "spoke: restore": note("Operators and admins of the spoke's hub", "spoke_missing", "federation_admin_only"),
  "spoke: member": note(
    "Operators, admins of the spoke's hub, and the member",
    "spoke_missing",
    "federation_admin_only",
  ),
  "operation: see": note("Users who can see the hub or spoke", "operation_missing"),
  "rollout: see and change": note("Operators and users who manage all hubs of its spokes", "rollout_missing"),
  "webhook: see and change": note(
    "Operators and the hub's admins",
    ...["federation_missing", "federation_admin_only", "webhook_missing"] as const,
  ),
  "webhook by id: see and change": note("Operators, and admins of the webhook's hub", "webhook_missing"),
  "federation request: see": note("Operators and the requester", "request_missing"),
  "federation request: decide": note("Operators", "request_missing", "operator_only"),
  "federation request: withdraw": note("Operators and the requester", "request_missing"),
};

/** Returns the note about the access check with this name; null if the note is missing. */
export function findAccessNote(name: string): AccessNote | null {
  return Object.hasOwn(NOTES, name) ? NOTES[name]! : null;
}

function note(who: string, ...refuses: FaultCode[]): AccessNote {
  return { who, refuses };
}

/** Returns an endpoint's error codes by HTTP status, with the lowest status first. Status 500 has no codes. */
export function listErrorCodes(
  pattern: string,
  method: HttpMethod,
  endpoint: AnyEndpoint,
): Map<number, readonly FaultCode[]> {
  const codes = new Set([
    ...inputFaults(pattern, method, endpoint),
    ...credentialFaults(endpoint),
    ...findAccessNote(endpoint.access.name)?.refuses ?? [],
    ...scopeFaults(method, endpoint),
    ...(endpoint.recentSignIn === undefined ? [] : ["recent_sign_in_required" as const]),
    ...endpoint.faults ?? [],
    ...serviceFaults(method, endpoint),
  ]);
  const found = new Map<number, FaultCode[]>([[500, []]]);
  for (const code of codes) {
    const status = getHttpStatus(FAULTS[code][0]);
    found.set(status, [...found.get(status) ?? [], code]);
  }
  return new Map([...found].sort(([a], [b]) => a - b));
}

function inputFaults(pattern: string, method: HttpMethod, endpoint: AnyEndpoint): readonly FaultCode[] {
  const { params, query, body, form, raw, idempotent } = endpoint, read = mayHaveBody(method) && !raw;
  return [
    ...(params || query || body ? ["invalid_input" as const] : []),
    ...(pattern.includes(":") ? ["bad_path" as const] : []),
    ...["bad_query" as const, "repeated_parameter" as const, "too_many_parameters" as const],
    ...(refusesUnknownParameters(endpoint) ? ["unknown_parameter" as const] : []),
    ...(read ? ["unknown_field" as const] : []),
    ...(read && form ? ["bad_form" as const, "not_a_form" as const] : []),
    ...(read && !form ? ["unreadable_json" as const, "not_an_object" as const, "not_json" as const] : []),
    ...(mayHaveBody(method) ? ["body_too_large" as const, "body_too_slow" as const] : []),
    ...(idempotent ? ["bad_idempotency_key" as const, "idempotency_key_reused" as const] : []),
  ];
}

function credentialFaults({ scope, access }: AnyEndpoint): readonly FaultCode[] {
  if (scope === "public") return [];
  const refused = scope === "flow" ? "no_bearer_here" : scope === "session" ? "session_required" : "bad_credentials";
  return access.name === "anyone" ? [refused] : ["sign_in_required", refused];
}

function scopeFaults(method: HttpMethod, { scope, duringEnrolment }: AnyEndpoint): readonly FaultCode[] {
  return [
    ...(scope === "public" || scope === "flow" || duringEnrolment ? [] : ["second_factor_enrolment_required" as const]),
    ...(scope === "provisioning" || scope === "cli" ? ["scope_too_narrow" as const] : []),
    ...(scope !== "public" && method !== "GET" ? ["cross_origin" as const] : []),
    ...(scope !== "public" && scope !== "flow" && method !== "GET" ? ["access_changed" as const] : []),
  ];
}

/** Returns the error codes for an overloaded or broken service. Only public endpoints work without the database. */
function serviceFaults(method: HttpMethod, { scope, probe, rateLimitMessage }: AnyEndpoint): readonly FaultCode[] {
  return [
    ...(rateLimitMessage === undefined ? [] : ["too_many_tries" as const]),
    ...(probe ? [] : ["overloaded" as const]),
    ...(scope === "public" ? [] : [
      "database_unavailable" as const,
      "database_lost" as const,
      ...(method === "GET" ? [] : ["commit_unknown" as const]),
      "database_busy" as const,
      "database_slow" as const,
      "database_locked" as const,
      "database_exhausted" as const,
      "database_read_only" as const,
    ]),
    ...(scope === "public" ? [] : ["database_closed" as const]),
    "too_slow",
  ];
}
