import * as v from "valibot";
import { operatorAccess } from "#lib/domains/auth/access.ts";
import { listRestoreRequests } from "#lib/domains/backups/restore-requests/store.ts";
import { RestoreRequestFilter, RestoreRequestView } from "#lib/domains/backups/restore-requests/views.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { pageReply } from "#lib/http/reply.ts";
import { BeforeCursor, createPageLimitSchema } from "#lib/base/schema.ts";

export const GET = endpoint({
  summary: "Restore requests for all spokes, newest first, each with the command that restores the backup",
  access: operatorAccess,
  scope: "readonly",
  query: v.object({ state: RestoreRequestFilter, limit: createPageLimitSchema(25), before: v.optional(BeforeCursor) }),
  reply: pageReply(RestoreRequestView),
  handle: ({ app, actor, query }) => listRestoreRequests(app.db.rows, actor, query),
});
