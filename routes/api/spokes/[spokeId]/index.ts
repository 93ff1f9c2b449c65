/** One spoke. */
import * as v from "valibot";
import { endpoint } from "#lib/http/endpoint.ts";
import { accepted, ok } from "#lib/http/reply.ts";
import { Flag } from "#lib/schema.ts";
import { spoke } from "#lib/spokes/access.ts";
import { removeSpoke } from "#lib/spokes/remove.ts";
import { showSpoke } from "#lib/spokes/show.ts";
import { SpokeView } from "#lib/spokes/views.ts";

export const GET = endpoint({
  summary: "One spoke, and what it is busy with",
  access: spoke("see"),
  scope: "readonly",
  query: v.object({ includeRemoved: Flag }),
  reply: ok(SpokeView),
  handle: ({ app, actor, spoke }) => showSpoke(app.db.rows, actor, spoke),
});

export const DELETE = endpoint({
  summary: "Remove a spoke with all that belongs to it; asked again, it answers with the same operation",
  access: spoke("remove"),
  scope: "provisioning",
  reply: accepted(SpokeView),
  handle: ({ app, actor, spoke }) => removeSpoke(app, actor, spoke),
});
