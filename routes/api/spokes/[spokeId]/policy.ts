import { showSpokePolicy } from "#lib/domains/policy/show.ts";
import { patchSpokePolicy } from "#lib/domains/policy/spoke.ts";
import { SpokePolicyPatch, SpokePolicyView } from "#lib/domains/policy/views.ts";
import { spokeAccess } from "#lib/domains/spokes/access.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { okReply } from "#lib/http/reply.ts";

export const GET = endpoint({
  summary: "What a spoke has of what its hub shares, and the spoke's own values",
  access: spokeAccess("history"),
  scope: "readonly",
  reply: okReply(SpokePolicyView),
  handle: ({ app, spoke }) => showSpokePolicy(app.db.rows, spoke.id, app.catalog.addons),
});

export const PATCH = endpoint({
  summary: "Change a spoke's own values. Only hub admins can exclude the spoke from a section",
  access: spokeAccess("act"),
  scope: "cli",
  body: SpokePolicyPatch,
  reply: okReply(SpokePolicyView),
  faults: ["policy_fixed", "federation_admin_only", "spoke_state"],
  handle: ({ app, actor, spoke, body }) => patchSpokePolicy(app, actor, spoke, body),
});
