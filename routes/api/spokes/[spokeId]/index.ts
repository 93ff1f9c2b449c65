import * as v from "valibot";
import { endpoint } from "#lib/http/endpoint.ts";
import { acceptedReply, okReply } from "#lib/http/reply.ts";
import { QueryFlag } from "#lib/base/schema.ts";
import { abandonSpoke, removeSpoke } from "#lib/domains/spokes/remove.ts";
import { spokeAccess } from "#lib/domains/spokes/access.ts";
import { patchSpoke, previewSpokePatch } from "#lib/domains/spokes/patch.ts";
import { showListedSpokes } from "#lib/domains/spokes/show.ts";
import { ActionPreview, SpokePatch, SpokeView } from "#lib/domains/spokes/views.ts";

export const GET = endpoint({
  summary: "One spoke and its current operation",
  access: spokeAccess("see"),
  scope: "readonly",
  query: v.object({ includeRemoved: QueryFlag }),
  polled: true,
  reply: okReply(SpokeView),
  handle: async ({ app, actor, spoke }) => (await showListedSpokes(app.db.rows, actor, [spoke]))[0]!,
});

export const PATCH = endpoint({
  summary: "Change a spoke's name, brand, administrator's address, domain or mail. " +
    "With dryRun=true, returns a preview instead",
  access: spokeAccess("act"),
  scope: "cli",
  query: v.object({ dryRun: QueryFlag }),
  body: SpokePatch,
  reply: okReply(v.union([SpokeView, ActionPreview])),
  faults: [
    "spoke_state",
    "not_offered",
    "policy_fixed",
    "federation_admin_only",
    "domain_taken",
    "domain_unproven",
    "domain_reserved",
    "domain_invalid",
    "dns_unavailable",
    "cluster_unavailable",
  ],
  handle: ({ app, actor, spoke, query, body, signal }) =>
    query.dryRun ? previewSpokePatch(app, actor, spoke, body, signal) : patchSpoke(app, actor, spoke, body, signal),
});

export const DELETE = endpoint({
  summary: "Remove a spoke and its site. Repeating the request returns the same operation",
  access: spokeAccess("remove"),
  scope: "provisioning",
  recentSignIn: true,
  query: v.object({ abandon: QueryFlag }),
  reply: acceptedReply(SpokeView),
  faults: ["operator_only", "spoke_state"],
  handle: ({ app, actor, spoke, query }) =>
    query.abandon ? abandonSpoke(app, actor, spoke) : removeSpoke(app, actor, spoke),
});
