import * as v from "valibot";
import { signedInAccess } from "#lib/domains/auth/access.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { acceptedReply } from "#lib/http/reply.ts";
import { requestBulkAction } from "#lib/domains/spokes/bulk.ts";
import { BulkAction, BulkOutcome } from "#lib/domains/spokes/views.ts";

export const POST = endpoint({
  summary: "Request the same action on many spokes. IDs of spokes that you cannot see are skipped",
  access: signedInAccess,
  scope: "cli",
  // Rejects dryRun=true, because ignoring this parameter would run the action.
  query: v.object({ dryRun: v.optional(v.picklist(["false", "0"], "is possible for one spoke at a time")) }),
  body: BulkAction,
  reply: acceptedReply(v.array(BulkOutcome)),
  faults: ["parameter_needed", "version_mismatch", "not_offered", "operator_only"],
  handle: ({ app, actor, body }) => requestBulkAction(app, actor, body),
});
