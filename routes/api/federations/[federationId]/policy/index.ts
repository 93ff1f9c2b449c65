import * as v from "valibot";
import { QueryFlag } from "#lib/base/schema.ts";
import { hubAccess } from "#lib/domains/federations/access.ts";
import { patchPolicy } from "#lib/domains/policy/patch.ts";
import { previewPolicy } from "#lib/domains/policy/preview.ts";
import { showPolicy } from "#lib/domains/policy/show.ts";
import { PolicyPatch, PolicyPreview, PolicyView } from "#lib/domains/policy/views.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { okReply } from "#lib/http/reply.ts";

export const GET = endpoint({
  summary: "What a hub shares with its spokes, and how many spokes have it",
  access: hubAccess("change"),
  scope: "readonly",
  reply: okReply(PolicyView),
  handle: ({ app, federation }) => showPolicy(app.db.rows, federation.id, app.catalog.addons),
});

export const PATCH = endpoint({
  summary: "Change what a hub shares. A rollout brings the change to the spokes. " +
    "With dryRun=true, returns a preview instead",
  access: hubAccess("change"),
  scope: "cli",
  query: v.object({ dryRun: QueryFlag }),
  body: PolicyPatch,
  reply: okReply(v.union([PolicyView, PolicyPreview])),
  faults: ["policy_changed", "federation_state", "not_offered", "sign_in_incomplete", "cluster_unavailable"],
  handle: ({ app, actor, federation, query, body, signal }) =>
    query.dryRun ? previewPolicy(app, actor, federation, body) : patchPolicy(app, actor, federation, body, signal),
});
