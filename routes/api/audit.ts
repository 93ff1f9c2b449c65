import * as v from "valibot";
import { AuditEventView, auditFilterFields } from "#lib/audit/views.ts";
import { operatorAccess } from "#lib/domains/auth/access.ts";
import { findAuditEvents } from "#lib/domains/federations/audit-log.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { pageReply } from "#lib/http/reply.ts";
import { BeforeCursor, createPageLimitSchema } from "#lib/base/schema.ts";

export const GET = endpoint({
  summary: "The audit log, newest event first. Returns only events that match all filters",
  access: operatorAccess,
  scope: "readonly",
  query: v.object({ ...auditFilterFields, limit: createPageLimitSchema(25), before: v.optional(BeforeCursor) }),
  reply: pageReply(AuditEventView),
  handle: ({ app, query }) => findAuditEvents(app.db.rows, query),
});
