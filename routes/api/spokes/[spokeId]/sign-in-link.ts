/** A way into the site for its administrator. */
import { endpoint } from "#lib/http/endpoint.ts";
import { shownOnce } from "#lib/http/reply.ts";
import { spoke } from "#lib/domains/spokes/access.ts";
import { createSignInLink } from "#lib/domains/spokes/sign-in-link.ts";
import { SignInLinkView } from "#lib/domains/spokes/views.ts";

export const POST = endpoint({
  summary:
    "Make a link with which the site's administrator chooses a password and is signed in. It is in this answer and " +
    "nowhere else, works once, and takes the place of those made before; ask while the site runs, ten times an hour at most",
  access: spoke("act"),
  scope: "cli",
  reply: shownOnce(SignInLinkView),
  faults: ["spoke_state", "link_under_way", "admin_unusable", "too_many_links", "link_failed", "cluster_unavailable"],
  handle: ({ app, actor, spoke, signal }) => createSignInLink(app, actor, spoke, signal),
});
