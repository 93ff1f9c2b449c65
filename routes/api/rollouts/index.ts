import * as v from "valibot";
import { signedInAccess } from "#lib/domains/auth/access.ts";
import { createRollout, previewRollout } from "#lib/domains/rollouts/create.ts";
import { listRollouts } from "#lib/domains/rollouts/store.ts";
import {
  NewRollout,
  RolloutDetailView,
  RolloutFilter,
  RolloutPreview,
  RolloutView,
} from "#lib/domains/rollouts/views.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { combineReplies, createdReply, okReply, pageReply } from "#lib/http/reply.ts";
import { BeforeCursor, createPageLimitSchema, QueryFlag } from "#lib/base/schema.ts";

export const GET = endpoint({
  summary: "Rollouts, newest first. Operators see all rollouts, other users only those on spokes of their own hubs",
  access: signedInAccess,
  scope: "readonly",
  query: v.object({ state: RolloutFilter, limit: createPageLimitSchema(25), before: v.optional(BeforeCursor) }),
  reply: pageReply(RolloutView),
  handle: ({ app, actor, query }) => listRollouts(app.db.rows, actor, query),
});

export const POST = endpoint({
  summary:
    "Run an action on many spokes, wave by wave. The first wave (canary) is watched before the next one starts. " +
    "Each wave starts when all spokes of the wave before are healthy. With dryRun=true, returns the waves instead",
  access: signedInAccess,
  scope: "cli",
  query: v.object({ dryRun: QueryFlag }),
  body: NewRollout,
  idempotent: true,
  reply: combineReplies(
    createdReply(RolloutDetailView, (rollout) => `/api/rollouts/${rollout.id}`),
    okReply(RolloutPreview),
  ),
  faults: [
    ...["rollout_empty", "rollout_too_large", "federation_admin_only", "operator_only"] as const,
    ...["parameter_needed", "not_offered"] as const,
  ],
  handle: async ({ app, actor, query, body, idempotency }) =>
    query.dryRun
      ? { other: await previewRollout(app, actor, body) }
      : { usual: await createRollout(app, actor, body, idempotency) },
});
