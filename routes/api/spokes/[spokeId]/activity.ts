import * as v from "valibot";
import { AuditEventView } from "#lib/audit/views.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { pageReply } from "#lib/http/reply.ts";
import { BeforeCursor, createPageLimitSchema } from "#lib/base/schema.ts";
import { spokeAccess } from "#lib/domains/spokes/access.ts";
import { findSpokeActivity } from "#lib/domains/spokes/show.ts";

export const GET = endpoint({
  summary: "The audit events for a spoke, newest first",
  access: spokeAccess("history"),
  scope: "readonly",
  query: v.object({ limit: createPageLimitSchema(25), before: v.optional(BeforeCursor) }),
  reply: pageReply(AuditEventView),
  handle: ({ app, actor, spoke, query }) => findSpokeActivity(app.db.rows, actor, spoke, query),
});
