import * as v from "valibot";
import { operatorAccess } from "#lib/domains/auth/access.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { pageReply } from "#lib/http/reply.ts";
import { BeforeCursor, createPageLimitSchema } from "#lib/base/schema.ts";
import { listUserRecords } from "#lib/domains/users/records.ts";
import { userFilters, UserRecordView } from "#lib/domains/users/views.ts";

export const GET = endpoint({
  summary: "Users, newest first. The parameter email matches addresses that start with its value",
  access: operatorAccess,
  scope: "readonly",
  query: v.object({ ...userFilters, limit: createPageLimitSchema(25), before: v.optional(BeforeCursor) }),
  reply: pageReply(UserRecordView),
  handle: ({ app, query }) => listUserRecords(app.db.rows, query),
});
