import { endpoint } from "#lib/http/endpoint.ts";
import { createdSecretReply } from "#lib/http/reply.ts";
import { spokeAccess } from "#lib/domains/spokes/access.ts";
import { createSignInLink } from "#lib/domains/spokes/sign-in-link.ts";
import { SignInLinkView } from "#lib/domains/spokes/views.ts";

export const POST = endpoint({
  summary: "Create a link with which the site's administrator chooses a password and signs in. " +
    "Only this response contains the link. The link works once and replaces earlier links. " +
    "The site must be running. The limit is ten links per hour",
  access: spokeAccess("act"),
  scope: "cli",
  reply: createdSecretReply(SignInLinkView),
  faults: ["spoke_state", "link_in_progress", "admin_unusable", "too_many_links", "link_failed", "cluster_unavailable"],
  handle: ({ app, actor, spoke, signal }) => createSignInLink(app, actor, spoke, signal),
});
