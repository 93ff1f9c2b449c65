import * as v from "valibot";
import { endpoint } from "#lib/http/endpoint.ts";
import { acceptedReply, combineReplies, okReply } from "#lib/http/reply.ts";
import { QueryFlag } from "#lib/base/schema.ts";
import { spokeAccess } from "#lib/domains/spokes/access.ts";
import { previewSpokeAction } from "#lib/domains/spokes/action-preview.ts";
import { requestSpokeAction } from "#lib/domains/spokes/actions.ts";
import { ActionPreview, SpokeAction, SpokeView } from "#lib/domains/spokes/views.ts";

export const POST = endpoint({
  summary: "Request an action on a spoke: suspend, resume, restart, upgrade, resize, back up and so on. " +
    "With dryRun=true, returns a preview instead",
  access: spokeAccess("act"),
  scope: "cli",
  query: v.object({ dryRun: QueryFlag }),
  body: SpokeAction,
  reply: combineReplies(acceptedReply(SpokeView), okReply(ActionPreview)),
  faults: [
    "spoke_state",
    "version_not_newer",
    "addon_unsupported",
    "version_unchanged",
    "size_unchanged",
    "parameter_needed",
    "version_mismatch",
    "not_offered",
    "operator_only",
    "cluster_unavailable",
  ],
  handle: async ({ app, actor, spoke, query, body, signal }) =>
    query.dryRun
      ? { other: await previewSpokeAction(app, actor, spoke, body, signal) }
      : { usual: await requestSpokeAction(app, actor, spoke, body) },
});
