import * as v from "valibot";
import { signedInAccess } from "#lib/domains/auth/access.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { pageReply } from "#lib/http/reply.ts";
import { OPERATION_STATE_FILTERS } from "#lib/jobs/list.ts";
import { OperationView } from "#lib/jobs/operation.ts";
import { findVisibleOperations } from "#lib/domains/operations/show.ts";
import { BeforeCursor, boundedText, createOptionalChoiceSchema, createPageLimitSchema } from "#lib/base/schema.ts";

export const GET = endpoint({
  summary: "Operations on all hubs and spokes that you can see, newest first",
  access: signedInAccess,
  scope: "readonly",
  query: v.object({
    state: createOptionalChoiceSchema(OPERATION_STATE_FILTERS),
    federationId: v.optional(boundedText(1, 100)),
    limit: createPageLimitSchema(25),
    before: v.optional(BeforeCursor),
  }),
  reply: pageReply(OperationView),
  faults: ["federation_missing"],
  handle: ({ app, actor, query }) => findVisibleOperations(app.db.rows, actor, query),
});
