import { rolloutAccess } from "#lib/domains/rollouts/access.ts";
import { pauseRollout } from "#lib/domains/rollouts/change.ts";
import { RolloutDetailView } from "#lib/domains/rollouts/views.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { okReply } from "#lib/http/reply.ts";

export const POST = endpoint({
  summary: "Pause a rollout: further operations wait until it is resumed. Operations that have started continue",
  access: rolloutAccess(),
  scope: "cli",
  reply: okReply(RolloutDetailView),
  faults: ["rollout_state"],
  handle: ({ app, actor, rollout }) => pauseRollout(app, actor, rollout),
});
