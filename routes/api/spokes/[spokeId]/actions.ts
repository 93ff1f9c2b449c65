/** Ask a spoke to change. */
import { endpoint } from "#lib/http/endpoint.ts";
import { accepted } from "#lib/http/reply.ts";
import { spoke } from "#lib/spokes/access.ts";
import { requestAction } from "#lib/spokes/actions.ts";
import { SpokeAction, SpokeView } from "#lib/spokes/views.ts";

export const POST = endpoint({
  summary: "Ask a spoke to suspend, resume, restart, or to be provisioned again after that failed",
  access: spoke("act"),
  scope: "cli",
  body: SpokeAction,
  reply: accepted(SpokeView),
  faults: ["spoke_state"],
  handle: ({ app, actor, spoke, body }) => requestAction(app, actor, spoke, body),
});
