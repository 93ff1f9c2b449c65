import { rolloutAccess } from "#lib/domains/rollouts/access.ts";
import { resumeRollout } from "#lib/domains/rollouts/change.ts";
import { RolloutDetailView, RolloutResumption } from "#lib/domains/rollouts/views.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { okReply } from "#lib/http/reply.ts";

export const POST = endpoint({
  summary: "Continue a paused rollout. Spokes that have failed are tried again, or skipped",
  access: rolloutAccess(),
  scope: "cli",
  body: RolloutResumption,
  reply: okReply(RolloutDetailView),
  faults: ["rollout_state"],
  handle: ({ app, actor, rollout, body }) => resumeRollout(app, actor, rollout, body),
});
