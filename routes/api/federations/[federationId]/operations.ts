import * as v from "valibot";
import { hubAccess } from "#lib/domains/federations/access.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { pageReply } from "#lib/http/reply.ts";
import { OperationView } from "#lib/jobs/operation.ts";
import { findHubOperations } from "#lib/domains/operations/show.ts";
import { BeforeCursor, createPageLimitSchema, QueryFlag } from "#lib/base/schema.ts";

export const GET = endpoint({
  summary: "Operations on a hub and on its spokes, newest first",
  access: hubAccess("see"),
  scope: "readonly",
  query: v.object({ limit: createPageLimitSchema(25), before: v.optional(BeforeCursor), includeRemoved: QueryFlag }),
  reply: pageReply(OperationView),
  handle: ({ app, actor, federation, query }) => findHubOperations(app.db.rows, actor, federation.id, query),
});
