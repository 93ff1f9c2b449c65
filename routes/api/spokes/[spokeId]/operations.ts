import * as v from "valibot";
import { endpoint } from "#lib/http/endpoint.ts";
import { pageReply } from "#lib/http/reply.ts";
import { OperationView } from "#lib/jobs/operation.ts";
import { findSpokeOperations } from "#lib/domains/operations/show.ts";
import { BeforeCursor, createPageLimitSchema } from "#lib/base/schema.ts";
import { spokeAccess } from "#lib/domains/spokes/access.ts";

export const GET = endpoint({
  summary: "Operations on a spoke, newest first",
  access: spokeAccess("history"),
  scope: "readonly",
  query: v.object({ limit: createPageLimitSchema(25), before: v.optional(BeforeCursor) }),
  reply: pageReply(OperationView),
  handle: ({ app, actor, spoke, query }) => findSpokeOperations(app.db.rows, actor, spoke.id, query),
});
