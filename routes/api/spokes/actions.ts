import * as v from "valibot";
import { signedInAccess } from "#lib/domains/auth/access.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { acceptedReply, combineReplies, okReply } from "#lib/http/reply.ts";
import { QueryFlag } from "#lib/base/schema.ts";
import { requestBulkAction } from "#lib/domains/spokes/bulk.ts";
import { previewBulkAction } from "#lib/domains/spokes/bulk-preview.ts";
import { BulkAction, BulkOutcome, BulkPreview } from "#lib/domains/spokes/views.ts";

export const POST = endpoint({
  summary: "Request the same action on many spokes, or remove them. IDs of spokes that you cannot see are skipped. " +
    "With dryRun=true, returns a preview instead, whose selection confirms removals and selections by a filter",
  access: signedInAccess,
  scope: "cli",
  recentSignIn: { when: ({ query, body }) => !query.dryRun && body.action === "destroy" },
  query: v.object({ dryRun: QueryFlag }),
  body: BulkAction,
  reply: combineReplies(acceptedReply(v.array(BulkOutcome)), okReply(BulkPreview)),
  faults: [
    ...["parameter_needed", "version_mismatch", "not_offered", "operator_only"] as const,
    ...["selection_too_large", "selection_changed"] as const,
  ],
  handle: async ({ app, actor, query, body, signal }) =>
    query.dryRun
      ? { other: await previewBulkAction(app, actor, body, signal) }
      : { usual: await requestBulkAction(app, actor, body) },
});
