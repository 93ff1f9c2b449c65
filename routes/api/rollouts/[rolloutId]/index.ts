import { rolloutAccess } from "#lib/domains/rollouts/access.ts";
import { showRollout } from "#lib/domains/rollouts/store.ts";
import { RolloutDetailView } from "#lib/domains/rollouts/views.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { okReply } from "#lib/http/reply.ts";

export const GET = endpoint({
  summary: "A rollout, with the wave and the state of each spoke",
  access: rolloutAccess(),
  scope: "readonly",
  reply: okReply(RolloutDetailView),
  handle: ({ app, actor, rollout }) => showRollout(app.db.rows, actor, rollout),
});
