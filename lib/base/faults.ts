/**
 * Lists all fault codes, each with its kind and an example message. The OpenAPI document takes its error statuses and
 * examples from this list. A test checks that the list matches the faults that the code throws.
 */
import type { FaultKind } from "#lib/base/errors.ts";
import { PROVIDER_FAULTS } from "#lib/base/provider-faults.ts";
import { SECOND_FACTOR_FAULTS } from "#lib/base/second-factor-faults.ts";

export const FAULTS = {
  ...PROVIDER_FAULTS,
  ...SECOND_FACTOR_FAULTS,

  // Faults about requests with an invalid format.
  invalid_input: ["invalid", "slug must be 1 to 63 lower-case letters, digits or hyphens; size is missing"],
  unknown_field: ["invalid", "Unknown field `nmae`; did you mean `name`?"],
  unknown_parameter: ["invalid", "Unknown parameter `limt`; did you mean `limit`?"],
  bad_path: ["invalid", "The path must be percent-encoded UTF-8 without control characters"],
  bad_query: ["invalid", "The query must be percent-encoded UTF-8"],
  repeated_parameter: ["invalid", "Send each query parameter only once"],
  unreadable_json: ["invalid", "The body is not valid JSON in UTF-8"],
  not_an_object: ["invalid", "The body must be a JSON object"],
  bad_idempotency_key: ["invalid", "Idempotency-Key must be 1 to 255 visible ASCII characters without spaces"],
  body_too_large: ["too_large", "The body must not be larger than 262144 bytes"],
  body_too_slow: ["unsent", "The request body did not arrive in time; use a faster connection"],
  too_many_parameters: ["invalid", "The query must have at most 40 parameters and 8192 characters"],
  bad_form: ["invalid", "The form must be percent-encoded UTF-8 and contain each field once"],
  not_a_form: ["media_type", "The body must be a form of type application/x-www-form-urlencoded"],
  not_json: ["media_type", "The body must be JSON, sent as Content-Type: application/json"],
  idempotency_key_reused: [
    "impossible",
    "This Idempotency-Key was used with another body; use a new key for a new request",
  ],
  malformed_request: ["invalid", "The request is not valid HTTP"],
  bad_host: ["invalid", "A request must have one Host header"],
  bad_expectation: ["expectation", "The only supported expectation is 100-continue"],
  headers_too_large: ["headers", "The request target and headers must not exceed 16384 bytes"],
  request_too_slow: ["unsent", "The request took too long to arrive"],
  no_route: ["missing", "No endpoint at this path"],
  wrong_method: ["method", "PUT is not supported; this path supports GET, HEAD, OPTIONS"],

  // Faults about the caller's identity and permissions.
  sign_in_required: ["unauthenticated", "Authentication required: sign in or send a bearer token"],
  bad_credentials: ["unauthenticated", "The Authorization header does not contain a valid token"],
  session_required: ["unauthenticated", "token minting requires a session"],
  no_bearer_here: [
    "unauthenticated",
    "Remove the Authorization header: this endpoint requires a session, not a token",
  ],
  login_failed: ["unauthenticated", "Wrong email address or password"],
  wrong_password: ["forbidden", "Cannot change the password: the current password is wrong"],
  session_too_old: [
    "forbidden",
    "You signed in more than an hour ago; sign in again to set a password, or omit the password",
  ],
  scope_too_narrow: [
    "forbidden",
    "The token's scope is readonly; this request needs a token with the scope provisioning or cli",
  ],
  access_changed: [
    "forbidden",
    "Your permissions changed during this request, so nothing was done; try again",
  ],
  cross_origin: ["forbidden", "Requests from another site are not allowed"],
  portal_off: ["conflict", "Signing in with a browser needs the portal, which is off; sign in with a password"],
  sign_in_pending: ["conflict", "Nobody has approved the sign-in yet; ask again in 5 s"],
  polled_too_soon: ["limited", "Ask at most every 5 s whether the sign-in was approved"],
  sign_in_denied: ["forbidden", "The sign-in was denied in the browser"],
  sign_in_missing: ["missing", "There is no such sign-in, or it has expired; start again in the terminal"],
  sign_in_spent: ["impossible", "This sign-in was used, has expired or was never valid; sign in again"],
  token_limited: ["forbidden", "This token is limited to hubs, so it cannot read or change the account"],
  operator_only: ["forbidden", "Only operators can perform this action"],
  policy_fixed: ["forbidden", "The hub does not let its spokes change language"],
  federation_admin_only: ["forbidden", "Only operators and admins of this hub can perform this action"],

  // Faults about hubs, spokes and other resources.
  federation_missing: ["missing", "There is no such hub, or you have no access to it"],
  spoke_missing: ["missing", "There is no such spoke, or you have no access to it"],
  operation_missing: ["missing", "There is no such operation, or you have no access to it"],
  token_missing: ["missing", "There is no such token, or it is not yours"],
  session_missing: ["missing", "There is no such session, or it is not yours"],
  user_missing: ["missing", "This user does not exist"],
  member_missing: ["missing", "This user is not a member"],
  notification_missing: ["missing", "There is no such notification, or you have no access to it"],
  slug_taken: ["conflict", "The slug north is taken by another hub; choose another slug"],
  domain_taken: [
    "conflict",
    "The domain ash.school.example is in use, or is a parent or subdomain of a domain in use; choose another domain",
  ],
  domain_unproven: [
    "conflict",
    "ash.school.example is not verified for this hub: set the TXT record _wheelwright.ash.school.example to " +
    "wheelwright=3f2b8c41d09e5a7760b1c2d4e8f90a1b2c3d4e5f, wait until DNS returns it, and try again",
  ],
  federation_state: ["conflict", "Cannot retry a hub that is active; only a failed hub can be retried"],
  spoke_state: ["conflict", "Cannot suspend a spoke that is provisioning; wait until it is active"],
  check_in_progress: ["conflict", "A site of this hub is already checking a provider; try again in a minute"],
  link_in_progress: ["conflict", "A sign-in link for this site is already being created; try again in a minute"],
  admin_unusable: [
    "conflict",
    "Cannot create a sign-in link because the site's admin account is suspended; another site administrator must " +
    "fix this account first; reset-admin-password does not help",
  ],
  link_failed: [
    "unavailable",
    "The site could not create a sign-in link; check its health and try again",
  ],
  too_many_links: ["limited", "You created 10 sign-in links within the last hour; wait before you create another link"],
  federation_not_empty: [
    "conflict",
    "Cannot remove the hub north while it has 2 spokes; remove all its spokes first",
  ],
  request_missing: ["missing", "There is no such request, or you have no access to it"],
  request_decided: ["conflict", "This request was already approved by ann@example.org"],
  webhook_missing: ["missing", "There is no such webhook, or you have no access to it"],
  delivery_missing: ["missing", "The webhook has no such delivery; deliveries are kept for 14 days"],
  webhook_address: [
    "invalid",
    "url cannot receive webhooks: its address is private, local or reserved; use a public https address",
  ],
  too_many_webhooks: ["conflict", "There are 10 webhooks already; delete one of them first"],
  course_missing: ["invalid", "The hub has published no version 3 of the course crs_06fj2c4v7tq0w1x9n3m8k5r2dg"],
  course_version_missing: ["missing", "The hub has no such version of a course"],
  course_version_in_use: [
    "conflict",
    "Cannot delete the version: the hub gives it to its spokes; give them another version first",
  ],
  too_many_courses: ["conflict", "The hub has 50 courses; publish a new version of one of them instead"],
  policy_changed: ["conflict", "settings has version 4, and your change is based on version 3; load it again"],
  rollout_state: ["conflict", "Cannot resume a rollout that is running"],
  rollout_empty: ["impossible", "The rollout would change no spoke, because no spoke matches the selector"],
  rollout_too_large: ["impossible", "The selector matches more than 1000 spokes; select fewer"],
  selection_too_large: ["impossible", "The filter matches more than 500 spokes; select fewer, or use a rollout"],
  selection_changed: [
    "conflict",
    "The selected spokes have changed since the preview, so nothing was started; see the new preview",
  ],
  policy_version_missing: ["missing", "settings has no version 7"],
  rollout_missing: ["missing", "There is no such rollout, or you have no access to it"],
  restore_requested: [
    "conflict",
    "A restore of this backup was already requested; an operator will approve or decline it",
  ],
  reason_needed: ["invalid", "Enter a reason for declining the request; the requester will see it"],
  reason_unused: ["invalid", "Only declined requests have a reason; omit declineReason"],
  too_many_pending: ["conflict", "You have 10 pending hub requests; wait for a decision, or withdraw one"],
  requester_disabled: [
    "conflict",
    "Cannot approve: the user ada@example.org is disabled; enable the user first, or reject the request",
  ],
  onboarded: ["conflict", "Onboarding is already complete"],
  slug_fixed: ["invalid", "slug cannot be changed; the slug of this hub is north"],
  federation_mismatch: ["invalid", "federationId must be the id or slug of the hub in the path"],
  parameter_needed: ["invalid", "lmsVersion is required to upgrade: the target version"],
  version_not_newer: [
    "impossible",
    "Cannot upgrade to 4.5.12: the spoke runs 4.5.13, and Moodle cannot be downgraded",
  ],
  addon_unsupported: [
    "impossible",
    "Cannot upgrade to 5.2.2: the catalog lists no version of mod_attendance for Moodle 5.2",
  ],
  version_unchanged: ["conflict", "Cannot upgrade to 4.5.12: the spoke already runs 4.5.12"],
  size_unchanged: ["impossible", "Cannot resize to small: the spoke already has this size"],
  version_mismatch: ["invalid", "lmsVersion and moodleVersion must be the same when both are given"],
  copy_of_needed: [
    "invalid",
    "copyBackup requires copyOf, the spoke to copy",
  ],
  copy_version: [
    "invalid",
    "A copy has the same Moodle version as its source; omit lmsVersion, and upgrade the copy later",
  ],
  size_too_small: [
    "invalid",
    "size must have disks as large as those of ash, 20Gi for files and 10Gi for the database: choose medium, large",
  ],
  tier_size: ["conflict", "The tier dedicated allows only the sizes medium, large, not small"],
  tier_bound: ["conflict", "The tier shared allows at most 20 in a hub, and this hub has 20 spokes"],
  backup_unusable: [
    "conflict",
    "Cannot copy ash: The spoke ash has no backup that is ready; to take a new backup first, set copyBackup to now",
  ],
  another_cluster: [
    "impossible",
    "Cannot copy ash to another cluster: its backups can be used only in the cluster of the region eu",
  ],
  blueprint_lacks: [
    "impossible",
    "Spokes cannot be copied: the StatefulSet db of the blueprint lacks the container ${ADOPT_DATABASE}, which " +
    "adopts the data",
  ],
  sign_in_incomplete: ["invalid", "The sign-in needs a client ID and a client secret"],
  not_offered: ["invalid", "size must be one of small, medium, large"],
  domain_needed: ["invalid", "domain is required: slug and hub together are too long for a host name"],
  domain_reserved: ["invalid", "domain cannot be used for a spoke: example.org belongs to the service"],
  domain_invalid: ["invalid", "domain must be a host name such as school.example.org; it ends with a number"],
  expiry_past: ["invalid", "expiresAt must be in the future"],

  last_operator: ["conflict", "Cannot disable or demote the last operator; make another user an operator first"],
  user_unverified: [
    "conflict",
    "Cannot make this user an operator: the user's email address is not verified",
  ],
  user_disabled: ["conflict", "The user ada@school.example is disabled; enable the user first"],

  // Faults about links that are sent by email.
  unverified: ["forbidden", "Verify your email address first: open the link that was emailed to you"],
  link_spent: ["impossible", "This link has been used, has expired or was never valid; request a new one"],
  signup_off: ["forbidden", "Sign-up is closed; ask an administrator for an invitation"],

  // Faults about billing.
  billing_off: ["missing", "No payment provider is connected to this service"],
  not_billed: ["conflict", "Cannot reconcile a hub that is not connected to billing; connect the hub first"],
  bad_signature: ["invalid", "The Stripe-Signature header does not match the body"],
  dns_unavailable: [
    "unavailable",
    "The DNS servers did not answer the query for _wheelwright.ash.school.example; try again",
  ],
  billing_unavailable: ["unavailable", "The payment provider does not respond; try again"],

  // Faults about secrets that the database stores.
  secrets_key_missing: [
    "conflict",
    "SECRETS_KEY is not set, so secrets cannot be stored; set SECRETS_KEY to the output of openssl rand -base64 32, " +
    "and restart",
  ],
  secrets_key_unknown: [
    "unavailable",
    "A stored secret was encrypted with a key that SECRETS_KEY lacks; add the former key after the first",
  ],
  // Faults about rate limits and the service's availability.
  too_many_streams: ["limited", "You have 20 event streams open; close one of them first"],
  too_many_tries: ["limited", "too many login attempts"],
  busy: ["unavailable", "The server is busy; try again"],
  overloaded: ["unavailable", "The server is overloaded; retry with exponential backoff"],
  not_ready: ["unavailable", "Not ready: database"],
  cluster_unavailable: ["unavailable", "The cluster does not respond right now; try again"],
  database_unavailable: ["unavailable", "The database cannot be reached; try again"],
  database_lost: ["unavailable", "The connection to the database was lost; try again"],
  commit_unknown: ["unavailable", "The database did not confirm whether this was saved; check before trying again"],
  database_busy: ["unavailable", "All connections to the database are in use; try again"],
  database_slow: ["unavailable", "The database took too long; try again"],
  database_locked: ["unavailable", "Somebody else is changing the same object; try again"],
  database_read_only: ["unavailable", "The database is read-only right now; try again"],
  database_exhausted: ["unavailable", "The database's disk is full; nothing can be saved until space is freed"],
  database_closed: ["unavailable", "The service is shutting down"],
  too_slow: ["timeout", "The request took longer than the limit of 30 s; retry later"],
} as const satisfies Readonly<Record<string, readonly [kind: FaultKind, sentence: string]>>;

export type FaultCode = keyof typeof FAULTS;
