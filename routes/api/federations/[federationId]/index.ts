import * as v from "valibot";
import { abandonFederation, removeFederation } from "#lib/domains/federations/remove.ts";
import { hubAccess } from "#lib/domains/federations/access.ts";
import { showFederation } from "#lib/domains/federations/show.ts";
import { FederationView } from "#lib/domains/federations/views.ts";
import { changeHub } from "#lib/domains/tiers/change.ts";
import { previewHub } from "#lib/domains/tiers/preview.ts";
import { ChangedFederation, HubPatch } from "#lib/domains/tiers/views.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { acceptedReply, okReply } from "#lib/http/reply.ts";
import { QueryFlag } from "#lib/base/schema.ts";

export const GET = endpoint({
  summary: "One hub and its current operation",
  access: hubAccess("see"),
  scope: "readonly",
  query: v.object({ includeRemoved: QueryFlag }),
  polled: true,
  reply: okReply(FederationView),
  handle: ({ app, actor, federation }) => showFederation(app.db.rows, actor, federation),
});

export const PATCH = endpoint({
  summary: "Change a hub's name, region, mode or tier. With rollOut, a rollout brings the tier to the spokes. " +
    "With dryRun=true, changes nothing and returns a preview",
  access: hubAccess("change"),
  scope: "cli",
  query: v.object({ dryRun: QueryFlag }),
  body: HubPatch,
  reply: okReply(ChangedFederation),
  faults: ["federation_state", "slug_fixed", "not_offered", "operator_only", "rollout_too_large", "rollout_empty"],
  handle: ({ app, actor, federation, query, body, signal }) =>
    query.dryRun ? previewHub(app, actor, federation, body, signal) : changeHub(app, actor, federation, body),
});

export const DELETE = endpoint({
  summary: "Remove a hub that has no spokes. The removal finishes when the hub's namespace is deleted",
  access: hubAccess("remove"),
  scope: "cli",
  recentSignIn: true,
  query: v.object({ abandon: QueryFlag }),
  reply: acceptedReply(FederationView),
  faults: ["federation_not_empty", "federation_state"],
  handle: ({ app, actor, federation, query }) =>
    query.abandon ? abandonFederation(app, actor, federation) : removeFederation(app, actor, federation),
});
