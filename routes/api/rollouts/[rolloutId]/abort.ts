import { rolloutAccess } from "#lib/domains/rollouts/access.ts";
import { abortRollout } from "#lib/domains/rollouts/change.ts";
import { RolloutDetailView } from "#lib/domains/rollouts/views.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { okReply } from "#lib/http/reply.ts";

export const POST = endpoint({
  summary: "End a rollout. Operations that have started continue; the other spokes stay unchanged",
  access: rolloutAccess(),
  scope: "cli",
  reply: okReply(RolloutDetailView),
  faults: ["rollout_state"],
  handle: ({ app, actor, rollout }) => abortRollout(app, actor, rollout),
});
