import { endpoint } from "#lib/http/endpoint.ts";
import { createdSecretReply } from "#lib/http/reply.ts";
import { spokeAccess } from "#lib/domains/spokes/access.ts";
import { createSignInLink } from "#lib/domains/spokes/sign-in-link.ts";
import { SignInLinkView } from "#lib/domains/spokes/views.ts";

export const POST = endpoint({
  summary: "Create a link for the site's administrator to choose a password and sign in. The response is the " +
    "only place that contains it. The link works once and replaces earlier links. The site must be " +
    "running. At most ten links per hour",
  access: spokeAccess("act"),
  scope: "cli",
  reply: createdSecretReply(SignInLinkView),
  faults: ["spoke_state", "link_under_way", "admin_unusable", "too_many_links", "link_failed", "cluster_unavailable"],
  handle: ({ app, actor, spoke, signal }) => createSignInLink(app, actor, spoke, signal),
});
