/**
 * Derives a function name for each endpoint from its method and path. For example, the name of the endpoint
 * `POST /api/federations/:federationId/spokes` is `createFederationSpoke`.
 */
import type { HttpMethod } from "#lib/http/endpoint.ts";

export const OPERATION_NAME_EXCEPTIONS: Readonly<Record<string, string>> = {
  "GET /": "showFrontPage",
  "GET /api": "goToReference",
  "GET /favicon.ico": "getIcon",
  "GET /changelog": "showChangelog",
  "GET /api/changelog.atom": "getChangelogFeed",
  "GET /api/openapi.json": "getOpenApi",
  "GET /api/docs": "showReference",
  "GET /api/my-spokes": "listMySpokes",
  "GET /api/audit": "listAuditEvents",
  "GET /api/spokes/:spokeId/activity": "listSpokeActivity",
  "GET /api/spokes/:spokeId/addons": "getSpokeAddons",
  "GET /api/spokes/:spokeId/backups": "getSpokeBackups",
  "GET /api/federations/:federationId/events": "followFederation",
  "GET /api/federations/:federationId/spokes/preview-cost": "previewSpokeCost",
  "POST /api/federations/:federationId/billing": "startFederationBilling",
  "POST /api/federations/:federationId/members": "addFederationMember",
  "POST /api/users/:userId/reset-password": "resetUserPassword",
  "POST /api/spokes/actions": "actOnSpokes",
  "POST /api/spokes/:spokeId/actions": "actOnSpoke",
  "POST /api/spokes/:spokeId/sign-in-link": "createSpokeSignInLink",
  "POST /api/federations/:federationId/actions": "actOnFederation",
  "POST /api/notifications/read-all": "readAllNotifications",
  "POST /api/auth/password": "changePassword",
  "DELETE /api/auth/sessions/others": "deleteOtherSessions",
  "POST /api/billing/webhook": "receiveBillingEvent",
};

export function buildOperationName(pattern: string, method: HttpMethod): string {
  const exception = OPERATION_NAME_EXCEPTIONS[`${method} ${pattern}`];
  if (exception !== undefined) return exception;
  const page = !pattern.startsWith("/api/");
  const segments = pattern.replace(/^\/api\b/, "").split("/").filter(Boolean);
  const words = segments.flatMap((segment, i) =>
    segment.startsWith(":") ? [] : [segments[i + 1]?.startsWith(":") ? singular(segment) : segment]
  );
  const last = words.at(-1)!, many = segments.at(-1) === last && last.endsWith("s") && last !== "status";
  const owners = words.slice(0, -1).filter((word) => word !== "auth");
  if (page) return camel(method === "GET" ? "show" : "submit", last, "page");
  switch (method) {
    case "GET":
      return camel(many ? "list" : "get", ...owners, last);
    case "POST":
      return many ? camel("create", ...owners, singular(last)) : camel(last, ...owners);
    case "DELETE":
      return camel("delete", ...owners, last);
    default:
      return camel("update", ...owners, last);
  }
}

function singular(word: string): string {
  return word.replace(/ies$/, "y").replace(/s$/, "");
}

/** Joins words in camel case: `create` and `federation-request` become `createFederationRequest`. */
function camel(...words: readonly string[]): string {
  return words.flatMap((word) => word.split(/[^A-Za-z0-9]+/)).filter(Boolean)
    .map((word, i) => i === 0 ? word : word[0]!.toUpperCase() + word.slice(1)).join("");
}
