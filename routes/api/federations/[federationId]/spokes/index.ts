import * as v from "valibot";
import { findCopySource } from "#lib/domains/backups/copy.ts";
import { getRemovedObjectVisibility, hubAccess } from "#lib/domains/federations/access.ts";
import { readInParts } from "#lib/http/complete-list.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { combineReplies, createdReply, okReply, pageReply } from "#lib/http/reply.ts";
import { QueryFlag } from "#lib/base/schema.ts";
import { resolveSpokeFilter, spokeListQuery } from "#lib/domains/spokes/filter.ts";
import { createSpoke } from "#lib/domains/spokes/create.ts";
import { previewSpoke } from "#lib/domains/spokes/preview.ts";
import { findSpokes } from "#lib/domains/spokes/show.ts";
import { NewSpoke, SpokePreview, SpokeView } from "#lib/domains/spokes/views.ts";

export const GET = endpoint({
  summary: "A hub's spokes that you can see, by default newest first. Returns all spokes unless limit is set",
  access: hubAccess("see"),
  scope: "readonly",
  query: v.object(spokeListQuery),
  reply: pageReply(SpokeView),
  handle({ app, actor, federation: { id: federationId }, query }) {
    const removed = getRemovedObjectVisibility(actor, query);
    const where = resolveSpokeFilter(app, query);
    return readInParts(query, (part) => findSpokes(app.db.rows, actor, { ...where, ...part, federationId }, removed));
  },
});

export const POST = endpoint({
  summary: "Create a spoke, or copy an existing spoke. The new spoke is installed in the background, " +
    "after the hub's earlier jobs. With dryRun=true, returns a preview instead",
  access: hubAccess("change"),
  scope: "provisioning",
  query: v.object({ dryRun: QueryFlag }),
  body: NewSpoke,
  idempotent: true,
  queued: true,
  reply: combineReplies(createdReply(SpokeView, (spoke) => `/api/spokes/${spoke.id}`), okReply(SpokePreview)),
  faults: [
    "slug_taken",
    "domain_taken",
    "domain_unproven",
    "federation_state",
    "federation_mismatch",
    "version_mismatch",
    "not_offered",
    "domain_needed",
    "domain_reserved",
    "domain_invalid",
    "dns_unavailable",
    ...["spoke_missing", "spoke_state", "copy_of_needed", "copy_version", "size_too_small"] as const,
    ...["tier_size", "tier_bound"] as const,
    ...["backup_unusable", "another_cluster", "blueprint_lacks"] as const,
  ],
  handle: async ({ app, actor, federation, query, body, idempotency, signal, runInHubQueue }) =>
    query.dryRun ? { other: await previewSpoke(app, actor, federation, body, signal, findCopySource) } : {
      usual: await createSpoke(app, actor, federation, body, idempotency, {
        signal,
        findCopySource,
        runInHubQueue,
      }),
    },
});
